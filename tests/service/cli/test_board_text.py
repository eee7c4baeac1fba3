"""Boards on a screen: in any width, with marks on what has changed."""

import pytest
from rich.text import Text

from domain.replay import replayed
from domain.seat_holders import holders
from projections.audience import View
from service.cli.replay_sources import recorded_match
from service.cli.screens.board_text import MARK, board_lines, marked, unmarked
from tests.recorded.files import outcome, records

RECORDED = [f"{game}.manual" for game in ("dollar-prize", "grouping-bw", "liars-dice", "together",
                                          "twelve-chips")]  # fmt: skip


def position(name: str, reader: str, at: int | None) -> View:
    return recorded_match(outcome(name).match, records(name)).view(reader, at)


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("columns", [39, 78, 200])
def test_no_name_is_lost_in_any_width(name: str, columns: int) -> None:
    _, match = replayed(outcome(name).match, records(name))
    drawn = "\n".join(line.plain for line in board_lines(position(name, "seat:0", None), columns))
    assert all(seat in drawn for seat in holders(match))


def test_a_match_that_has_not_started_has_no_board() -> None:
    (line,) = board_lines(position(RECORDED[0], "public", 1), 78)
    assert line.plain == "Not started yet."


def test_what_is_new_is_marked_and_the_rest_is_not() -> None:
    before = [Text("same"), Text("Ann has 3 coins"), Text("gone")]
    after = [Text("same"), Text("Ann has 4 coins"), Text("new")]
    shown = marked(before, after)
    assert shown.plain == " same\n▌Ann has 4 coins\n▌new"
    spans = [shown.plain[one.start : one.end] for one in shown.spans if one.style == MARK]
    assert spans == ["4", "new"]
    assert unmarked(after).plain == " same\n Ann has 4 coins\n new"


def test_a_game_and_texts_of_another_release_are_shown_as_they_print() -> None:
    shown = View(
        "m", "chess\x1b", ("A\x1b[2J", "Ben"), "public", 3, 3, "running",
        position(RECORDED[0], "public", 5).awaiting, {"move": "e4\x07", "to_act": 1}, None,
    )  # fmt: skip
    drawn = "\n".join(line.plain for line in board_lines(shown, 78))
    assert "chess\\x1b" in drawn and "A\\x1b[2J" in drawn and "e4\\x07" in drawn
    assert "\x1b" not in drawn
