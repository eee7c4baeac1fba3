"""The board in the terminal: any game, in any width, in the words of the pages."""

from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import islice
from typing import Any

import msgspec
import pytest
from rich.console import Console

from domain.games import GAMES
from domain.match.events import MatchCreated
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.view import AudienceState, Awaiting, View, see_all, view
from service.cli.auditing.recorded_match import RecordedMatch
from service.cli.playing.plain_board import LATEST, WORDS, position
from service.cli.playing.replay import Replayed
from tests.recorded.files import outcome, records
from tests.support.tables.random_walk import walk

RECORDED = [f"{game}.manual" for game in GAMES]


def recorded(name: str, viewer: Viewer, at: int | None = None) -> View:
    played = records(name)
    created = played[0].event
    assert isinstance(created, MatchCreated)
    return Replayed(RecordedMatch(outcome(name).match, created, played), viewer).view(at)


def printed(shown: View, columns: int = 80) -> str:
    file = StringIO()
    Console(file=file, width=columns, color_system=None).print(position(shown))
    return file.getvalue()


def viewed(board: Any, names: Sequence[str] = ("A[b]", "Ben"), **more: Any) -> View:
    fields = {"game": "liars-dice", "status": "running", "awaiting": Awaiting((1,)), **more}
    return View("m", fields["game"], tuple(names), "public", 3, 3, fields["status"],
                fields["awaiting"], board, None)  # fmt: skip


def rows(board: Mapping[str, Any], names: Sequence[str] = ("A[b]", "Ben")) -> dict[str, str]:
    """What stands next to each field; lines are joined by a bar."""
    found: dict[str, str] = {}
    field = ""
    for line in printed(viewed(board, names)).splitlines():
        if line.startswith("│"):
            title, _, said = line.strip("│").strip().partition("  ")
            if line[2] != " ":
                field = title
                found[field] = said.strip()
            else:
                found[field] += f" | {line.strip('│').strip()}"
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_view_of_every_audience_is_drawn_in_80_columns(name: str) -> None:
    game = GAMES[name]
    for table in islice(walk(name, game.seats[0]), 60):
        for viewer in ("public", "moderator", *table.seats):
            shown = view("m", name, see_all(AudienceState(viewer), table.records))
            drawn = printed(shown)
            assert max(map(len, drawn.splitlines())) <= 80
            if shown.view is not None:
                assert game.title in drawn and shown.seats[0] in drawn
                for field in msgspec.to_builtins(shown.view):
                    assert WORDS.words(field) in drawn


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("columns", [39, 80, 200])
def test_no_name_is_lost_in_any_width(name: str, columns: int) -> None:
    shown = recorded(name, 0)
    drawn = printed(shown, columns)
    assert shown.seats and all(seat in drawn for seat in shown.seats)


def test_fields_and_values_are_said_as_on_the_pages() -> None:
    said = rows(
        {
            "to_act": 1,
            "over": False,
            "bid": {"seat": 0, "count": 3},
            "bids": [{"seat": 0, "faces": [1, 2]}, {"seat": 1, "faces": []}],
            "dice_left": [5, 4],
            "last_round": None,
            "hands": [],
            "fronts": [[1, 2], []],
            "recipe": "two_nickels",
            "stage": ["on_stage", None],
        }
    )
    assert said == {
        "seats": "0 A[b], 1 Ben",
        "to act": "1",
        "over": "no",
        "bid": "seat 0, count 3",
        "bids": "0: seat 0, faces (1, 2) | 1: seat 1, faces none",
        "dice left": "5, 4",
        "last round": "none",
        "hands": "none",
        "in front": "0: 1, 2 | 1: none",
        "recipe": "two nickels",
        "stage": "on stage, none",
    }


def test_of_a_long_list_the_latest_entries_are_shown() -> None:
    rounds = [{"round": number} for number in range(LATEST + 4)]
    latest = " | ".join(f"{number}: round {number}" for number in range(4, LATEST + 4))
    assert rows({"history": rounds})["history"] == f"… | {latest}"
    names = [f"Player {number}" for number in range(LATEST + 4)]
    assert "…" not in rows({"history": rounds}, names)["history"], "there may be one for each seat"


def test_below_the_board_stands_whom_the_match_waits_for() -> None:
    until = Awaiting((0,), deadline="2026-11-23T07:00:00Z")
    drawn = printed(viewed({"round": 1}, ("Ann", "Ben"), awaiting=until))
    assert drawn.splitlines()[-1] == "Waiting for Ann. Until 2026-11-23T07:00:00Z."


def test_a_match_that_has_not_started_has_no_board() -> None:
    shown = recorded(RECORDED[0], PUBLIC_VIEWER, 1)
    assert printed(shown) == "Not started yet.\n"


def test_a_game_and_texts_of_another_release_are_shown_as_they_print() -> None:
    board = {"move": "e4\x07", "\x1bto": 1}
    drawn = printed(viewed(board, ("A\x1b[2J", "Ben"), game="chess\x1b"))
    assert "chess\\x1b" in drawn and "A\\x1b[2J" in drawn and "e4\\x07" in drawn
    assert "\\x1bto" in drawn and "\x1b" not in drawn
