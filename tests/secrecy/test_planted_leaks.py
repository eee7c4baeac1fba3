"""The comparison of two worlds catches leaks: each is planted in a copy of a game or of what
discloses it, and must be found. If one were not found, the comparison could not fail."""

from collections.abc import Sequence
from dataclasses import replace as declared_with
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.chance.draws import Draw
from domain.events import OWN_SEAT, PublicEvent, Record
from domain.events import Event as BaseEvent
from domain.game import Awaits, Refused
from domain.games.grouping_bw.actions import NameStarter
from domain.games.grouping_bw.options import Options as GroupingOptions
from domain.games.grouping_bw.rules import GAME as GROUPING
from domain.games.together.options import Options as TogetherOptions
from domain.games.together.rules import GAME as TOGETHER
from domain.games.twelve_chips.actions import Action, Play
from domain.games.twelve_chips.events import HandDealt
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME, State
from domain.match.deadlines import After
from domain.match.state import AnyGame
from domain.match.submissions import Invalid
from domain.menu import Menu
from projections.audience import disclosure
from projections.audience import view as audience
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.matches import list_match
from projections.audience.submissions import remember
from projections.fields import rfc3339
from tests.secrecy.planted_leaks import (
    Planted,
    assert_found,
    numbers_skip_hidden_events,
    seen_too,
    with_each_action,
)
from tests.secrecy.worlds_sealed import VIEWER, sealed_worlds
from tests.support.games.twelve_chips import other_deals
from tests.support.instants import SECOND
from tests.support.tables.directing import START
from tests.support.tables.match_table import MatchTable, seated
from tests.support.worlds import differences, once_more, received_by, world

MOST_TRIES = 60


