"""Broadcast: hands new lines directly to everyone who reads a match, or a tournament, as the same
audience.

A reader that has caught up joins the channel of its match and audience. The bytes of new lines are
made once for each form and written to every member. Whatever a member cannot take directly sends it
back to catching up, so nothing depends on a channel but speed.

A channel is looked at when its own audience has news: an event hidden from the audience neither
wakes its members nor costs them anything.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.own_lines import AudienceLines
from service.observability.instrumentation import Instrumentation
from service.streams.channels import Channel, FollowedRecord, Form, Member, chunk_of

SMALL_CHANNEL = 8
"""Channels with at most this many members are written to at once; larger ones in slices."""

SLICE = 16
WIDE_SLICE = 256
"""Writes in one turn of the event loop, while commands wait and while none do. Commands go first,
and yet members are written to in every turn."""


class Broadcast:
    """The channels of an instance.

    `find` returns a match or a tournament if it is in memory; `busy` says whether commands wait.
    """

    def __init__(
        self,
        find: Callable[[UUID], FollowedRecord | None],
        busy: Callable[[], bool],
        instrumentation: Instrumentation,
    ) -> None:
        self._find = find
        self._busy = busy
        self._instrumentation = instrumentation
        self._channels: dict[UUID, dict[Viewer, Channel]] = {}
        self._followed: dict[UUID, int] = {}
        self._watching: dict[Hashable, dict[Member, Channel]] = {}
        self._holders: dict[UUID, Callable[[], object]] = {}
        self._queue: deque[Channel] = deque()
        self._turn_planned = False

    @property
    def followed(self) -> Collection[UUID]:
        """The matches and tournaments that anyone follows, whether or not they have caught up."""
        return self._followed.keys()

    def watching(self, match_id: UUID) -> int:
        """How many follow it here as the public; seats and moderators are not counted."""
        channel = self._channels.get(match_id, {}).get(PUBLIC_VIEWER)
        return 0 if channel is None else len(channel.members)

    @contextmanager
    def following(self, match_id: UUID) -> Iterator[None]:
        """While inside, what other instances record in this match is read as it is announced."""
        self._followed[match_id] = self._followed.get(match_id, 0) + 1
        try:
            yield
        finally:
            self._followed[match_id] -= 1
            if not self._followed[match_id]:
                del self._followed[match_id]

    @contextmanager
    def joined(self, match_id: UUID, viewer: Viewer, member: Member) -> Iterator[bool]:
        """Makes a reader a member of its channel while inside. Yields False, and does nothing, if
        its audience has news that it lacks."""
        loaded = self._find(match_id)
        projection = None if loaded is None else loaded.lines_of(viewer)
        if loaded is None or projection is None or projection.seq != member.seq:
            yield False
            return
        channels = self._channels.setdefault(match_id, {})
        channel = channels.get(viewer)
        if channel is None:
            tenure = loaded.tenure(viewer)
            channel = channels[viewer] = Channel(match_id, viewer, projection.seq, tenure)
        channel.members[member] = None
        for watched in member.watches:
            self._watching.setdefault(watched, {})[member] = channel
        try:
            yield True
        finally:
            channel.remove(member)
            self._unwatch(member)
            if not channel.members and channels.get(viewer) is channel:
                del channels[viewer]
                if not channels:
                    self._channels.pop(match_id, None)

    def announce(self, match_id: UUID) -> None:
        """Serves the channels whose audiences have news, after the match has grown in memory."""
        channels = self._channels.get(match_id)
        if channels is None:
            return
        loaded = self._find(match_id)
        for channel in list(channels.values()):
            projection = None if loaded is None else loaded.lines_of(channel.viewer)
            if loaded is None or projection is None:
                channel.remove_all()
            elif projection.seq != channel.seq:
                try:
                    self._news(channel, loaded, projection)
                except Exception as error:  # noqa: BLE001  an event may be what no line can show
                    channel.fail(error)

    def _news(self, channel: Channel, loaded: FollowedRecord, projection: AudienceLines) -> None:
        """Serves a channel whose audience has news: a small one now."""
        before, tenure = channel.seq, loaded.tenure(channel.viewer)
        channel.seq = projection.seq
        if channel.tenure != tenure:
            # With that record keys have ended, or open the seat no more.
            channel.tenure = tenure
            channel.remove_all(must_ask=True)
        elif not channel.queued and len(channel.members) <= SMALL_CHANNEL:
            self._write(channel, list(channel.members), projection, over=loaded.over)
        else:
            # The lines are encoded now, while the records are at hand.
            projection.lines(before, projection.seq - before)
            self._serve_later(channel)

    def recheck(self, ended: Collection[Hashable]) -> None:
        """Makes everyone who reads by one of these keys, tickets or tournaments ask again whether
        they may."""
        for watch in ended:
            for member, channel in list(self._watching.get(watch, {}).items()):
                member.must_ask = True
                channel.remove(member)

    def hold(self, ticket: UUID, superseded: Callable[[], object]) -> None:
        """Makes one stream the only holder of a ticket; its `superseded` is called when another
        holds it."""
        before = self._holders.get(ticket)
        self._holders[ticket] = superseded
        if before is not None:
            before()
        self.recheck((ticket,))

    def holds(self, ticket: UUID, superseded: Callable[[], object]) -> bool:
        """Whether no other stream has held the ticket since."""
        return self._holders.get(ticket) is superseded

    def release(self, ticket: UUID, superseded: Callable[[], object] | None = None) -> None:
        """Ends the hold of a ticket, by default its present holder: it was used on another
        instance."""
        if superseded is None or self.holds(ticket, superseded):
            self._holders.pop(ticket, None)

    def wake(self, stream: UUID) -> None:
        """Sends every member of the channels of a match or tournament back to catching up."""
        for channel in list(self._channels.get(stream, {}).values()):
            channel.remove_all()

    def send_everybody_back(self) -> None:
        """Sends every member of every channel back to catching up."""
        for stream in list(self._channels):
            self.wake(stream)

    def _unwatch(self, member: Member) -> None:
        for watched in member.watches:
            watching = self._watching[watched]
            del watching[member]
            if not watching:
                del self._watching[watched]

    def _serve_later(self, channel: Channel) -> None:
        if channel.queued:
            return
        channel.to_serve = list(channel.members)
        channel.queued = True
        self._queue.append(channel)
        if not self._turn_planned:
            # The sender of an action is answered in the next turn of the loop, before the many.
            self._turn_planned = True
            asyncio.get_running_loop().call_soon(self._plan_turn)

    def _plan_turn(self) -> None:
        self._turn_planned = True
        asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        """Writes to a few members of the channel that waits longest; then others take a turn."""
        self._turn_planned = False
        channel = self._queue.popleft()
        channel.queued = False
        try:
            self._serve(channel, SLICE if self._busy() else WIDE_SLICE)
        except Exception as error:  # noqa: BLE001  an event may be what no line can show
            channel.fail(error)
        if not channel.to_serve:
            channel.to_serve = [member for member in channel.members if member.seq < channel.seq]
        if channel.to_serve:
            channel.queued = True
            self._queue.append(channel)
        if self._queue:
            self._plan_turn()

    def _serve(self, channel: Channel, most: int) -> None:
        """Writes to at most so many of the members that are to be served."""
        loaded = self._find(channel.match_id)
        projection = None if loaded is None else loaded.lines_of(channel.viewer)
        if loaded is None or projection is None:
            channel.to_serve = []
            channel.remove_all()
            return
        members, channel.to_serve = channel.to_serve[-most:], channel.to_serve[:-most]
        still = [member for member in members if member in channel.members]
        self._write(channel, still, projection, over=loaded.over)

    def _write(
        self, channel: Channel, members: Sequence[Member], projection: AudienceLines, *, over: bool
    ) -> None:
        """Writes to members what they lack. A member who cannot take it, or has all of a match
        that is over, leaves the channel."""
        chunks: dict[tuple[Form | None, int], bytes] = {}
        seq, lines = projection.seq, 0
        for member in members:
            key = member.form, member.seq
            chunk = chunks.get(key)
            if chunk is None:
                chunk = chunks[key] = chunk_of(projection, member.form, member.seq)
            if not chunk or member.writer is None or not member.writer.write(chunk):
                channel.remove(member)
                continue
            lines += seq - member.seq
            member.seq = seq
            if member.reading is not None:
                member.reading.note(seq)
            if over:
                channel.remove(member)
        self._instrumentation.count_lines(lines)
