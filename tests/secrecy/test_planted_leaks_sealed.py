"""Leaks of sealed phases, each planted in a copy of a game, are found.

The worlds differ in what the other seats submit: whether, when, how often, how well.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace as game_with
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.events import PublicEvent
from domain.game import Awaits, Refused
from domain.games.grouping_bw.rules import GAME as GROUPING
from domain.games.together.rules import GAME as TOGETHER
from domain.match.deadlines import After
from domain.match.state import AnyGame
from domain.match.submissions import Invalid
from domain.menu import NOTHING, Menu
from tests.support.planted_leaks import (
    Planted,
    assert_found,
    with_each_action,
)
from tests.support.sealed_leaks import MOST_TRIES, found, made


@pytest.mark.parametrize("game", [TOGETHER, GROUPING], ids=lambda game: str(game.id))
def test_without_a_leak_nothing_is_found(game: AnyGame) -> None:
    assert found(game) == set()


@pytest.mark.parametrize("game", [TOGETHER, GROUPING], ids=lambda game: str(game.id))
def test_the_worlds_are_mostly_different_ones(game: AnyGame) -> None:
    rng = Random(5)
    pairs = [made(game, rng) for _ in range(MOST_TRIES)]
    assert sum(one.records != other.records for one, other in pairs) > MOST_TRIES // 2
    assert {table.match.awaiting.phase for pair in pairs for table in pair} in (
        {"round1"},
        {"set1/grouping"},
    )


def submitters(state: Any) -> tuple[int, ...]:
    """The seats whose last valid submission counts, in either game."""
    sealed = state.submissions if hasattr(state, "submissions") else state.standing
    return tuple(seat for seat, said in enumerate(sealed.standing) if said is not None)


def both(leak: Callable[[AnyGame], AnyGame]) -> list[Planted]:
    """The same leak in each of the games."""

    def planted(game: AnyGame) -> Planted:
        def plant(patch: pytest.MonkeyPatch) -> AnyGame:
            return leak(game)

        plant.__name__ = f"{leak.__name__}-{game.id}"
        return plant

    return [planted(game) for game in (TOGETHER, GROUPING)]


# Leaks in the awaited seats and draws.


def who_has_submitted_is_not_awaited(game: AnyGame) -> AnyGame:
    def awaits(state: Any) -> Awaits:
        awaited = game.awaits(state)
        missing = tuple(seat for seat in awaited.seats if seat not in submitters(state))
        return replace(awaited, seats=missing) if awaited.seats else awaited

    return game_with(game, awaits=awaits)


def a_submission_moves_the_deadline(game: AnyGame) -> AnyGame:
    """Each valid submission is a reason to wait for the others a minute more."""

    def awaits(state: Any) -> Awaits:
        awaited, count = game.awaits(state), len(submitters(state))
        if awaited.deadline is None or not count:
            return awaited
        return replace(
            awaited, deadline=replace(awaited.deadline, id=f"more{count}", wait=After(60))
        )

    return game_with(game, awaits=awaits)


class SubmissionNoted(PublicEvent, frozen=True, tag="together.submission-noted.1"):
    """Announces in public that someone has submitted; not who, not what."""


def that_somebody_submitted_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    return with_each_action(TOGETHER, SubmissionNoted)


# Leaks in menus and codes.


def the_menu_counts_submissions(game: AnyGame) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        others = [other for other in submitters(state) if other != seat]
        return game.legal(state, seat) * (2 if others else 1)

    return game_with(game, legal=legal)


def the_menu_is_empty_once_another_is_in(game: AnyGame) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        others = [other for other in submitters(state) if other != seat]
        return NOTHING if others else game.legal(state, seat)

    return game_with(game, legal=legal)


def a_code_knows_who_is_in(game: AnyGame) -> AnyGame:
    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return game.decide(state, seat, action)
        except Invalid:
            if [other for other in submitters(state) if other != seat]:
                raise Invalid("hurry_up") from None
            raise

    return game_with(game, decide=decide)


def an_example_is_what_another_submitted(patch: pytest.MonkeyPatch) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        menu = TOGETHER.legal(state, seat)
        stands = state.submissions.standing[(seat + 1) % len(state.tokens)]
        if not menu or stands is None or menu[0].type != "submit":
            return menu
        theirs = {"a": None, "b": stands.b, "round": state.round}
        return (replace(menu[0], examples=(*menu[0].examples, theirs)),)

    return game_with(TOGETHER, legal=legal)


def refused_instead_of_invalid_once_another_is_in(patch: pytest.MonkeyPatch) -> AnyGame:
    """The same code, but another status: what the seat has on record differs."""

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return TOGETHER.decide(state, seat, action)
        except Invalid as invalid:
            if [other for other in submitters(state) if other != seat]:
                raise Refused(invalid.code) from None
            raise

    return game_with(TOGETHER, decide=decide)


LEAKS: list[tuple[Planted, str]] = [
    *((plant, "views") for plant in both(who_has_submitted_is_not_awaited)),
    *((plant, "views") for plant in both(a_submission_moves_the_deadline)),
    (that_somebody_submitted_is_public, "lines"),
    *((plant, "menu") for plant in both(the_menu_counts_submissions)),
    *((plant, "menu") for plant in both(the_menu_is_empty_once_another_is_in)),
    *((plant, "codes") for plant in both(a_code_knows_who_is_in)),
    (an_example_is_what_another_submitted, "menu"),
    (refused_instead_of_invalid_once_another_is_in, "lines"),
]


@pytest.mark.parametrize(
    ("plant", "where"), LEAKS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_leak_is_found(
    plant: Planted, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_found(plant, where, found, monkeypatch)
