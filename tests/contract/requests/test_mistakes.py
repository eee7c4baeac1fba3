"""The commonest mistakes of a new client: the problem says where each is, and what is right."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.games import GAMES
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import rule
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player

SIDE: Json = {"type": "choose_side", "side": "heads"}
PENNY: Json = {"type": "place", "coin": "penny"}
MATCH: Json = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
KINDS = ["choose_side", "place", "convert", "end_turn", "keep", "exchange"]

Asked = Callable[[Live, LiveMatch], Answer]


def acting(body: Any = SIDE, **headers: str) -> Asked:
    """An action of seat 0."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _, match: match.seats[0].act(body, named)


def sending(content: bytes, **headers: str) -> Asked:
    """Bytes in place of an action."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _, match: match.seats[0].client.send(
        "POST", f"{match.anyone.path}/actions", content, named
    )


def acting_with(key: Callable[[Live, LiveMatch], str | None]) -> Asked:
    """An action by another key."""
    return lambda live, match: Player(live.bearing(key(live, match) or ""), match.id).act(SIDE)


def reading(name: str, **query: Any) -> Asked:
    """A read with the key of seat 0."""
    return lambda _, match: match.seats[0].client.get(f"{match.anyone.path}{name}", **query)


def creating(**body: Any) -> Asked:
    """A new match, by an organiser."""
    return lambda live, _: live.organiser.post("/v1/matches", body)


def used_before(_: Live, match: LiveMatch) -> Answer:
    one_key = {"Idempotency-Key": "one"}
    assert match.seats[0].act(PENNY, one_key).is_error
    return match.seats[0].act(SIDE, one_key)


def while_paused(_: Live, match: LiveMatch) -> Answer:
    assert rule(match.moderator, "pause").status_code == 201
    return match.seats[0].act(SIDE)


def wrong(where: str, code: str, at: str | None = None, **more: Any) -> Json:
    """What a problem says of one mistake, but for its sentence."""
    place = {} if at is None else {"pointer" if where == "body" else "name": at}
    return {"in": where, "code": code, **place, **more}


def errors(*each: Json) -> Json:
    return {"errors": list(each)}


NO_KEY = wrong("header", "missing_header", "Authorization")
TAG = r"""^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$"""

MISTAKES: dict[str, tuple[str, Asked, Json]] = {
    "no key": ("key_missing", lambda _, m: m.anyone.act(SIDE), errors(NO_KEY)),
    "the key in the address": (
        "key_missing",
        lambda _, m: m.anyone.client.get(f"{m.anyone.path}/actions", key=m.keys[0]),
        errors(NO_KEY, wrong("query", "key_in_query", "key")),
    ),
    "the key of another match": (
        "not_allowed",
        acting_with(lambda live, _: live.create("dollar-prize").keys[0]),
        {},
    ),
    "the key of another role": (
        "not_allowed",
        acting_with(lambda live, _: live.organiser.key),
        {},
    ),
    "the key without its scheme": (
        "key_unknown",
        lambda _, m: m.anyone.act(SIDE, {"Authorization": m.keys[0]}),
        errors(wrong("header", "wrong_scheme", "Authorization", allowed=["Bearer"])),
    ),
    "a form": (
        "not_json",
        sending(b"type=choose_side", Content_Type="application/x-www-form-urlencoded"),
        errors(wrong("header", "wrong_media_type", "Content-Type", allowed=["application/json"]),
               wrong("body", "not_json", "")),
    ),
    "Python in place of JSON": (
        "not_json", sending(str(SIDE).encode()), errors(wrong("body", "not_json", "")),
    ),
    "an unknown field": (
        "wrong_shape",
        acting({**SIDE, "seat": 0}),
        errors(wrong("body", "unknown_field", "/seat", allowed=["type", "side"])),
    ),
    "a misspelt field": (
        "wrong_shape",
        acting({"type": "choose_side", "sides": "heads"}),
        errors(wrong("body", "missing_field", "/side"),
               wrong("body", "unknown_field", "/sides", allowed=["type", "side"],
                     did_you_mean="side")),
    ),
    "a misspelt value": (
        "wrong_shape",
        acting({"type": "choose_side", "side": "Heads"}),
        errors(wrong("body", "unknown_value", "/side", allowed=["heads", "tails"],
                     did_you_mean="heads")),
    ),
    "a misspelt type": (
        "wrong_shape",
        acting({"type": "choose-side", "side": "heads"}),
        errors(wrong("body", "unknown_value", "/type", allowed=KINDS,
                     did_you_mean="choose_side")),
    ),
    "no type": (
        "wrong_shape",
        acting({"side": "heads"}),
        errors(wrong("body", "missing_field", "/type", allowed=KINDS)),
    ),
    "a number as a text": (
        "wrong_shape",
        creating(**MATCH, protest_hours="2"),
        errors(wrong("body", "wrong_type", "/protest_hours", expected=["integer"])),
    ),
    "a text as a number": (
        "wrong_shape",
        creating(game="dollar-prize", seats=["Ann", 2]),
        errors(wrong("body", "wrong_type", "/seats/1", expected=["string"])),
    ),
    "a number out of range": (
        "wrong_shape",
        creating(**MATCH, protest_hours=-1),
        errors(wrong("body", "out_of_range", "/protest_hours", minimum=0, maximum=366 * 24)),
    ),
    "an unknown game": (
        "unknown_game",
        creating(game="dollarprize", seats=["Ann", "Ben"]),
        errors(wrong("body", "unknown_value", "/game", allowed=sorted(GAMES),
                     did_you_mean="dollar-prize")),
    ),
    "too many seats": (
        "seats_not_allowed",
        creating(game="dollar-prize", seats=["Ann", "Ben", "Cy"]),
        errors(wrong("body", "wrong_length", "/seats", minimum=2, maximum=2)),
    ),
    "an unknown option": (
        "wrong_shape",
        creating(**MATCH, options={"turn_second": 60}),
        errors(wrong("body", "unknown_field", "/options/turn_second", did_you_mean="turn_seconds",
                     allowed=["first_player", "tie_reflips", "down_conversion", "turn_seconds"])),
    ),
    "too large a body": (
        "too_large",
        creating(**MATCH, has_looked_reason="a" * 70_000),
        errors(wrong("body", "too_large", "", maximum=65_536)),
    ),
    "a malformed If-Match": (
        "bad_if_match",
        acting(If_Match="seat:0.3"),
        errors(wrong("header", "malformed", "If-Match", pattern=TAG)),
    ),
    "a stale If-Match": (
        "stale",
        acting(If_Match='"seat:0.1"'),
        errors(wrong("header", "stale", "If-Match")),
    ),
    "a malformed idempotency key": (
        "bad_idempotency_key",
        acting(Idempotency_Key="a b"),
        errors(wrong("header", "malformed", "Idempotency-Key", pattern="^[!-~]{1,255}$")),
    ),
    "an idempotency key used before": (
        "idempotency_key_reused",
        used_before,
        errors(wrong("header", "used_already", "Idempotency-Key")),
    ),
    "before the start": (
        "match_not_running",
        lambda live, _: live.create("dollar-prize").seats[0].act(SIDE),
        {"match_status": "created"},
    ),
    "while paused": ("match_not_running", while_paused, {"match_status": "paused"}),
    "another's view": (
        "not_allowed",
        reading("/view", as_="seat:1"),
        errors(wrong("query", "beyond_key", "as", allowed=["seat:0", "public"])),
    ),
    "a position not reached": (
        "history_went_back",
        reading("/view", at=9_999),
        errors(wrong("query", "beyond_end", "at")),
    ),
    "an unknown parameter": (
        "bad_request",
        reading("/events", limits=5),
        errors(wrong("query", "unknown_parameter", "limits", did_you_mean="limit",
                     allowed=["as", "after", "limit", "wait"])),
    ),
    "a parameter out of range": (
        "bad_request",
        reading("/events", limit=5_000),
        errors(wrong("query", "out_of_range", "limit", minimum=1, maximum=1_000)),
    ),
    "a wrong method": (
        "method_not_allowed",
        lambda live, _: live.anyone.send("PUT", "/v1/games"),
        errors(wrong("method", "unknown_method", allowed=["GET", "HEAD", "OPTIONS"])),
    ),
    "a wrong path": (
        "not_found",
        lambda live, m: live.anyone.get(f"/v1/match/{m.id}/view"),
        errors(wrong("path", "unknown_path", did_you_mean="/v1/matches/{id}/view")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_problem_says_what_a_program_needs_to_mend_it(
    live: Live, coins: LiveMatch, mistake: str
) -> None:
    code, asked, expected = MISTAKES[mistake]
    problem = asked(live, coins).json()
    assert problem["code"] == code
    assert all(one.pop("detail") for one in problem.get("errors", ()))
    assert {name: problem[name] for name in TOLD if name in problem} == expected


TOLD = ("key", "match_status", "errors")
"""What a problem has for programs, next to its code."""


def test_who_acts_after_the_end_is_told_that_it_has_ended(played: LiveMatch) -> None:
    problem = assert_problem(played.seats[0].act(SIDE), 400, "wrong_shape")
    assert problem["errors"][0]["allowed"] == ["enter", "play", "take"]
    answer = played.seats[0].act({"type": "play", "chip": 4})
    assert assert_problem(answer, 409, "match_not_running")["match_status"] == "ended"
    assert played.seats[0].menu().json()["actions"] == []
