"""The keeper of snapshots: makes them beside the door, and says what they hold.

A match that has grown by so many events is folded in a thread that rests as much as it works, from
the snapshot before if there is one. What is kept has been decoded again and found to be the same;
and of what is read, some is compared with the fold of the whole record.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, sleep
from typing import ParamSpec, Protocol, TypeVar
from uuid import UUID

from domain.encoding import decode_all, encode
from domain.events import Event, Record
from domain.match_events import is_input
from projections.disclosure import Viewer
from service import logs
from service.door.open_match import Reader
from service.keeping.folding import Folding
from service.keeping.snapshots import (
    OF_MATCH,
    MatchPart,
    Unfit,
    decode_match,
    decode_sight,
    last_of,
    part_of,
)
from service.storage.snapshots import SnapshotTable, Stored
from service.storage.store import Store

EVERY = 1_000
"""A new snapshot is made when a match has so many events more than the one before."""

LOOK_SECONDS = 1.0

SAMPLE = 64
"""One of so many snapshots read is compared with the fold of the whole record."""

MOST_DOUBTED = 8
"""So many wait for that at most."""

PIECE = 100
"""So many records are folded in one go."""

WORK_SECONDS, REST_SECONDS = 0.001, 0.002
"""After so much work the thread rests, so that the door has the interpreter."""

P = ParamSpec("P")
T = TypeVar("T")


class Differs(Exception):
    """A snapshot was not the fold of the record."""


class Stopped(Exception):
    """The instance stops."""


class Matches(Protocol):
    """The matches in memory."""

    def grown(self, by: int) -> list[tuple[UUID, int]]:
        """Those with so many events since their latest snapshot, and their lengths."""

    def kept(self, match_id: UUID, position: int) -> None:
        """The match's latest snapshot stands at this position."""

    def doubt(self, match_id: UUID) -> None:
        """What is in memory of the match may be wrong."""


