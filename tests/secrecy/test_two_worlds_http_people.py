"""Invitations, keys, cases and pending rulings of others change no byte of what a reader is sent,
and no work that is done for it: HEAD and refusals included."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.http.case_client import close, do, opened
from tests.support.http.invitations import accept, invited, revoke, token_of
from tests.support.http.match_keys import end, issued
from tests.support.http.ruling_client import rule, ruled
from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Json, Live, LiveMatch
from tests.support.worlds_http import World, compare, everything

READERS = ["public", "seat:0"]

Hidden = Callable[[LiveMatch], object]


def invitations(match: LiveMatch) -> None:
    """Open ones to every seat, one that was taken back, and one that was accepted."""
    for number in range(4):
        invited(match, number % 2)
    revoke(match.organiser, invited(match, 1)["id"])
    taken = accept(match.anyone.client, match.id, token_of(invited(match, 1)))
    assert taken.status_code == 201


def keys(match: LiveMatch) -> None:
    for role, name in (("seat:1", "Ben"), ("moderator", "Mo"), ("moderator", "Mia")):
        made = issued(match, {"role": role, "name": name})
    end(match.organiser, made["id"])


def cases(match: LiveMatch) -> None:
    case = opened(match.seats[1])
    assert do(match.organiser, case, "parties", {"seat": 1}).status_code == 204
    assert close(match.moderator, case).status_code == 204
    opened(match.moderator)


def rulings(match: LiveMatch) -> None:
    """One that waits, about a sealed case, and notes that are not for the reader."""
    ruled(match.moderator, "void", case=opened(match.organiser))
    for to in ("seat:1", "sealed"):
        note: Json = {"to": to, "text": "They whisper.", "severity": "warning"}
        assert rule(match.moderator, "note", **note).status_code == 201


HIDDEN: list[Hidden] = [invitations, keys, cases, rulings]


@pytest.fixture
def streams() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def two(live: Live) -> list[World]:
    matches = [live.started("dollar-prize", chance="manual") for _ in range(2)]
    return [World(match, READERS, {"type": "end_turn"}, "setup") for match in matches]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_done_for_others_changes_nothing(
    live: Live, streams: ExitStack, hidden: Hidden
) -> None:
    one, other = two(live)
    for world in (one, other):
        world.follow(streams)
    hidden(other.match)
    compare(one, other, live)


@pytest.mark.skipif(KIND != "sqlite", reason="what one process reads is counted")
@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_done_for_others_costs_readers_nothing(
    live: Live, monkeypatch: pytest.MonkeyPatch, hidden: Hidden
) -> None:
    worlds = two(live)
    hidden(worlds[1].match)
    for world in worlds:
        # What is in no one's memory is read once.
        for reader in READERS:
            list(everything(world, reader))
    work = WorkCounter(monkeypatch)
    costs = []
    for world in worlds:
        for reader in READERS:
            work.take()
            found = []
            for name, _ in everything(world, reader):
                found.append((name, work.take()))
            costs.append(found)
    half = len(costs) // 2
    for first, second in zip(costs[:half], costs[half:], strict=True):
        assert [one for one in zip(first, second, strict=True) if one[0] != one[1]] == []