def found(game: AnyGame) -> set[str]:
    """The differences between two worlds of the game, for any audience, over some positions; in a
    sealed phase, for seat 0 or the public."""
    rng, apart = Random(21), set[str]()
    for _ in range(MOST_TRIES if game.id == GAME.id else MOST_TRIES // 5):
        if game.id == GAME.id:
            one = world(game, Options(deal="random"), 3, rng, rng.randrange(1, 25))
            viewer = rng.choice((PUBLIC_VIEWER, *one.seats))
            pairs = [(viewer, one, once_more(one, viewer, rng, other_deals(one, viewer, rng)))]
        else:
            pair = in_a_sealed_phase(game, rng)
            pairs = [(viewer, *pair) for viewer in (PUBLIC_VIEWER, VIEWER)]
        for viewer, one, other in pairs:
            apart.update(differences(received_by(one, viewer), received_by(other, viewer)))
    return apart


def in_a_sealed_phase(game: AnyGame, rng: Random) -> tuple[MatchTable, MatchTable]:
    def begun() -> MatchTable:
        if game.id == TOGETHER.id:
            options: Any = TogetherOptions(garnets=(1,) * 5)
            return seated(game, 5, options, clock="rules").when(START)
        options = GroupingOptions(variant="final-match-2", starter_chooser=0)
        return seated(game, 2, options, clock="rules").when(START).act(0, NameStarter(0))

    return sealed_worlds(begun, rng)


@pytest.mark.parametrize("game", [GAME, TOGETHER, GROUPING], ids=lambda game: str(game.id))
def test_without_a_leak_nothing_is_found(game: AnyGame) -> None:
    assert found(game) == set()


# Leaks in a copy of the game.


class HandShown(PublicEvent, frozen=True, tag="twelve-chips.hand-shown.1"):
    """A hand with the wrong audience."""

    seat: int
    chips: tuple[int, ...]


def hands_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    def settle(state: State, draw: Draw, outcome: Any) -> Sequence[Any]:
        events = GAME.settle(state, draw, outcome)
        return [*events, *(HandShown(e.seat, e.chips) for e in events if isinstance(e, HandDealt))]

    return declared_with(GAME, settle=settle, Event=GAME.Event | HandShown)


def the_menu_knows_other_hands(patch: pytest.MonkeyPatch) -> AnyGame:
    """A seat's menu has its entry twice while its neighbour holds the 12."""

    def legal(state: State, seat: int) -> Menu:
        menu = GAME.legal(state, seat)
        holds = 12 in state.hands[(seat + 1) % state.seats]
        return (*menu, *menu) if holds else menu

    return declared_with(GAME, legal=legal)


def a_code_knows_other_hands(patch: pytest.MonkeyPatch) -> AnyGame:
    """The refusal of a chip that the seat does not have reveals whether its neighbour has it."""

    def decide(state: State, seat: int, action: Action) -> Sequence[Any]:
        try:
            return GAME.decide(state, seat, action)
        except Refused:
            theirs = state.hands[(seat + 1) % state.seats]
            if isinstance(action, Play) and action.chip in theirs:
                raise Refused("held_by_another") from None
            raise

    return declared_with(GAME, decide=decide)


def who_waits_depends_on_hands(patch: pytest.MonkeyPatch) -> AnyGame:
    """A seat that holds the 12 is awaited next to the one that is to act."""

    def awaits(state: State) -> Awaits:
        awaited = GAME.awaits(state)
        holders = tuple(seat for seat, hand in enumerate(state.hands) if 12 in hand)
        return replace(awaited, seats=awaited.seats + holders) if awaited.seats else awaited

    return declared_with(GAME, awaits=awaits)


# Leaks in what discloses it.


def a_seat_sees_what_its_neighbour_sees(patch: pytest.MonkeyPatch) -> AnyGame:
    honest = disclosure.may_see

    def neighbours(viewer: Viewer, event: BaseEvent) -> bool:
        neighbour = viewer + 1 if isinstance(viewer, int) else viewer
        return event.audience == OWN_SEAT and honest(neighbour, event)

    seen_too(patch, neighbours)
    return GAME


def hidden_events_are_counted(patch: pytest.MonkeyPatch) -> AnyGame:
    numbers_skip_hidden_events(patch)
    return GAME


# Leaks of a sealed phase: whether, when, how often and how well others have submitted.


def submitters(state: Any) -> tuple[int, ...]:
    """The seats whose last valid submission counts, in either game."""
    sealed = state.submissions if hasattr(state, "submissions") else state.standing
    return tuple(seat for seat, said in enumerate(sealed.standing) if said is not None)


def a_submission_moves_the_deadline(patch: pytest.MonkeyPatch) -> AnyGame:
    """Each valid submission is a reason to wait for the others a minute more."""

    def awaits(state: Any) -> Awaits:
        awaited, count = TOGETHER.awaits(state), len(submitters(state))
        if awaited.deadline is None or not count:
            return awaited
        return replace(
            awaited, deadline=replace(awaited.deadline, id=f"more{count}", wait=After(60))
        )

    return declared_with(TOGETHER, awaits=awaits)


class SubmissionNoted(PublicEvent, frozen=True, tag="together.submission-noted.1"):
    """Announces in public that someone has submitted; not who, not what."""


def that_somebody_submitted_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    return with_each_action(TOGETHER, SubmissionNoted)


def the_menu_counts_submissions(patch: pytest.MonkeyPatch) -> AnyGame:
    def legal(state: Any, seat: int) -> Menu:
        others = [other for other in submitters(state) if other != seat]
        return GROUPING.legal(state, seat) * (2 if others else 1)

    return declared_with(GROUPING, legal=legal)


def a_code_knows_who_is_in(patch: pytest.MonkeyPatch) -> AnyGame:
    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return GROUPING.decide(state, seat, action)
        except Invalid:
            if [other for other in submitters(state) if other != seat]:
                raise Invalid("hurry_up") from None
            raise

    return declared_with(GROUPING, decide=decide)


def refused_instead_of_invalid_once_another_is_in(patch: pytest.MonkeyPatch) -> AnyGame:
    """The same code, but another status: what the seat has on record differs."""

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        try:
            return TOGETHER.decide(state, seat, action)
        except Invalid as invalid:
            if [other for other in submitters(state) if other != seat]:
                raise Refused(invalid.code) from None
            raise

    return declared_with(TOGETHER, decide=decide)


def every_instant_is_given_once(patch: pytest.MonkeyPatch) -> AnyGame:
    """Of a coarse clock: what comes in the same minute is a microsecond later each time."""
    honest = MatchTable.when

    def when(table: MatchTable, command: Any, at: int | None = None) -> MatchTable:
        return honest(table, command, max(table.at + 1, (at or 0) // (60 * SECOND) * (60 * SECOND)))

    patch.setattr(MatchTable, "when", when)
    return TOGETHER


def a_view_counts_hidden_events(patch: pytest.MonkeyPatch) -> AnyGame:
    """The number of a view is that of the record."""
    honest = audience.see_all

    def see_all(seen: audience.AudienceState, records: Any) -> audience.AudienceState:
        all_ = tuple(records)
        after = honest(seen, all_)
        return replace(after, seq=seen.seq + len(all_))

    patch.setattr(audience, "see_all", see_all)
    return GROUPING


def the_list_shows_when_something_last_happened(patch: pytest.MonkeyPatch) -> AnyGame:

    def moved(match: str, row: Any, record: Record[BaseEvent]) -> Any:
        after = list_match(match, row, record)
        return None if after is None else replace(after, started=rfc3339(record.at))

    patch.setattr("tests.support.worlds.list_match", moved)
    return GROUPING


def keys_are_shared_by_all_seats(patch: pytest.MonkeyPatch) -> AnyGame:
    """A key used by another seat is known already."""

    def shared(answers: Any, records: Any, position: int = 0) -> None:
        every: Any = {}
        remember(every, records, position)
        for (_, key), known in sorted(every.items(), key=lambda item: item[1].position):
            answers.setdefault((VIEWER, key), known)

    patch.setattr("tests.support.worlds.remember", shared)
    return TOGETHER


LEAKS: list[tuple[Planted, str]] = [
    (hands_are_public, "lines"),
    (the_menu_knows_other_hands, "menu"),
    (a_code_knows_other_hands, "codes"),
    (who_waits_depends_on_hands, "views"),
    (a_seat_sees_what_its_neighbour_sees, "lines"),
    (hidden_events_are_counted, "lines"),
    (a_submission_moves_the_deadline, "views"),
    (that_somebody_submitted_is_public, "lines"),
    (the_menu_counts_submissions, "menu"),
    (a_code_knows_who_is_in, "codes"),
    (refused_instead_of_invalid_once_another_is_in, "lines"),
    (every_instant_is_given_once, "lines"),
    (a_view_counts_hidden_events, "views"),
    (the_list_shows_when_something_last_happened, "row"),
    (keys_are_shared_by_all_seats, "answers"),
]
"""Of each part of what an audience receives, and of each way in which it depends on others."""


@pytest.mark.parametrize(
    ("plant", "where"), LEAKS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_leak_is_found(
    plant: Planted, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_found(plant, where, found, monkeypatch)
