"""Liar's Dice in JavaScript gives the same results as the Python rules: random matches contain
everything that can happen, and find every planted fault."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from domain.events import stored_name
from domain.games import GAMES
from tests.support.web.javascript_rules import codes, judged, kinds, lucky
from tests.support.web.verifier_pages import script_of

GAME = GAMES["liars-dice"]


def test_every_event_every_refusal_and_every_option_is_among_them() -> None:
    """Otherwise a difference could hide where no match has been."""
    matches = lucky(GAME.id)
    assert kinds(matches) == {stored_name(kind) for kind in get_args(GAME.Event)}
    assert codes(matches) == set(GAME.codes) - {"options_not_allowed"}
    assert {match.seats for match in matches} == set(GAME.seats)
    played = [match.options for match in matches]
    assert {options["dice"] for options in played} == set(range(1, 7))
    for name in ("wild_ones", "exact_call"):
        assert {options[name] for options in played} == {True, False}
    assert {options["turn_seconds"] is None for options in played} == {True, False}
    assert {options["first_player"] for options in played} >= {0, 1, 2}


def test_every_end_of_a_round_is_among_them() -> None:
    """Rules 4 and 5: a challenge that is right and one that is wrong, an exact call that is wrong,
    and one that is right, with a die to gain or without."""
    ends = {
        (
            shown["call"],
            shown["lost"] == shown["by"],
            shown["lost"] is None,
            shown["gained"] is None,
        )
        for match in lucky(GAME.id)
        for step in match.steps
        for event in msgspec.json.decode(step.answer).get("events", ())
        if (shown := event.get("shown")) is not None
    }
    assert ends == {
        ("challenge", True, False, True),
        ("challenge", False, False, True),
        ("exact", True, False, True),
        ("exact", False, True, True),
        ("exact", False, True, False),
    }


FAULTS: dict[str, tuple[str, str]] = {
    "sides": ("const SIDES = 6;", "const SIDES = 5;"),
    "dice": ("fill(chosen.dice)", "fill(5)"),
    "first player": ("turn: chosen.first_player,", "turn: 0,"),
    "who rolls": ("dice > 0 && hands[at] === null", "hands[at] === null"),
    "name of the roll": ("`round${round}/roll/${seat}`", "`round${round}/roll`"),
    "labels": ("`die ${die + 1}`", "`die ${die}`"),
    "audience": ("audience: 'sealed'", "audience: 'public'"),
    "order of fields": ("bid: { seat: state.turn, count, face }", "bid: { count, face, seat: 0 }"),
    "unsorted dice": ("[...outcome].sort((one, other) => one - other)", "outcome"),
    "name of the turn": ("turn${bids + 1}", "turn${bids}"),
    "no deadline": ("(seconds === null ? null :", "(true ? null :"),
    "wait": ("wait: { seconds }", "wait: { seconds: seconds + 1 }"),
    "next seat": ("withDice(state.left, bid.seat + 1)", "bid.seat"),
    "seats that are out": ("order.find((seat) => left[seat] > 0)", "order[0]"),
    "misshapen actions": ("if (!isUnderstood(action))", "if (false)"),
    "faces": ("value >= 1 && value <= SIDES", "value >= 0 && value <= SIDES"),
    "game over": ("refuse('game_over')", "refuse('wrong_phase')"),
    "wrong phase": ("if (roller(state) >= 0)", "if (false)"),
    "turn": ("if (seat !== state.turn)", "if (false)"),
    "too many dice": ("if (count > inPlay(state))", "if (count >= inPlay(state))"),
    "first bid": ("? count > 0", "? true"),
    "as many": (
        "count === bid.count && face > bid.face",
        "count === bid.count && face >= bid.face",
    ),
    "more of a lower face": ("count > bid.count ||", "(count > bid.count && face >= bid.face) ||"),
    "no bid yet": ("refuse('no_bid_yet')", "refuse('not_higher')"),
    "exact allowed": ("call === 'exact' && !state.options.exact_call", "false"),
    "wild ones": ("(wild && die === 1)", "die === 1"),
    "tame ones": ("(wild && die === 1)", "false"),
    "at least as many": ("matching >= bid.count ?", "matching > bid.count ?"),
    "who loses": ("? turn : bid.seat,", "? bid.seat : turn,"),
    "exactly as many": ("matching !== bid.count", "matching < bid.count"),
    "up to all dice": ("left[turn] < dice ? turn : null", "turn"),
    "who begins": ("withDice(left, lost ?? by)", "withDice(left, by)"),
    "the last with dice": (".length === 1;", ".length === 0;"),
    "lowest bid": ("? [count, face + 1]", "? [count + 1, 1]"),
    "no bid is higher": ("more > inPlay(state) ?", "more >= inPlay(state) ?"),
    "round": ("round: state.round + 1", "round: state.round"),
    "scores": ("scores: left", "scores: left.map(() => 0)"),
    "losers": ("(seat) => seat !== winner", "(seat) => left[seat] === 1"),
    "unknown events": ("(state, event) ?? state;", "(state, event) ?? { ...state };"),
}
"""Replaced texts and their replacements."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_script_is_found(fault: str, tmp_path: Path) -> None:
    right, wrong = FAULTS[fault]
    script = script_of(GAME.id).read_text()
    assert script.count(right) == 1
    faulty = tmp_path / "liars_dice.js"
    faulty.write_text(script.replace(right, wrong))
    # A few matches first: mostly they are enough.
    every = lucky(GAME.id)
    assert any(judged(GAME, some, faulty).differences for some in (every[:6], every))
