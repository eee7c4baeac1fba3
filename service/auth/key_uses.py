"""When each key to a match or a tournament was last used.

Requests only add to a set in memory. Once a second what was added gets its time, and once a minute
the times are written, so that a crash loses a minute of them at most.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from functools import partial
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError

from service.event_store.properties import Properties
from service.observability import logs

WRITE_SECONDS = 60

Times = dict[str, int]
"""When each key was last used, in microseconds, by the id of the key."""

_decoder = msgspec.msgpack.Decoder(Times)


class KeyUses:
    """The last uses of keys in one store. Any thread may call the methods."""

    def __init__(self, properties: Properties, clock: Callable[[], int]) -> None:
        self._properties = properties
        self._clock = clock
        self._recent: dict[tuple[UUID, str], None] = {}
        self._unwritten: dict[UUID, Times] = {}
        self._lock = threading.Lock()

    def note(self, match_id: UUID, key_id: str) -> None:
        """A key was used just now."""
        self._recent[match_id, key_id] = None

    async def run(self) -> None:
        """Stamps and writes for as long as the service runs."""
        while True:
            for _ in range(WRITE_SECONDS):
                await asyncio.sleep(1)
                self.stamp()
            await asyncio.to_thread(self.try_to_write)

    def try_to_write(self) -> None:
        """Writes; what cannot be written is written the next time. Blocks."""
        try:
            self.write()
        except PersistenceError as error:
            logs.failure("not_done", error, what="KeyUses.write")

    def stamp(self) -> None:
        """Gives what was noted since it was last called the time of now."""
        now = self._clock()
        with self._lock:
            # Others may add meanwhile: taking one by one is safe, going through them is not.
            while self._recent:
                (match_id, key_id), _ = self._recent.popitem()
                self._unwritten.setdefault(match_id, {})[key_id] = now

    def write(self) -> None:
        """Writes the times that are not written yet, a match at a time. Blocks."""
        self.stamp()
        for match_id in list(self._unwritten):
            with self._lock:
                times = self._unwritten.pop(match_id)
            try:
                self._properties.change(_name(match_id), partial(_merge, new=times))
            except BaseException:
                with self._lock:
                    self._unwritten[match_id] = _latest(times, self._unwritten.get(match_id, {}))
                raise

    def of(self, match_id: UUID) -> Times:
        """When each key of a match was last used: here up to now, on other instances up to when
        they last wrote. Blocks."""
        self.stamp()
        on_disk = _times(self._properties.get(_name(match_id)))
        with self._lock:
            return _latest(on_disk, self._unwritten.get(match_id, {}))


def _name(match_id: UUID) -> str:
    return f"key uses {match_id.hex}"


def _times(state: bytes | None) -> Times:
    return {} if state is None else _decoder.decode(state)


def _merge(state: bytes | None, new: Times) -> bytes:
    return msgspec.msgpack.encode(_latest(_times(state), new))


def _latest(times: Mapping[str, int], other: Mapping[str, int]) -> Times:
    """The later time of each key."""
    return {key: max(times.get(key, 0), other.get(key, 0)) for key in {**times, **other}}
