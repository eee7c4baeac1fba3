"""Random matches: the same seed gives the same match, and faults of a game are found."""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs

from domain.game import Game, Refused
from domain.games import GAMES
from domain.tournament.competition import Competition
from domain.tournament.formats import FORMATS
from domain.tournament.stage_commands import AddStage
from domain.tournament.stages import Stage, StageMatch
from projections.tournaments.stage_standings import show_standings
from service.cli import main
from service.cli.simulating import tournament_checks, tournament_incidents
from service.cli.simulating.simulated_tournament import SimulatedTournament, simulate_one
from service.cli.simulating.simulation import Simulated, simulate, spoil


class InThisProcess(Executor):
    """Does each piece of work at once, where it is submitted. Processes of a pool ignore
    interrupts; afterwards this one does not."""

    def __init__(
        self,
        *_: object,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        self._interrupted = signal.getsignal(signal.SIGINT)
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result of the call, which is finished."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it belongs to who asks for the result
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing is under way."""
        signal.signal(signal.SIGINT, self._interrupted)


TWELVE_CHIPS = GAMES["twelve-chips"]
EVERY_GAME = pytest.mark.parametrize("name", GAMES)


def played(game: Game[Any, Any, Any, Any], number: int = 0) -> Simulated:
    return simulate(game, game.seats[0], {}, "tests", number)


@EVERY_GAME
def test_matches_of_every_game_end_and_hold(name: str) -> None:
    for number in range(5):
        game = GAMES[name]
        seats = game.seats[number % min(len(game.seats), 5)]
        match = simulate(game, seats, {}, "tests", number)
        assert match.broken == ()
        assert match.result is not None


@pytest.mark.parametrize("seats", TWELVE_CHIPS.seats)
def test_matches_in_which_seats_enter_their_hands_end_and_hold(seats: int) -> None:
    for number in range(5):
        match = simulate(TWELVE_CHIPS, seats, {"hands": "entered"}, "tests", number)
        assert match.broken == ()
        assert match.result is not None


@EVERY_GAME
def test_the_same_seed_gives_the_same_match(name: str) -> None:
    assert played(GAMES[name], 3) == played(GAMES[name], 3)
    assert played(GAMES[name], 3) != played(GAMES[name], 4)


def test_refused_actions_are_among_the_inputs() -> None:
    codes = {code for n in range(20) for code in played(GAMES["twelve-chips"], n).refused}
    assert {"not_your_turn", "wrong_phase"} <= codes


@pytest.mark.parametrize(
    ("value", "others"),
    [
        (False, {"True"}),
        (True, {"False"}),
        (5, {"4", "6", "45"}),
        ([1, 2, 3], {"[2, 3]", "[2, 3, 3]", "[2, 3, 3, 3]"}),
        ([], {"[]"}),
        ("red", {"'red'"}),
    ],
)
def test_a_field_is_changed_a_little_and_keeps_its_type(value: Any, others: set[str]) -> None:
    tried = [spoil({"type": "bid", "field": value}, Random(n)) for n in range(50)]
    assert {repr(action_fields["field"]) for action_fields in tried} == others


# Faults of a game are found.


def test_an_invariant_that_does_not_hold_is_named() -> None:
    lopsided = replace(TWELVE_CHIPS, invariants={"trick one": lambda state: state.trick == 1})
    assert any(what.startswith("trick one, after") for what in played(lopsided).broken)


def test_an_exception_is_named() -> None:
    def fails(*_: object) -> Sequence[Any]:
        raise ZeroDivisionError("no such chip")

    assert played(replace(TWELVE_CHIPS, decide=fails)).broken == (
        "ZeroDivisionError: no such chip",
    )


def test_rules_with_memory_outside_the_state_are_found() -> None:
    """A rule with a hidden memory gives another reason the second time."""
    refused: list[int] = []

    def moody(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return TWELVE_CHIPS.decide(state, seat, action)
        except Refused as reason:
            refused.append(seat)
            raise Refused("game_over" if len(refused) == 1 else reason.code) from None

    broken = played(replace(TWELVE_CHIPS, decide=moody)).broken
    (found,) = broken
    assert found.startswith("judged again, the inputs give another record: event ")


def test_a_match_that_does_not_end_is_left_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.cli.simulating.simulation.MOST_INPUTS", 200)
    match = simulate(TWELVE_CHIPS, 4, {"tokens_to_win": 100}, "tests", 0)
    assert (match.result, match.broken) == (None, ())
    assert 200 < match.inputs < 205


# The command.


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["simulate", *arguments], catch_exceptions=False)


def test_what_was_played_is_shown() -> None:
    shown = run("twelve-chips", "--matches", "45", "--seed", "9")
    assert shown.exit_code == 0
    assert "Broken invariants: none" in shown.output
    assert "twelve-chips, 45 matches, seed 9: " in shown.output


def test_what_is_broken_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.cli.simulating.simulate.ProcessPoolExecutor", InThisProcess)
    lopsided = replace(TWELVE_CHIPS, invariants={"trick one": lambda state: state.trick == 1})
    monkeypatch.setattr("service.cli.simulating.simulate.GAMES", {"twelve-chips": lopsided})
    shown = run("twelve-chips", "--matches", "3")
    assert shown.exit_code == 1
    assert "Broken invariants: " in shown.output
    assert "match 0, 2 seats: trick one, after" in shown.output


def test_without_a_game_every_variant_of_every_game_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.cli.simulating.simulate.ProcessPoolExecutor", InThisProcess)
    two = {name: GAMES[name] for name in ("grouping-bw", "liars-dice")}
    monkeypatch.setattr("service.cli.simulating.simulate.GAMES", two)
    shown = run("--matches", "2")
    assert shown.exit_code == 0, shown.output
    assert shown.output.count("Broken invariants: none") == 4
    assert 'grouping-bw {"variant":"final-match-2"}, 2 matches' in shown.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["no-such-game"], "no-such-game"), (["dollar-prize", "--matches", "0"], "--matches")],
)
def test_invalid_arguments_get_an_error_message(arguments: list[str], said: str) -> None:
    shown = run(*arguments)
    assert shown.exit_code == 2
    assert said in shown.output


# Tournaments.


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


def test_the_matches_of_a_round_that_is_withdrawn_are_void(monkeypatch: pytest.MonkeyPatch) -> None:
    cup = SimulatedTournament(Random("tests"), 4)
    cup.do(AddStage(Stage("S", "swiss", StageMatch("dollar-prize"))))
    cup.publish(1)
    cup.create()

    def withdrawing(ways: Any) -> Any:
        return next(way for way in ways if way.__name__ == "_withdraw_round")

    monkeypatch.setattr(tournament_incidents, "HAPPENS", 1)
    monkeypatch.setattr(cup.rng, "choice", withdrawing)
    cup.meanwhile(1)
    (withdrawn,) = cup.state.competition.stages[0].rounds
    matches = [cup.state.matches[match] for one in withdrawn.tables for match in one.matches]
    assert withdrawn.status == "withdrawn" and len(matches) == 2
    assert all(match.settled and match.result is None for match in matches)


def test_a_draft_that_is_computed_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time a draft of the same history has its tables in another order."""
    form, seen = FORMATS["shootout"], set[str]()

    def moody(history: Any) -> Any:
        draft = form.draft(history)
        known = repr(history) in seen
        seen.add(repr(history))
        return structs.replace(draft, pairings=draft.pairings[::-1]) if known else draft

    monkeypatch.setitem(FORMATS, "shootout", replace(form, draft=moody))
    broken = [what for n in range(3) for what in simulate_one("tests", n, 12, "shootout").broken]
    assert any("gives other pairings" in what for what in broken), broken


def test_the_command_shows_what_was_played() -> None:
    arguments = ["simulate-tournament", "round_robin", "--tournaments", "2", "--players", "6"]
    shown = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert shown.exit_code == 0
    assert "2 tournaments, seed 1: " in shown.output
    assert "Broken invariants: none" in shown.output
