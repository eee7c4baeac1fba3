"""12 Chips in JavaScript gives the same results as the Python rules, to the last key; situations
that are rare in random play are set up by hand."""

from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, get_args

import pytest

from domain.commands import EnterDraw, Start
from domain.draws import Shuffle
from domain.events import stored_name
from domain.games.twelve_chips.actions import Play, Take
from domain.games.twelve_chips.chips import SIXTEEN, Chips, takeable
from domain.games.twelve_chips.events import RoundScored, TrickWon
from domain.games.twelve_chips.options import Options, Over21, RoundStarter
from domain.games.twelve_chips.rules import GAME
from tests.support.tables.match_table import MatchTable, seated
from tests.support.web.javascript_rules import agreed, codes, from_the_record, judged, kinds, lucky
from tests.support.web.match_descriptions import Described, described
from tests.support.web.verifier_pages import script_of


def test_every_event_every_refusal_and_every_option_is_among_them() -> None:
    """Otherwise a difference could hide where no match has been."""
    assert kinds(lucky(GAME.id)) == {stored_name(kind) for kind in get_args(GAME.Event)}
    assert codes(lucky(GAME.id)) == set(GAME.codes) - {"options_not_allowed"}
    played = [match.options for match in lucky(GAME.id)]
    assert {match.seats for match in lucky(GAME.id)} == set(GAME.seats)
    assert {options["deal"] for options in played} == {"two_two", "random"}
    assert {options["over_21"] for options in played} == set(get_args(Over21))
    assert {options["round_starter"] for options in played} == set(get_args(RoundStarter))
    assert {options["hand_colours_public"] for options in played} == {True, False}
    assert {options["turn_seconds"] is None for options in played} == {True, False}
    assert {options["first_starter"] for options in played} >= {0, 1, 2}


@cache
def from_the_past() -> list[Described]:
    return from_the_record(GAME)


# Rule 7: rounds whose sums are at the edge.

ROUNDS: dict[tuple[int, ...], tuple[Chips, ...]] = {
    (21, 22): ((1, 5, 7, 8), (2, 3, 6, 11)),
    (21, 42): ((1, 5, 7, 8), (9, 10, 11, 12)),
    (21, 41): ((1, 5, 6, 9), (8, 10, 11, 12)),
    (20, 41): ((1, 4, 6, 9), (8, 10, 11, 12)),
    (22, 20): ((1, 5, 7, 9), (2, 4, 6, 8)),
    (22, 22): ((1, 5, 7, 9), (2, 3, 6, 11)),
    (25, 30): ((1, 6, 8, 10), (4, 5, 9, 12)),
    (21, 21): ((1, 5, 7, 8), (2, 3, 4, 12)),
    (21, 21, 36): ((1, 5, 7, 8), (2, 3, 4, 12), (6, 9, 10, 11)),
    (21, 21, 21, 41): ((1, 4, 7, 9), (2, 4, 6, 9), (3, 3, 5, 10), (8, 10, 11, 12)),
}
"""By their sums, the four chips that each seat is dealt and ends with."""


def scored(hands: Sequence[Chips], **options: Any) -> MatchTable:
    """A round in which the last seat wins every trick against the lowest chips of the others,
    and each takes back the chip it has played."""
    table = dealt(hands, **options)
    own: dict[int, int] = {}
    while not any(isinstance(event, RoundScored) for event in table.events):
        state, (seat,) = table.match.game, table.match.awaiting.seats
        if state.phase == "play":
            own[seat] = state.hands[seat][0] if seat == len(hands) - 1 else min(state.hands[seat])
            table.accepted(seat, Play(own[seat]))
        else:
            table.accepted(seat, Take(own[seat]))
    return table


def dealt(hands: Sequence[Chips], **options: Any) -> MatchTable:
    """A match whose first trick begins with these hands."""
    table = seated(GAME, len(hands), Options(deal="random", **options)).when(Start())
    assert table.draw is not None
    (part,) = table.draw.parts
    assert isinstance(part, Shuffle)
    rest = list(map(int, part.items))
    for chip in chain(*hands):
        rest.remove(chip)
    return table.when(EnterDraw(table.draw.id, ((*chain(*hands), *rest),)))


FOLLOWED: tuple[dict[str, Any], ...] = (
    {"tokens_to_win": 1},
    *({"tokens_to_win": 2, "round_starter": starter} for starter in get_args(RoundStarter)),
)
"""Options under which a round is the last, or is followed by each of the possible others."""


@cache
def at_the_edge() -> list[Described]:
    """Each of the rounds with either way to count, as the last one and before every other."""
    matches = []
    for hands, over_21, chosen in product(ROUNDS.values(), get_args(Over21), FOLLOWED):
        options = {"over_21": over_21, "first_starter": 1, "turn_seconds": 5, **chosen}
        played = scored(hands, **options)
        matches.append(described(GAME, f"{hands} {options}", played.records, tries=1))
    return matches


def test_rule_7_sums_at_the_edge_are_judged_alike() -> None:
    for sums, hands in ROUNDS.items():
        (end,) = (event for event in scored(hands).events if isinstance(event, RoundScored))
        assert end.sums == sums
    agreed(GAME, at_the_edge())


# Rules 3 and 4: equal chips, which only four players have.


