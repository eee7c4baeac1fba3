"""The pages for people, which are no part of the API's description."""

from service.http.people.assets import PageFiles
from service.http.people.audit import AuditPage, VerifierScript
from service.http.people.demo import DemoPages
from service.http.people.embed import EmbeddedPage
from service.http.people.lobby import LobbyPage
from service.http.people.match import MatchPage
from service.http.people.organise import OrganisePage
from service.http.people.play import PlayPage
from service.http.people.table import TablePage
from service.http.people.tournament import TournamentPage

PEOPLE = (
    LobbyPage,
    DemoPages,
    MatchPage,
    EmbeddedPage,
    AuditPage,
    PlayPage,
    TablePage,
    OrganisePage,
    TournamentPage,
    VerifierScript,
    PageFiles,
)
"""All of them, and what they load."""
