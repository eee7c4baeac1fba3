"""The pages for people, which are no part of the API's description."""

from service.http.people.assets import PageFiles
from service.http.people.lobby import LobbyPage
from service.http.people.match import MatchPage

PEOPLE = (LobbyPage, MatchPage, PageFiles)
"""All of them, and what they load."""
