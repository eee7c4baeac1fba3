"""What the judge of JavaScript rules must notice: faults planted in correct rules."""

from pathlib import Path
from subprocess import CalledProcessError

import pytest

from domain.games.dollar_prize.rules import GAME
from tests.support.web.javascript_rules import by_luck, from_the_record, judged
from tests.support.web.match_descriptions import Described
from tests.support.web.verifier_pages import script_of

SOUND = script_of(GAME.id).read_text()


@pytest.fixture(scope="module")
def matches() -> list[Described]:
    return [*from_the_record(GAME), *by_luck(GAME, 6)]


def spoilt(folder: Path, right: str, wrong: str) -> Path:
    """The correct rules with one fault in them."""
    assert right in SOUND
    script = folder / "spoilt.js"
    script.write_text(SOUND.replace(right, wrong, 1))
    return script


FAULTS = {
    "an event that is left out": ("[coinsFlipped(flips), ...after", "[...after", "expected"),
    "another value": ("turnBegan(1,", "turnBegan(2,", "expected"),
    "another order of fields": ("1', round, seat })", "1', seat, round })", "expected"),
    "a field too many": ("1', round, seat })", "1', round, seat, x: undefined })", "cannot be rec"),
    "a number no record holds": ("1', round, seat })", "1', round, seat: -0 })", "cannot be rec"),
    "another refusal": ("refuse('wrong_phase')", "refuse('wrong')", '"refused":"wrong"'),
    "no refusal": ("refuse('coin_too_high')", "", "coin_too_high"),
    "invalid for refused": ("throw { refused: code", "throw { invalid: code", '"invalid":'),
    "another draw": ("}/steal/${state.steal}`, parts", "}/steal`, parts", "awaits: expected"),
    "another form of a part": ("kind: 'flip', label", "label, kind: 'flip'", "awaits: expected"),
    "a draw that is hidden": ("'public' };\n    }\n", "'sealed' };\n    }\n", "setup is hidden"),
    "another deadline": ("turn: `r", "turn: `s", "awaits: expected"),
    "another wait": ("wait: { seconds }", "wait: null", "awaits: expected"),
    "another seat to act": ("[state.seat], draw", "[0], draw", "awaits: expected"),
    "another result": ("length > 1, scores", "length > 0, scores", "result: expected"),
    "an end too early": (
        "if (state.phase !== 'over') {\n      return null",
        "if (0) {",
        "result: ",
    ),
    "evolve changes a state": (
        "{ ...state, phase: 'steal', steal: number }",
        "Object.assign(state, { phase: 'steal', steal: number })",
        "TypeError",
    ),
    "decide changes a state": ("const { stolen } = state;", "state.x = 1;", "TypeError"),
    "a strange event counts": ("(state, event) : state;", "(state, event) : {};", "nobody knows"),
    "a clock": ("const open = () => [];", "const open = () => Date.now();", "Date is not defined"),
    "chance": ("const open = () => [];", "const open = () => Math.random();", "not a function"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_judge_notices(fault: str, matches: list[Described], tmp_path: Path) -> None:
    right, wrong, noticed = FAULTS[fault]
    verdict = judged(GAME, matches, spoilt(tmp_path, right, wrong))
    assert noticed in "\n".join(difference["what"] for difference in verdict.differences)


def test_other_possible_inputs_are_compared_too(tmp_path: Path) -> None:
    """Where the match itself shows no fault, another possible input may."""
    script = spoilt(tmp_path, "refuse('not_your_turn')", "")
    recorded = from_the_record(GAME)
    happened = judged(GAME, from_the_record(GAME, tries=0), script).differences
    tried = judged(GAME, recorded, script).differences
    assert any("tried" in difference["what"] for difference in tried)
    assert not any("tried" in difference["what"] for difference in happened)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("  };\n});\n", "  };\n});\nconst MORE = 1;\n"),
        ("  'use strict';\n", ""),
        ("GAMES.register(", "GAMES.of("),
        ("GAMES.register(", "const PRIZE = ("),
    ],
    ids=["more than one statement", "not strict", "another statement", "not registered"],
)
def test_a_script_is_one_strict_statement(right: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(CalledProcessError):
        judged(GAME, from_the_record(GAME), spoilt(tmp_path, right, wrong))


def test_the_correct_rules_show_no_difference(matches: list[Described]) -> None:
    verdict = judged(GAME, matches)
    assert verdict.differences == []
    assert verdict.counts.matches == len(matches)
