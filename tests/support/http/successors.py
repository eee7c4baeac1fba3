"""Seats that another person takes over, over HTTP."""

from tests.support.http.ruling_client import previewed, rule, second
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player

ZOE: Json = {"seat": 1, "name": "Zoe"}


def replaced(match: LiveMatch, **fields: object) -> Answer:
    """The answer to the second who carries it out: the organiser rules, a judge seconds."""
    sent = ZOE | fields
    headers = previewed(match.organiser, "replace_seat", **sent)
    pending = rule(match.organiser, "replace_seat", headers, **sent)
    assert pending.status_code == 202, pending.text
    assert "key" not in pending.json()
    preview = second(match.judge, pending.json()["ruling"], preview=True)
    assert preview.status_code == 200, preview.text
    sent_by = {"If-Match": preview.headers["etag"]}
    return second(match.judge, pending.json()["ruling"], sent_by)


def successor(live: Live, match: LiveMatch, **fields: object) -> Player:
    """The seat with the key of whoever has taken it over."""
    answer = replaced(match, **fields)
    assert answer.status_code == 201, answer.text
    return Player(live.bearing(answer.json()["key"]), match.id)
