"""An event declares its audience and its stored name, or is no event."""

from dataclasses import replace
from typing import Any, ClassVar, get_args

import pytest

from domain.events import (
    OWN_SEAT,
    PUBLIC,
    SEALED,
    Event,
    PublicEvent,
    SealedEvent,
    check_stored_names,
)
from domain.game import Refused
from domain.games import GAMES, AnyEvent
from domain.match.events import MatchEvent
from tests.support.tables import toy_game

ALL_KINDS: tuple[type[Event], ...] = get_args(AnyEvent)


def test_a_class_without_audience_raises_where_it_is_defined() -> None:
    with pytest.raises(TypeError, match="Shown does not say who may see it"):

        class Shown(Event, frozen=True, tag="a-game.shown.1"):
            seat: int


def test_an_audience_that_is_none_raises_where_it_is_defined() -> None:
    with pytest.raises(TypeError, match="Shown does not say who may see it"):

        class Shown(Event, frozen=True, tag="a-game.shown.1"):
            audience: ClassVar[Any] = "everybody"


def test_a_sealed_event_with_a_field_seat_raises_where_it_is_defined() -> None:
    """Without its class it would look like an event for that seat."""
    with pytest.raises(TypeError, match="Shown is for moderators and has a field `seat`"):

        class Shown(SealedEvent, frozen=True, tag="a-game.shown.1"):
            seat: int


@pytest.mark.parametrize(
    "name", ["shown", "a-game.shown", "a-game.shown.0", "A.Shown.1", "a.shown.01"]
)
def test_a_stored_name_ends_in_its_number(name: str) -> None:
    class Shown(PublicEvent, frozen=True, tag=name):
        pass

    with pytest.raises(TypeError, match="Shown has no stored name"):
        check_stored_names([Shown], "a-game")


def test_an_event_without_a_name_of_its_own_belongs_to_no_game() -> None:
    class Shown(PublicEvent, frozen=True):
        pass

    with pytest.raises(TypeError, match="Shown has no stored name"):
        check_stored_names([Shown], "a-game")


def test_a_game_has_only_events_of_its_own_name() -> None:
    check_stored_names(get_args(toy_game.Event), "blind-bid")
    with pytest.raises(TypeError, match="is not an event of other-game"):
        replace(toy_game.GAME, id="other-game")


def test_every_event_of_the_service_declares_its_audience_and_its_name() -> None:
    assert {kind.audience for kind in ALL_KINDS} == {PUBLIC, OWN_SEAT, SEALED}
    check_stored_names(get_args(MatchEvent), "match")
    for game in GAMES.values():
        check_stored_names(get_args(game.Event), game.id)


def test_no_event_can_be_changed() -> None:
    assert all(kind.__struct_config__.frozen for kind in ALL_KINDS)


def test_a_stored_event_may_have_unknown_fields() -> None:
    """Closed shapes are for what clients send; a record of a later release must not stop a
    reader."""
    assert not any(kind.__struct_config__.forbid_unknown_fields for kind in ALL_KINDS)


def test_a_refusal_has_a_code_for_programs_and_words_for_people() -> None:
    refused = Refused("beyond_stack", "you have 10 chips")
    assert (str(refused), refused.code, refused.text) == (
        "beyond_stack",
        "beyond_stack",
        "you have 10 chips",
    )
