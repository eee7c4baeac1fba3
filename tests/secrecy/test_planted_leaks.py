"""The comparison of two worlds catches leaks: each is planted in a copy of a game or of what
discloses it, and must be found. If one were not found, the comparison could not fail."""

from collections.abc import Sequence
from dataclasses import replace as declared_with
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.chance.draws import Draw, orders
from domain.events import OWN_SEAT, PUBLIC, SEALED, PublicEvent
from domain.events import Event as BaseEvent
from domain.game import Awaits, Refused
from domain.games.twelve_chips.actions import Action
from domain.games.twelve_chips.chips import colours
from domain.games.twelve_chips.events import DealCompleted, HandDealt
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME, State
from domain.match.events import ActionReceived, ActionRefused, SealedDrawSettled
from domain.match.state import AnyGame
from domain.menu import Menu
from projections import boards
from projections.audience import disclosure
from projections.audience import view as audience
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.boards.twelve_chips import BOARDS, Board
from tests.support.planted_leaks import Planted, assert_found, numbers_skip_hidden_events, seen_too
from tests.support.worlds import differences, once_more, received_by, world
from tests.support.worlds_twelve_chips import other_deals

MOST_TRIES = 60


def found(game: AnyGame, options: Options, tries: int = MOST_TRIES) -> set[str]:
    """The differences between two worlds of the game, for any audience, over some positions."""
    rng, apart = Random(21), set[str]()
    for _ in range(tries):
        one = world(game, options, 3, rng, rng.randrange(1, 25))
        viewer = rng.choice((PUBLIC_VIEWER, *one.seats))
        other = once_more(one, viewer, rng, other_deals(one, viewer, rng))
        apart.update(differences(received_by(one, viewer), received_by(other, viewer)))
    return apart


def test_without_a_leak_nothing_is_found() -> None:
    assert found(GAME, Options(deal="random")) == set()


# Leaks in a copy of the game.


def backs_show_their_colours(patch: pytest.MonkeyPatch) -> AnyGame:
    """The public event of a deal contains colours though the option says they are hidden."""

    def settle(state: State, draw: Draw, outcome: Any) -> Sequence[Any]:
        events = GAME.settle(state, draw, outcome)
        hands = [e.chips for e in events if isinstance(e, HandDealt)]
        backs = DealCompleted(tuple(map(colours, hands)))
        return [backs if isinstance(e, DealCompleted) else e for e in events]

    return declared_with(GAME, settle=settle)


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
        except Refused as refused:
            theirs = state.hands[(seat + 1) % state.seats]
            if refused.code == "not_in_hand" and action.chip in theirs:
                raise Refused("held_by_another") from None
            raise

    return declared_with(GAME, decide=decide)


def the_deal_is_announced(patch: pytest.MonkeyPatch) -> AnyGame:
    """The shuffle is requested and answered in public."""

    def awaits(state: State) -> Awaits:
        awaited = GAME.awaits(state)
        draw = awaited.draw
        return awaited if draw is None else Awaits(draw=replace(draw, audience=PUBLIC))

    return declared_with(GAME, awaits=awaits)


def who_waits_depends_on_hands(patch: pytest.MonkeyPatch) -> AnyGame:
    """A seat that holds the 12 is awaited next to the one that is to act."""

    def awaits(state: State) -> Awaits:
        awaited = GAME.awaits(state)
        holders = tuple(seat for seat, hand in enumerate(state.hands) if 12 in hand)
        return replace(awaited, seats=awaited.seats + holders) if awaited.seats else awaited

    return declared_with(GAME, awaits=awaits)


# Leaks in what discloses it.


def refusals_are_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(ActionReceived, "audience", PUBLIC)
    patch.setattr(ActionRefused, "audience", PUBLIC)
    return GAME


def only_the_code_is_public(patch: pytest.MonkeyPatch) -> AnyGame:
    patch.setattr(ActionRefused, "audience", PUBLIC)
    return GAME


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


def a_board_is_handed_sealed_events(patch: pytest.MonkeyPatch) -> AnyGame:
    """The sizes of hands on the board come from the sealed outcome of the deal."""

    def evolve(shown: Board, event: BaseEvent, viewer: Viewer, at: int) -> Board:
        if isinstance(event, SealedDrawSettled):
            low = sum(chip < 6 for chip in orders(event.outcome)[0][:4] if isinstance(chip, int))
            return replace(shown, hand_sizes=(low,) * len(shown.tokens))
        return BOARDS.evolve(shown, event, viewer, at)

    honest = disclosure.may_see
    patch.setattr(audience, "may_see", lambda v, e: e.audience == SEALED or honest(v, e))
    patch.setitem(boards.BOARDS, GAME.id, declared_with(BOARDS, evolve=evolve))
    return GAME


LEAKS: list[tuple[Planted, str]] = [
    (backs_show_their_colours, "lines"),
    (hands_are_public, "lines"),
    (the_menu_knows_other_hands, "menu"),
    (a_code_knows_other_hands, "codes"),
    (the_deal_is_announced, "lines"),
    (who_waits_depends_on_hands, "views"),
    (refusals_are_public, "views"),
    (only_the_code_is_public, "lines"),
    (a_seat_sees_what_its_neighbour_sees, "lines"),
    (hidden_events_are_counted, "lines"),
    (a_board_is_handed_sealed_events, "views"),
]


@pytest.mark.parametrize(
    ("plant", "where"), LEAKS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_leak_is_found(
    plant: Planted, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_found(plant, where, lambda game: found(game, Options(deal="random")), monkeypatch)
