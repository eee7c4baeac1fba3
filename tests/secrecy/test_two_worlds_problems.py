"""Problem documents are the same in two worlds that differ in what their reader may not know."""

import pytest

from tests.support.http.case_client import opened
from tests.support.http.ruling_client import rule, ruled
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player

DEALS = ([[4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12]], [[4, 5, 6, 7, 8, 9], [12, 11, 10, 3, 2, 1]])
NOTE: Json = {"to": "sealed", "text": "It stands.", "severity": "uphold"}

ACTIONS: list[bytes] = [
    b"", b"{", b"[]", b"{}", b'{"type":"paly"}', b'{"type":"play"}', b'{"type":"play","chip":"4"}',
    b'{"type":"play","chip":4,"seat":1}', b'{"type":"play","chip":4.5}',
    b'{"type":"play","chip":13}',
]  # fmt: skip
HEADERS: list[dict[str, str]] = [
    {"If-Match": "seat:1.3"}, {"If-Match": '"seat:1.3"'}, {"If-Match": '"seat:1.9"'},
    {"Idempotency-Key": "a b"},
]  # fmt: skip
READS = [
    "view?as=seat:1", "view?as=moderator", "view?as=seat:9", "view?as=x", "view?at=999", "view?a=1",
    "view?as=seat:1&at=1", "events?as=seat:1&after=99", "events?limit=0", "reads", "checkpoint",
    "rulings?x=1", "cases/unknown", "bundle?as=seat:1", "stream?as=seat:1", "nothing",
]  # fmt: skip
POSTS = ["start", "draws", "close-phase", "rulings", "keys", "rulings/x/second", "cases/x/close"]


@pytest.fixture(scope="module")
def worlds(live: Live) -> tuple[LiveMatch, LiveMatch]:
    """Two matches of 12 Chips that look the same to seat 0: in one seat 1 has another hand's order,
    and there are a pending ruling, a sealed note and a case of seat 1."""
    quiet, busy = (live.started("twelve-chips", chance="manual") for _ in DEALS)
    for match, dealt in zip((quiet, busy), DEALS, strict=True):
        assert match.moderator.draw("round1/deal", dealt).status_code == 201
    ruled(busy.moderator, "void")
    opened(busy.seats[1], about=3)
    assert rule(busy.moderator, "note", **NOTE).status_code == 201
    return quiet, busy


def answers(match: LiveMatch, player: Player) -> list[Answer]:
    """What a reader is answered to every mistake."""
    client, path = player.client, match.anyone.path
    return [
        *(client.send("POST", f"{path}/actions", body) for body in ACTIONS),
        *(client.send("POST", f"{path}/actions", ACTIONS[-1], headers) for headers in HEADERS),
        *(client.get(f"{path}/{read}") for read in READS),
        *(client.send("POST", f"{path}/{name}", b"{}") for name in POSTS),
        client.send("PUT", f"{path}/view"),
    ]


def said(match: LiveMatch, answer: Answer) -> tuple[int, str]:
    """The status and the body of an answer, whichever match it is of."""
    body = answer.json()
    if "receipt" in body:
        body["receipt"] |= {"note": None, "at": None, "salt": None}
    return answer.status_code, str(body).replace(match.id, "ID")


@pytest.mark.parametrize("audience", ["public", "seat:0", "stranger"])
def test_mistakes_are_answered_the_same(
    live: Live, worlds: tuple[LiveMatch, LiveMatch], audience: str
) -> None:
    stranger = live.bearing(live.create("twelve-chips").keys[0])
    shown = []
    for match in worlds:
        players = {**match.audiences(), "stranger": Player(stranger, match.id)}
        shown.append([said(match, answer) for answer in answers(match, players[audience])])
    assert shown[0] == shown[1]
    assert {status for status, _ in shown[0]} >= {401 if audience == "public" else 403, 404, 405}