class Keeper:
    """Everything but `run` blocks."""

    def __init__(self, store: Store, table: SnapshotTable) -> None:
        self._store = store
        self._table = table
        self._own = ThreadPoolExecutor(1, "snapshots")
        self._stopped = threading.Event()
        self._read = 0
        self._doubted: set[UUID] = set()
        self._worked_since = 0.0

    async def run(self, matches: Matches) -> None:
        """Makes snapshots of what grows, for as long as the service runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for match_id, length in matches.grown(EVERY):
                made = await self._aside(self.make, match_id, length)
                # What could not be made is tried again when there is as much again to gain.
                matches.kept(match_id, length if made is None else made)
            while self._doubted:
                match_id = self._doubted.pop()
                if await self._aside(self.holds, match_id) is False:
                    matches.doubt(match_id)

    def close(self) -> None:
        """Breaks off what is being made."""
        self._stopped.set()
        self._own.shutdown()
        self._table.close()

    # What is kept.

    def match(self, match_id: UUID) -> tuple[MatchPart, list[bytes]] | None:
        """The match as it was kept, and what is stored from its last record on; None if nothing is
        kept that this log goes on from."""
        try:
            part = self._match_part(match_id)
            if part is None:
                return None
            states = self._store.states(match_id, part.position - 1)
            self._check_last(part.last, states)
        except Unfit as unfit:
            self._forget(match_id, unfit)
            return None
        self._read += 1
        if self._read % SAMPLE == 0 and len(self._doubted) < MOST_DOUBTED:
            self._doubted.add(match_id)
        return part, states

    def reader(
        self,
        match_id: UUID,
        viewer: Viewer,
        upto: int,
        before: int = 0,
        at_hand: Sequence[Record[Event]] = (),
    ) -> Reader | None:
        """The audience's reader as it was kept, brought forward to a position; None if nothing is
        kept from which that can be reached. Records behind position `before` may be `at_hand`."""
        try:
            found = self._sight_part(match_id, viewer)
            if found is None or found[1].end > upto:
                return None
            last, reader = found
            if before < reader.end <= upto <= before + len(at_hand):
                from_last = at_hand[reader.end - 1 - before : upto - before]
                if last_of(encode(from_last[0])) == last:
                    reader.read(from_last[1:])
                    return reader
            states = self._store.states(match_id, reader.end - 1, upto)
            self._check_last(last, states)
            reader.read(decode_all(states[1:]))
        except Unfit as unfit:
            self._forget(match_id, unfit)
            return None
        return reader

    def _match_part(self, match_id: UUID) -> MatchPart | None:
        stored = self._found(match_id, OF_MATCH)
        return None if stored is None else decode_match(stored.position, stored.content)

    def _sight_part(self, match_id: UUID, viewer: Viewer) -> tuple[bytes, Reader] | None:
        stored = self._found(match_id, part_of(viewer))
        if stored is None:
            return None
        last, reader = decode_sight(stored.position, stored.content)
        if reader.sight.viewer != viewer:
            raise Unfit
        return last, reader

    def _found(self, match_id: UUID, part: str) -> Stored | None:
        try:
            return self._table.find(match_id, part)
        except Exception as error:  # noqa: BLE001  the record says it all, if it can be read
            logs.failed("snapshot_not_read", error, match=str(match_id))
            return None

    def _check_last(self, last: bytes, states: list[bytes]) -> None:
        """Raises Unfit if the log does not go on from a snapshot, as one that was restored from a
        backup may not."""
        if not states or last_of(states[0]) != last:
            raise Unfit

    def _forget(self, match_id: UUID, why: Exception) -> None:
        logs.failed("snapshot_unfit", why, match=str(match_id))
        try:
            self._table.drop(match_id)
        except Exception as error:  # noqa: BLE001  it is found again next time
            logs.failed("snapshot_not_deleted", error, match=str(match_id))

    # How it is made.

    def make(self, match_id: UUID, length: int) -> int:
        """Keeps what the first `length` events come to, where a command ends, unless that has been
        done about so far, or farther; at which position the latest snapshot stands then.

        Raises Unfit if what would be kept does not come back as it was.
        """
        self._worked_since = perf_counter()
        kept = self._found(match_id, OF_MATCH)
        if kept is not None and kept.position > length - EVERY:
            return kept.position
        folding = self._resumed(match_id, length) or Folding(match_id)
        self._fold(folding, length)
        for part, content in folding.parts():
            self._breathe()
            self._table.write(match_id, folding.position, [(part, content)])
        return folding.position

    def holds(self, match_id: UUID) -> bool:
        """Whether what is kept of a match is the fold of its whole record. Else it is deleted."""
        self._worked_since = perf_counter()
        kept = self._found(match_id, OF_MATCH)
        if kept is None:
            return True
        folding = Folding(match_id)
        self._fold(folding, kept.position)
        for part, content in folding.parts():
            self._breathe()
            stored = self._found(match_id, part)
            if stored is None or stored.position != folding.position:
                continue
            if stored.content != content:
                self._forget(match_id, Differs())
                return False
        return True

    def _resumed(self, match_id: UUID, length: int) -> Folding | None:
        """The fold as far as it is kept; None if it is not whole, or does not lead to `length`."""
        try:
            part = self._match_part(match_id)
            if part is None or part.position > length:
                return None
            states = self._store.states(match_id, part.position - 1, part.position)
            self._check_last(part.last, states)
            folding = Folding.of(match_id, part)
            for viewer in list(folding.readers):
                self._breathe()
                found = self._sight_part(match_id, viewer)
                if found is None or (found[0], found[1].end) != (part.last, part.position):
                    return None
                folding.readers[viewer] = found[1]
        except Unfit as unfit:
            self._forget(match_id, unfit)
            return None
        return folding

    def _fold(self, folding: Folding, length: int) -> None:
        for records, last in self._pieces(folding.match_id, folding.position, length):
            folding.take(records, last, self._breathe)

    def _pieces(
        self, match_id: UUID, after: int, upto: int
    ) -> Iterator[tuple[list[Record[Event]], bytes]]:
        """The records behind a position, some at a time and commands whole, and what says
        which is the last of each."""
        records: list[Record[Event]] = []
        states: list[bytes] = []
        while after < upto:
            found = self._store.states(match_id, after, min(after + PIECE, upto))
            if not found:
                raise Unfit
            after += len(found)
            states += found
            records += decode_all(found)
            end = len(records) if after == upto else _last_input(records)
            if end:
                yield records[:end], last_of(states[end - 1])
                del records[:end], states[:end]

    def _breathe(self) -> None:
        """Rests, if it is time. Raises Stopped when the instance stops."""
        if self._stopped.is_set():
            raise Stopped
        if perf_counter() - self._worked_since >= WORK_SECONDS:
            sleep(REST_SECONDS)
            self._worked_since = perf_counter()

    async def _aside(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Does it in the thread; None if it fails, which is logged."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._own, lambda: do(*args, **kwargs))
        except Stopped:
            return None
        except Exception as error:  # noqa: BLE001  the record says it all
            logs.failed("snapshot_not_made", error)
            return None


def _last_input(records: list[Record[Event]]) -> int:
    """How many records stand before the last one that came from outside; 0 if there is none but
    the first."""
    for end in range(len(records) - 1, 0, -1):
        if is_input(records[end].event):
            return end
    return 0
