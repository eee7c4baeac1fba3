"""Bad input of rulings: each field of each kind, and nothing is recorded."""

import json
from typing import Any

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.ruling_client import EVEN, WHY
from tests.support.servers.live_server import Json, LiveMatch

GOOD: dict[str, Json] = {
    "pause": {},
    "resume": {},
    "extend": {"seconds": 1},
    "note": {"to": "public", "text": "hm", "severity": "warning"},
    "result": {"result": EVEN, "because": "forfeit"},
    "void": {"replaced_by": None},
}

LONG = "x" * 2_001

NO_SECONDS: list[Any] = [None, 0, -1, 1.5, "1", 10**9, 2**80]
NO_RESULTS: list[Any] = [None, [], {}, EVEN | {"x": 1}]
NO_WINNERS: list[Any] = [None, [-1], [64], ["0"], 0]
NO_LOSERS: list[Any] = [None, [0.5], {}]

BAD: list[tuple[str, Json]] = [
    *[("pause", {"reason": value}) for value in (None, "", LONG, 7, ["why"])],
    *[("pause", {"rule": value}) for value in ("", "x" * 201, 7)],
    *[("pause", {name: value}) for name in ("appeals", "case") for value in ("", "a b", "a\n", 7)],
    *[("pause", {name: "yes"}) for name in ("ask_seats", "preview")],
    ("pause", {"seconds": 1}),
    ("resume", {"seat": 0}),
    *[("extend", {"seconds": value}) for value in NO_SECONDS],
    ("extend", {"deadline": "2030-01-01T00:00:00Z"}),
    *[
        ("extend", {"seconds": None, "deadline": value})
        for value in ("soon", "2030-01-01", "2030-01-01T00:00:00", 7, "9999-12-31T23:59:59Z",
            "2256-01-01T00:00:00Z", "2030-13-01T00:00:00Z")
    ],
    *[("note", {"to": value}) for value in (None, "", "seat", "seat:-1", "seat:01", "seat:0\n", 0)],
    *[("note", {"text": value}) for value in (None, "", LONG, 7)],
    *[("note", {"severity": value}) for value in (None, "", "praise", 7)],
    *[("result", {"result": value}) for value in NO_RESULTS],
    *[("result", {"result": EVEN | {"winners": value}}) for value in NO_WINNERS],
    *[("result", {"result": EVEN | {"losers": value}}) for value in NO_LOSERS],
    *[("result", {"result": EVEN | {"scores": value}}) for value in (None, [2**60], [0] * 65)],
    ("result", {"result": EVEN | {"shared": 1}}),
    *[("result", {"because": value}) for value in (None, "", "luck")],
    *[("void", {"replaced_by": value}) for value in ("", "match", 7, "0" * 32)],
    ("confirm", {"result": EVEN}),
    *[(kind, {}) for kind in ("", "rewind", "correct", "replace_seat", "Pause")],
]  # fmt: skip


@pytest.mark.parametrize(("kind", "fields"), BAD, ids=lambda value: json.dumps(value)[:40])
def test_a_body_of_the_wrong_shape_is_400(coins: LiveMatch, kind: str, fields: Json) -> None:
    before = all_events(coins.moderator)
    for more in ({}, {"preview": True}):
        body = {"kind": kind, "reason": WHY} | GOOD.get(kind, {}) | more | fields
        answer = coins.moderator.client.post(f"{coins.moderator.path}/rulings", body)
        assert_problem(answer, 400, "wrong_shape")
    assert all_events(coins.moderator) == before
