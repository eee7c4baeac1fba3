"""The pages for people, which are no part of the API's description."""

from service.http.people.assets import PageFiles
from service.http.people.audit import AuditPage
from service.http.people.demo import DemoPages
from service.http.people.lobby import LobbyPage
from service.http.people.match import MatchPages
from service.http.people.play import KeyPages
from service.http.people.tournament import TournamentPage

PEOPLE = (
    LobbyPage,
    DemoPages,
    MatchPages,
    AuditPage,
    KeyPages,
    TournamentPage,
    PageFiles,
)
"""All of them, and what they load."""
