"""Seats that another person takes over, over HTTP."""

from tests.support.http.ruling_client import ruled, seconded
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player, body_of

ZOE: Json = {"seat": 1, "name": "Zoe"}


def replaced(match: LiveMatch, **fields: object) -> Answer:
    """The answer to the second who carries it out: the organiser rules, a judge seconds."""
    pending = ruled(match.organiser, "replace_seat", **(ZOE | fields))
    assert pending["status"] == "pending" and "key" not in pending
    return seconded(match.judge, pending["ruling"])


def successor(live: Live, match: LiveMatch, **fields: object) -> Player:
    """The seat with the key of whoever has taken it over."""
    made = body_of(replaced(match, **fields), 201)
    return Player(live.bearing(made["key"]), match.id)
