"""The audience filter: who may see an event of each kind, and the names of audiences."""

import pytest

from domain.events import Event
from domain.match.events import MatchCreated, MatchStarted, NameSalted, SealedSeedRevealed
from projections.audience.disclosure import (
    MODERATOR,
    PUBLIC_VIEWER,
    Viewer,
    audiences,
    may_see,
    named,
    viewer,
)

EVERYBODY: list[Viewer] = ["public", "moderator", 0, 1, 2]


def seen_by(event: Event) -> list[Viewer]:
    return [each for each in EVERYBODY if may_see(each, event)]


def test_a_public_event_is_for_everybody() -> None:
    assert seen_by(MatchStarted()) == EVERYBODY


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_an_event_of_a_seat_is_for_it_and_moderators(seat: int) -> None:
    assert seen_by(NameSalted(seat, bytes(16))) == ["moderator", seat]


def test_a_sealed_event_is_for_moderators() -> None:
    assert seen_by(SealedSeedRevealed(0, bytes(32))) == ["moderator"]


def test_a_match_has_an_audience_for_each_seat_beside_the_public_and_the_moderators() -> None:
    created = MatchCreated("dollar-prize", 1, {}, 3)
    assert audiences(created) == ("public", "moderator", 0, 1, 2)


@pytest.mark.parametrize(
    ("name", "audience"),
    [
        ("public", PUBLIC_VIEWER),
        ("moderator", MODERATOR),
        ("seat:0", 0),
        ("seat:31", 31),
        ("seat:9999", 9999),
    ],
)
def test_an_audience_has_one_name(name: str, audience: Viewer) -> None:
    assert viewer(name) == audience
    assert named(audience) == name


@pytest.mark.parametrize(
    "name",
    ["", "Public", "seat", "seat:", "seat:-1", "seat:01", "seat:1.0", "seat:²", "0", "seat:x", ":1",
     "chair:1", "team:1", "seat:1:2", "seat:10000", f"seat:{'9' * 5000}"],
)  # fmt: skip
def test_other_values_have_no_audience_name(name: str) -> None:
    assert viewer(name) is None