def of_equal_chips(pair: tuple[int, int], starter: int) -> MatchTable:
    """A trick with two 10s, played by this pair, and two 9s; then the lowest are taken."""
    best = [10 if seat in pair else 9 for seat in range(4)]
    rest = list(SIXTEEN)
    for chip in best:
        rest.remove(chip)
    hands = [(chip, *rest[3 * seat : 3 * seat + 3]) for seat, chip in enumerate(best)]
    table = dealt(hands, first_starter=starter, hand_colours_public=True)
    for _ in range(4):
        (seat,) = table.match.awaiting.seats
        table.accepted(seat, Play(best[seat]))
    for _ in range(4):
        (seat,) = table.match.awaiting.seats
        table.accepted(seat, Take(takeable(table.match.game.centre)[0]))
    return table


@cache
def equals() -> list[Described]:
    pairs = product(combinations(range(4), 2), range(4))
    return [
        described(GAME, f"{pair} {first}", of_equal_chips(pair, first).records)
        for pair, first in pairs
    ]


def test_rules_3_and_4_equal_chips_are_judged_alike() -> None:
    winners = [
        event.seat for event in of_equal_chips((0, 3), 2).events if isinstance(event, TrickWon)
    ]
    assert winners == [3]
    agreed(GAME, equals())


# Faults that these matches must find.

FAULTS: dict[str, tuple[str, str]] = {
    "colours": ("chip >= 4 && chip <= 9", "chip >= 4 && chip <= 8"),
    "sixteen chips": ("[1, 2, 3, 3, 4, 4,", "[1, 2, 3, 4, 4, 3,"),
    "two and two": ("=== 'two_two'", "!== 'random '"),
    "order of fields": ("chip-played.1', seat, chip", "chip-played.1', chip, seat"),
    "shares": ("pile.slice(seat * share, (seat + 1) * share)", "pile.slice(seat, seat + share)"),
    "nothing set aside": ("aside.length > 0 ?", "aside.length >= 0 ?"),
    "backs": ("? 'red' : 'blue')).sort()", "? 'red' : 'blue')).sort().reverse()"),
    "backs of all": ("hand_colours_public ?", "hand_colours_public || true ?"),
    "equal chips": ("one.chip > best.chip", "one.chip >= best.chip"),
    "red first": ("chips.some(isRed) ?", "chips.every(isRed) ?"),
    "exactly 21": ("total <= LIMIT)", "total < LIMIT)"),
    "all over": ("within.length > 0 ?", "true ?"),
    "half of an odd sum": ("total > LIMIT ? total :", "total > LIMIT ? total - (total % 2) :"),
    "21 halved": ("(total > LIMIT ?", "(total >= LIMIT ?"),
    "bust": ("over_21 === 'halve'", "over_21 === 'bust'"),
    "rotate": ("return clockwise(state, state.roundStarter)", "return state.roundStarter"),
    "round winner": ("return winners[0]", "return winners.at(-1)"),
    "last trick winner": ("default: return state.winner", "default: return state.roundStarter"),
    "first starter": ("roundBegan(1, options.first_starter)", "roundBegan(1, 0)"),
    "deadline": ("wait: { seconds }", "wait: { seconds: seconds + 1 }"),
    "no deadline": ("if (seconds === null) return null;", ""),
    "name of the turn": ("/seat${state.toAct}`", "/seat${state.roundStarter}`"),
    "audience": ("audience: 'sealed'", "audience: 'public'"),
    "misshapen actions": ("if (!understood(action))", "if (false)"),
    "game over": ("refuse('game_over')", "refuse('wrong_phase')"),
    "wrong phase": ("if (state.phase !== action.type)", "if (false)"),
    "turn": ("if (seat !== state.toAct)", "if (false)"),
    "not in hand": ("if (!state.hands[state.toAct].includes(chip))", "if (false)"),
    "not in centre": ("refuse('not_in_centre')", "refuse('red_first')"),
    "any chip": ("if (!takeable(state).includes(chip))", "if (false)"),
    "play too late": ("Math.min(...state.hands[state.toAct])", "state.hands[state.toAct][0]"),
    "take too late": ("Math.min(...takeable(state))", "Math.max(...takeable(state))"),
    "tokens": ("winners.includes(seat) ? 1 : 0", "winners[0] === seat ? 1 : 0"),
    "tokens to win": (">= state.options.tokens_to_win", "> state.options.tokens_to_win"),
    "fronts": ("[...state.fronts[seat], chip]", "[chip]"),
    "losers": ("losers = shared ? [] :", "losers = false ? [] :"),
    "shared": ("winners.length > 1;", "false;"),
    "unknown events": (": state;\n\n  /** All seats", ": { ...state };\n\n  /** All seats"),
}
"""Replaced texts and their replacements."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_script_is_found(fault: str, tmp_path: Path) -> None:
    right, wrong = FAULTS[fault]
    script = script_of(GAME.id).read_text()
    assert script.count(right) == 1
    faulty = tmp_path / "twelve_chips.js"
    faulty.write_text(script.replace(right, wrong))
    # The fastest first: mostly they are enough.
    everything = ([*from_the_past(), *equals(), *lucky(GAME.id)[:6]], at_the_edge())
    assert any(judged(GAME, matches, faulty).differences for matches in everything)
