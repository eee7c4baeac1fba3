"""A fold made of small functions passes each event to the handler of its kind."""

from typing import Any

import pytest

from domain.dispatch import by_kind
from tests.support.tables import toy_game as toy

State = tuple[str, ...]


def revealed(state: State, event: toy.BidsRevealed) -> State:
    return (*state, f"revealed {event.chips}")


def thanked(state: State, event: toy.Thanked | toy.NobodyThanked) -> State:
    return (*state, f"thanked {getattr(event, 'seat', 'by nobody')}")


def test_each_kind_goes_to_its_handler() -> None:
    evolve = by_kind(revealed, thanked)
    state: State = ()
    for event in (toy.BidsRevealed((1, 2)), toy.Thanked(1), toy.NobodyThanked()):
        state = evolve(state, event)
    assert state == ("revealed (1, 2)", "thanked 1", "thanked by nobody")


def test_an_event_without_a_handler_leaves_the_state_unchanged() -> None:
    state: State = ("x",)
    assert by_kind(revealed)(state, toy.Thanked(1)) is state


def test_two_handlers_of_one_kind_are_an_error() -> None:
    def again(state: State, event: toy.Thanked) -> State:
        return state

    with pytest.raises(TypeError, match="again: another handler takes Thanked"):
        by_kind(thanked, again)


def undeclared(state: State, event: Any) -> State:
    return state


def of_no_event(state: State, event: toy.Bid) -> State:
    return state


def of_too_much(state: State, event: toy.Thanked, seat: int) -> State:
    return state


@pytest.mark.parametrize("handler", [undeclared, of_no_event, of_too_much, lambda state, _: state])
def test_a_handler_declares_its_events(handler: Any) -> None:
    with pytest.raises(TypeError, match="does not say which events it takes"):
        by_kind(handler)
