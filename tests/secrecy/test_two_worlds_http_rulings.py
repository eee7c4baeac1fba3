"""Rulings that are not for a reader change no byte of what it is sent: pending ones, others' notes,
who has consented, previews."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.http.ruling_client import consent, previewed, rule, ruled, withdraw
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch
from tests.support.worlds_http import World, compare

READERS = ["public", "seat:0"]
NOTE: Json = {"text": "They whisper.", "severity": "warning"}

Hidden = Callable[[LiveMatch], object]


def pending(match: LiveMatch) -> None:
    """Proposed twice, and one of the two withdrawn."""
    ruled(match.moderator, "void")
    withdraw(match.organiser, ruled(match.organiser, "void")["ruling"])


def notes(match: LiveMatch) -> None:
    for to in ("seat:1", "sealed"):
        assert rule(match.moderator, "note", to=to, **NOTE).status_code == 201


def previews(match: LiveMatch) -> None:
    for kind in ("void", "pause"):
        previewed(match.moderator, kind)


def refused(match: LiveMatch) -> None:
    for player in (match.moderator, match.seats[1]):
        rule(player, "resume")
        rule(player, "void")
        withdraw(player, "none")


HIDDEN: list[Hidden] = [pending, notes, previews, refused]


@pytest.fixture
def streams() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def two(live: Live, streams: ExitStack) -> list[World]:
    """Two matches of Dollar Prize by hand, and the streams of their readers."""
    matches = [live.started("dollar-prize", chance="manual") for _ in range(2)]
    worlds = [World(match, READERS, {"type": "end_turn"}, "setup") for match in matches]
    for world in worlds:
        world.follow(streams)
    return worlds


def rulings(world: World) -> list[object]:
    """What its readers are answered about rulings."""
    players = [world.match.audiences()[reader] for reader in READERS]
    asked: list[Answer] = []
    for player in players:
        asked += [player.client.get(f"{player.path}/rulings"), consent(player, "none")]
        asked += [rule(player, "pause"), withdraw(player, "none")]
    return [world.seen(answer) for answer in asked]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_rulings_change_nothing(live: Live, streams: ExitStack, hidden: Hidden) -> None:
    one, other = two(live, streams)
    hidden(other.match)
    compare(one, other, live)
    assert rulings(one) == rulings(other)
    for world in (one, other):
        world.match.seats[0].act({"type": "choose_side", "side": "heads"})
    compare(one, other, live)


def test_nobody_but_moderators_sees_who_has_consented(live: Live, streams: ExitStack) -> None:
    one, other = two(live, streams)
    for world, seat in ((one, None), (other, 1)):
        asked = ruled(world.match.moderator, "void", ask_seats=True)
        if seat is not None:
            consent(world.match.seats[seat], asked["ruling"])
        withdraw(world.match.moderator, asked["ruling"])
    first, second = (
        [event["type"] for event in world.match.seats[0].events(limit=1_000).json()["events"]]
        for world in (one, other)
    )
    assert first == second
    assert one.match.anyone.view().json()["seq"] == other.match.anyone.view().json()["seq"]
