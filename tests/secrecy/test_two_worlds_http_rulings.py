"""Rulings that are not for a reader change no byte of what it is sent: pending ones, others' notes,
who has consented, previews."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.support.http.invitations import accept, invited, revoke, token_of
from tests.support.http.match_keys import end, issued
from tests.support.http.renewals import renew
from tests.support.http.rewind_client import numbers
from tests.support.http.ruling_client import (
    EVEN,
    consent,
    previewed,
    rule,
    ruled,
    second,
    seconded,
    withdraw,
)
from tests.support.http.successors import ZOE, replaced
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


def replacement(match: LiveMatch) -> None:
    """Proposed and withdrawn, after keys for the seat have been issued."""
    more_keys(match)
    withdraw(match.organiser, ruled(match.organiser, "replace_seat", **ZOE)["ruling"])


def more_keys(match: LiveMatch) -> None:
    """The second seat and the moderators have more keys, one of which has ended."""
    for role, name in (("seat:1", "Ben"), ("seat:1", "Bea"), ("moderator", "Mo")):
        made = issued(match, {"role": role, "name": name})
    end(match.organiser, made["id"])


def renewals(match: LiveMatch) -> None:
    """A moderator and the second seat make keys their own: refused, done, and repeated."""
    for role, name in (("moderator", "Mo"), ("seat:1", "Bea")):
        key = issued(match, {"role": role, "name": name})["key"]
        client = replace(match.organiser.client, key=key)
        for request, status in (("1", 400), ("drawn-at-random-1", 201), ("drawn-at-random-1", 200)):
            assert renew(client, request).status_code == status
        assert renew(client, "drawn-at-random-2").status_code == 401


def invitations(match: LiveMatch) -> None:
    """For the second seat: made, revoked, and accepted."""
    revoke(match.organiser, invited(match, 1)["id"])
    token = token_of(invited(match, 1))
    assert accept(match.anyone.client, match.id, token).status_code == 201


def refused_names(match: LiveMatch) -> None:
    """Of moderators who play, and of successors who moderate."""
    issued(match, {"role": "moderator", "name": "Mo"})
    keys = f"{match.anyone.path}/keys"
    for name in ("BEN", "An\u200bn", "\u202e"):
        answer = match.organiser.client.post(keys, {"role": "moderator", "name": name})
        assert answer.status_code in (403, 422)
        answer = rule(match.organiser, "replace_seat", preview=True, seat=1, name="mo")
        assert answer.status_code == 403


def second_refused(match: LiveMatch) -> None:
    """A ruling waits, and is not seconded by keys that may be of one hand."""
    pending = ruled(match.organiser, "void")["ruling"]
    key = issued(match, {"role": "moderator", "name": "Mo"})["key"]
    mo = replace(match.moderator, client=replace(match.moderator.client, key=key))
    for player in (match.moderator, mo):
        assert second(player, pending, preview=True).status_code == 403


def confirmations(match: LiveMatch) -> None:
    """Those that are refused, and a look at one that would not be."""
    for player in (match.moderator, match.seats[1]):
        assert rule(player, "confirm").status_code == 403
    previewed(match.organiser, "confirm")


HIDDEN: list[Hidden] = [
    *(pending, notes, previews, refused, replacement),
    *(renewals, invitations, refused_names, second_refused),
]


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


def test_a_seat_is_taken_over_alike_whatever_its_past(live: Live, streams: ExitStack) -> None:
    """How many keys it had, whom it was refused what, and who has moderated."""
    one, other = two(live, streams)
    more_keys(other.match)
    other.match.seats[1].act({"type": "end_turn"})
    for world in (one, other):
        assert replaced(world.match).status_code == 201
    compare(one, other, live)
    assert rulings(one) == rulings(other)
    for world in (one, other):
        world.match.seats[0].act({"type": "choose_side", "side": "heads"})
    compare(one, other, live)


def test_a_rewind_that_was_looked_at_and_given_up_changes_nothing(
    live: Live, streams: ExitStack
) -> None:
    one, other = two(live, streams)
    for world in (one, other):
        world.match.seats[0].act({"type": "choose_side", "side": "heads"})
    withdraw(other.match.organiser, rewind_of(other.match)["ruling"])
    compare(one, other, live)
    assert rulings(one) == rulings(other)


@pytest.mark.parametrize("hidden", [notes, more_keys])
def test_where_a_match_goes_on_is_told_alike_whatever_is_hidden(
    live: Live, streams: ExitStack, hidden: Hidden
) -> None:
    """Each reader is told its own number: the position would count what is hidden."""
    one, other = two(live, streams)
    hidden(other.match)
    for world in (one, other):
        world.match.seats[0].act({"type": "choose_side", "side": "heads"})
        seconded(world.match.judge, rewind_of(world.match)["ruling"])
    compare(one, other, live)
    assert rulings(one) == rulings(other)


def rewind_of(match: LiveMatch) -> Json:
    """A rewind of the choice of a side, which waits for a second person."""
    asked = ruled(
        match.moderator, "rewind", before=numbers(match, "dollar-prize.side-chosen.1")[-1]
    )
    assert asked["status"] == "pending"
    return asked


@pytest.mark.parametrize("chance", ["server", "manual"])
@pytest.mark.parametrize("hidden", [pending, notes, refused, more_keys, confirmations])
def test_in_a_protest_window_nothing_hidden_shows(
    live: Live, streams: ExitStack, hidden: Hidden, chance: str
) -> None:
    """The result is provisional in both worlds, and open to no one."""
    matches = [live.started("dollar-prize", chance=chance, protest_hours=1) for _ in range(2)]
    worlds = [World(match, READERS, {"type": "end_turn"}, "setup") for match in matches]
    for world in worlds:
        world.follow(streams)
        given = ruled(world.match.moderator, "result", result=EVEN, because="adjudicated")
        assert seconded(world.match.judge, given["ruling"]).status_code == 201
    one, other = worlds
    hidden(other.match)
    compare(one, other, live)
    assert rulings(one) == rulings(other)
    assert one.match.anyone.view().json()["result"]["final"] is False


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
