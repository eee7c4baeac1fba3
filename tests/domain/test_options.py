"""The options of every game: what is understood, what is allowed, and how they are described.

What each option changes is tested with the rules of its game.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from domain.game import Refused
from domain.games import GAMES
from tests.support.games import SUPPORT

EVERY_GAME = pytest.mark.parametrize("name", GAMES)

BESIDE: dict[str, dict[str, int]] = {"b_winner_rank": {"b_loser_rank": 2}}
"""What must be chosen with an option at its limit."""

WORDS = {"items": ("items", "once", "one seat")}
"""What the refusal of an option may say in place of its name."""

NOT_UNDERSTOOD: dict[str, list[dict[str, Any]]] = {
    "twelve-chips": [
        {"over_21": "ignore"},
        {"deal": "four_zero"},
        {"round_starter": "loser"},
        {"first_starter": "0"},
        {"tokens_to_win": 2.5},
        {"hand_colours_public": 1},
    ],
    "grouping-bw": [
        {"variant": "final-match-1"},
        {"chips": 30},
        {"chips": ["30", "30"]},
        {"raise_cap": None},
        {"on_fold": "burn"},
        {"items": [["bonus"], ["joker"]]},
        {"short_ante": "split"},
        {"leader_check": 1},
    ],
    "together": [
        {"groups": "AABB"},
        {"groups": ["A", "A", "B", "C"]},
        {"groups": None},
        {"start_tokens": 5},
        {"start_tokens": {"A": "5"}},
        {"garnets": [0, 0, 0.5, 0]},
        {"kick_rule": "all"},
        {"all_tied": "some_out"},
        {"b_self": 1},
        {"b_repeats": "yes"},
        {"reveal_vote_counts": None},
        {"reveal_vote_counts": True},
        {"reveal_vote_counts": "B"},
        {"ec_voters": "losers"},
        {"deadline_utc": 1400},
        {"first_round_hours": None},
    ],
    "liars-dice": [{"dice": "5"}, {"wild_ones": 1}, {"exact_call": None}],
}

ALLOWED: dict[str, list[dict[str, Any]]] = {
    "together": [
        {"groups": ["A", "B", "B", "A"]},
        {"start_tokens": {"A": 0, "B": 1000}},
        {"start_tokens": {"B": 0}},
        {"garnets": [0, 1000, 0, 1]},
        {"deadline_utc": "00:00"},
        {"deadline_utc": "23:59"},
    ],
    "liars-dice": [{"turn_seconds": None}, {"first_player": 1}],
}
"""At the smallest table, next to numbers at their limits."""

NOT_ALLOWED: dict[str, list[dict[str, Any]]] = {
    "twelve-chips": [{"first_starter": 2}],
    "liars-dice": [{"first_player": 2}],
    "grouping-bw": [
        {"chips": []},
        {"chips": [30]},
        {"chips": [30, 30, 30]},
        {"chips": [0, 30]},
        {"chips": [30, -1]},
        {"chips": [30, 10_001]},
        {"chips": [10**40, 1]},
        {"regroup_limits": []},
        {"regroup_limits": [1, 1]},
        {"regroup_limits": [1, 1, 2, 2]},
        {"regroup_limits": [1, -1, 2]},
        {"regroup_limits": [1, 1, 10]},
        {"items": []},
        {"items": [["peek"]]},
        {"items": [[], [], ["bonus"]]},
        {"items": [["peek", "peek"], []]},
        {"items": [["bonus"], ["bonus"]]},
    ],
    "together": [
        {"groups": ["A", "A", "B"]},
        {"groups": ["A", "A", "B", "B", "B"]},
        {"groups": ["A", "B", "B", "B"]},
        {"groups": ["A", "A", "A", "B"]},
        {"groups": []},
        {"start_tokens": {"A": -1}},
        {"start_tokens": {"B": 1001}},
        {"garnets": [0, 0, 0]},
        {"garnets": [0, 0, 0, 0, 0]},
        {"garnets": [0, 0, 0, -1]},
        {"garnets": [1001, 0, 0, 0]},
        {"b_winner_rank": 1},
        {"b_winner_rank": 3, "b_loser_rank": 3},
        {"deadline_utc": "24:00"},
        {"deadline_utc": "9:00"},
        {"deadline_utc": "14:00 "},
        {"deadline_utc": "14:00\n"},
        {"deadline_utc": "\u0661\u0664:00"},
        {"deadline_utc": ""},
    ],
}
"""At the smallest table, next to numbers beyond their limits. The refusal names the first one."""


def cases(table: Mapping[str, Sequence[Any]]) -> list[tuple[str, Any]]:
    return [(name, case) for name, listed in table.items() for case in listed]


def fields(name: str) -> Any:
    return msgspec.json.schema(GAMES[name].Options)["$defs"]["Options"]["properties"]


def check(name: str, seats: int, sent: dict[str, Any]) -> None:
    GAMES[name].check(msgspec.convert(sent, GAMES[name].Options), seats)


def refused(name: str, seats: int, sent: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refusal:
        check(name, seats, sent)
    assert refusal.value.code == "options_not_allowed"
    named = next(iter(sent), "2 seats")
    assert any(word in (refusal.value.text or "") for word in WORDS.get(named, (named,)))


@EVERY_GAME
def test_the_schema_describes_every_option_and_has_the_limits_of_the_rules(name: str) -> None:
    found: dict[str, tuple[int, int]] = {}
    for option, schema in fields(name).items():
        ways = (schema, *schema.get("anyOf", ()), *schema.get("allOf", ()))
        assert any("description" in way for way in ways), option
        limits = [(way["minimum"], way["maximum"]) for way in ways if "minimum" in way]
        found |= dict.fromkeys([option] if limits else [], *limits)
    expected = SUPPORT[name].limits
    assert expected is None or found == expected


@pytest.mark.parametrize(
    ("name", "option"), cases({n: list(of.limits or ()) for n, of in SUPPORT.items()})
)
def test_a_number_is_allowed_up_to_its_limits(name: str, option: str) -> None:
    low, high = (SUPPORT[name].limits or {})[option]
    seats = GAMES[name].seats
    for number in (low, high):
        check(name, seats[-1], {option: number, **BESIDE.get(option, {})})
    for number in (low - 1, high + 1, 10**40, -(10**40)):
        for size in (seats[0], seats[-1]):
            refused(name, size, {option: number})


@pytest.mark.parametrize(("name", "sent"), cases(NOT_UNDERSTOOD))
def test_options_of_another_kind_are_not_understood(name: str, sent: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(sent, GAMES[name].Options)


@pytest.mark.parametrize(("name", "sent"), cases(ALLOWED))
def test_options_are_allowed(name: str, sent: dict[str, Any]) -> None:
    check(name, GAMES[name].seats[0], sent)


@pytest.mark.parametrize(("name", "sent"), cases(NOT_ALLOWED))
def test_options_are_refused(name: str, sent: dict[str, Any]) -> None:
    refused(name, GAMES[name].seats[0], sent)
