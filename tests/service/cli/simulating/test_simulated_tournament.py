"""Random tournaments: the same seed gives the same one, and what is broken is found."""

import dataclasses
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from domain.tournament.competition import Competition
from domain.tournament.formats import FORMATS
from projections.tournaments.stage_standings import show_standings
from service.cli import main
from service.cli.simulating import tournament_checks
from service.cli.simulating.simulated_tournament import simulate_one


@pytest.mark.parametrize("form", FORMATS)
def test_tournaments_of_every_format_end_and_hold(form: str) -> None:
    for number in range(3):
        played = simulate_one("tests", number, 12, form)
        assert played.broken == ()
        assert played.matches > 0


def test_the_same_seed_gives_the_same_tournament() -> None:
    assert simulate_one("tests", 3, 8) == simulate_one("tests", 3, 8)
    assert simulate_one("tests", 3, 8) != simulate_one("tests", 4, 8)


def test_standings_that_change_behind_a_closed_round_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if no round had been closed with results of its own."""

    def forgetful(competition: Competition, number: int, *known: Any, **more: Any) -> Any:
        return show_standings(competition, number, *known, **more | {"after": None})

    monkeypatch.setattr(tournament_checks, "show_standings", forgetful)
    broken = [what for n in range(6) for what in simulate_one("tests", n, 8, "swiss").broken]
    assert any("have changed" in what for what in broken), broken


def test_a_draft_that_is_computed_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time a draft of the same history has its tables in another order."""
    form, seen = FORMATS["shootout"], set[str]()

    def moody(history: Any) -> Any:
        draft = form.draft(history)
        known = repr(history) in seen
        seen.add(repr(history))
        return replace(draft, pairings=draft.pairings[::-1]) if known else draft

    monkeypatch.setitem(FORMATS, "shootout", dataclasses.replace(form, draft=moody))
    broken = [what for n in range(3) for what in simulate_one("tests", n, 12, "shootout").broken]
    assert any("gives other pairings" in what for what in broken), broken


def test_the_command_shows_what_was_played() -> None:
    arguments = ["simulate-tournament", "round_robin", "--tournaments", "2", "--players", "6"]
    shown = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert shown.exit_code == 0
    assert "2 tournaments, seed 1: " in shown.output
    assert "Broken invariants: none" in shown.output
