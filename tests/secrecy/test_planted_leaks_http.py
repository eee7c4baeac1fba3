"""Leaks of a sealed phase, planted in the service itself, are found by comparing two worlds as
sent: if one were not found, the comparison could not fail."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.events import Event, Record, stored_name
from domain.match.events import ActionReceived
from projections.audience import matches
from projections.audience.projection import AudienceProjection
from projections.fields import rfc3339
from service.application.announcer import Announcement
from service.application.matches.command_queue import QueuedCommand
from service.application.matches.decision import Decision
from service.application.matches.match_sessions import MatchSessions
from service.http.actions import actions
from service.http.requests.responses import private_headers
from service.read_models import index, match_projection
from tests.support.worlds_http import compare
from tests.support.worlds_http_grouping_bw import GROUPS, NO_GROUPS, OTHERS, grouping
from tests.support.worlds_sealed_http import Timed, accepted, stack, timed

__all__ = ["stack", "timed"]

Plant = Callable[[pytest.MonkeyPatch], None]


def tags_count_the_record(patch: pytest.MonkeyPatch) -> None:
    """The ETag of a view is the length of the record."""
    honest = MatchSessions.view

    async def view(self: MatchSessions, match: Any, viewer: Any, seq: Any) -> tuple[int, bytes]:
        _, body = await honest(self, match, viewer, seq)
        return (await self.current(match)).length, body

    patch.setattr(MatchSessions, "view", view)


def menus_are_tagged_by_all_that_happened(patch: pytest.MonkeyPatch) -> None:
    honest = MatchSessions.projection
    latest = [0]

    async def projection(self: MatchSessions, match: Any, viewer: Any, **more: Any) -> Any:
        opened, reader = await honest(self, match, viewer, **more)
        latest[0] = opened.length
        return opened, reader

    patch.setattr(MatchSessions, "projection", projection)
    patch.setattr(actions, "etag", lambda name, *_: f'"{name}.{latest[0]}"')


def a_header_counts(patch: pytest.MonkeyPatch) -> None:
    """One more header, of the length of the record."""
    honest = MatchSessions.view
    latest = [0]

    async def view(self: MatchSessions, match: Any, viewer: Any, seq: Any) -> tuple[int, bytes]:
        latest[0] = (await self.current(match)).length
        return await honest(self, match, viewer, seq)

    patch.setattr(MatchSessions, "view", view)
    patch.setattr(
        "service.http.middleware.caching.private_headers",
        lambda *tag: {**private_headers(*tag), "X-Length": str(latest[0])},
    )


def a_ping_for_all_that_happens(patch: pytest.MonkeyPatch) -> None:
    """A reader that is woken and finds nothing of its own sends a ping instead."""

    honest = Announcement.__call__
    woken: set[asyncio.Event] = set()

    def announced(self: Announcement[Any], *news: Any) -> None:
        honest(self, *news)
        for listener in self._listeners:
            broadcast = getattr(listener, "__self__", None)
            if listener == getattr(broadcast, "announce", None):
                wake(broadcast, news[0])

    def wake(broadcast: Any, match_id: UUID) -> None:
        for channel in broadcast._channels.get(match_id, {}).values():
            for member in channel.members:
                woken.add(member.left)
                member.left.set()

    async def missed(_: object, left: asyncio.Event) -> bool:
        await left.wait()
        if left not in woken:
            return True
        woken.discard(left)
        left.clear()
        return False

    patch.setattr(Announcement, "__call__", announced)
    patch.setattr("service.streams.live_stream._Beat.missed", missed)


def receipts_are_numbered_by_the_record(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AudienceProjection, "count", lambda _, position: position)


def keys_are_shared_by_all_seats(patch: pytest.MonkeyPatch) -> None:
    """A key that the other seat has used is known already."""

    def answered(self: Decision, seat: int, key: str) -> Any:
        seats = range(self.match.created.seats)
        known = (self.base.find_answer(one, key) or self.answers.get((one, key)) for one in seats)
        return next(filter(None, known), None)

    patch.setattr(Decision, "_find_answer", answered)


def instants_are_given_once(patch: pytest.MonkeyPatch) -> None:
    """What is received at the instant of the action before is a microsecond later."""
    honest = Decision.add

    def add(self: Decision, pending: QueuedCommand) -> None:
        pending.at = max(pending.at, self.at + 1)
        honest(self, pending)

    patch.setattr(Decision, "add", add)


def the_list_says_when_something_came(patch: pytest.MonkeyPatch) -> None:
    honest = matches.list_match

    def list_match(match: str, row: Any, record: Record[Event]) -> Any:
        after = honest(match, row, record)
        return None if after is None else replace(after, started=rfc3339(record.at))

    patch.setattr(match_projection, "SCHEDULED", (*matches.SCHEDULED, ActionReceived))
    patch.setattr(match_projection, "KINDS", (*match_projection.KINDS, ActionReceived))
    patch.setattr(index, "_TOPICS", [*index._TOPICS, stored_name(ActionReceived)])
    patch.setattr(matches, "list_match", list_match)


def positions_of_the_record_exist(patch: pytest.MonkeyPatch) -> None:
    """An empty page, not an error, up to the length of the record."""
    honest = MatchSessions.lines

    async def read(
        self: MatchSessions, match: Any, viewer: Any, after: int, limit: int
    ) -> tuple[Any, bool]:
        opened, reader = await self.projection(match, viewer)
        if reader.state.seq < after <= opened.length:
            return [], False
        return await honest(self, match, viewer, after, limit)

    patch.setattr(MatchSessions, "lines", read)


LEAKS: list[Plant] = [
    tags_count_the_record,
    menus_are_tagged_by_all_that_happened,
    a_header_counts,
    a_ping_for_all_that_happens,
    receipts_are_numbered_by_the_record,
    keys_are_shared_by_all_seats,
    instants_are_given_once,
    the_list_says_when_something_came,
    positions_of_the_record_exist,
]


def two_worlds_differ(timed: Timed, stack: ExitStack) -> bool:
    """Seat 1 groups once in one world and often, with mistakes, in the other; then both resolve."""
    worlds = [grouping(timed), grouping(timed)]
    for world in worlds:
        world.follow(stack)
    for world, often in zip(worlds, (0, 5), strict=True):
        timed.pass_time()
        other = world.match.seats[1]
        for number in range(often):
            accepted(other.act(OTHERS, {"Idempotency-Key": f"k{number}"}))
            accepted(other.act(NO_GROUPS))
        accepted(other.act(OTHERS))
    try:
        compare(worlds[0], worlds[1], timed.live)
        own = [
            world.seen(world.match.seats[0].act(NO_GROUPS, {"Idempotency-Key": "k1"}))
            for world in worlds
        ]
        assert own[0] == own[1]
        compare(worlds[0], worlds[1], timed.live)
        own = [world.seen(world.match.seats[0].act(GROUPS)) for world in worlds]
        assert own[0] == own[1]
        compare(worlds[0], worlds[1], timed.live)
    except AssertionError:
        return True
    return False


def test_without_a_leak_nothing_is_found(timed: Timed, stack: ExitStack) -> None:
    assert not two_worlds_differ(timed, stack)


@pytest.mark.parametrize("plant", LEAKS, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_found(
    timed: Timed, stack: ExitStack, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert two_worlds_differ(timed, stack)


@pytest.fixture(autouse=True)
def quiet(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Nor does the service log anything that could reveal it: its logs stay empty."""
    yield
    output = capfd.readouterr()
    assert (output.out, output.err) == ("", "")
