"""The scrub: judges the whole store in the background, slowly, again and again.

It has a thread of its own that works for a small share of the time, on its own connection. Where it
is, it remembers in the store. What it finds closes a record as it does for a request that finds it.

A round goes through the ids in their order. So what is not reached yet was judged in the round
before, or has come since then. A round begins after half of a day.
"""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from uuid import UUID

import msgspec
from msgspec import Struct

from service.checking.findings import Judged
from service.checking.rows import Stopped
from service.checking.streams import judge_stream
from service.clock import Clock
from service.event_store.integrity.checked_records import ClosedRecords
from service.event_store.integrity.digests import RecordAltered
from service.event_store.properties import Properties
from service.event_store.reading import DAMAGED, FIRST, UNANSWERED, StoreReader, reading
from service.observability import logs

NAME = "scrub"
"""The name of the property with the round."""

SHARE = 0.02
"""The part of a core that is used."""

START_SECONDS = 60.0
"""Pause after the start of an instance, which has other work then."""

IDLE_SECONDS = 60.0
"""Pause when everything was judged lately, or the store does not answer."""

WORK_SECONDS = 0.001
"""Seconds of work before a pause in proportion to it."""

MAX_REST_SECONDS = 10.0
"""Maximum seconds of such a pause."""

FEW = 8
"""Streams that are judged before it is remembered where the scrub is."""

HALF_A_DAY = 12 * 3_600_000_000
"""In microseconds. A round has the rest of the day."""


class ScrubRound(Struct):
    """The present round, or the last one if it is `complete`: when it `began`, and the id up to
    which everything is judged. `before` is when the complete round before it began, or, if there
    was none, the first."""

    began: int
    before: int
    after: str = FIRST
    complete: bool = False

    def oldest(self, now: int) -> int:
        """For how long at most something has not been judged, in microseconds."""
        return now - (self.began if self.complete else self.before)

    def due(self, now: int) -> bool:
        """Whether there is something to judge. Begins the next round if it is time."""
        if self.complete and now - self.began >= HALF_A_DAY:
            self.before, self.began = self.began, now
            self.after, self.complete = FIRST, False
        return not self.complete


# Made at import: decoding happens in a thread, and a type's first use must not be in a thread.
_decoder = msgspec.json.Decoder(ScrubRound)


def decode_round(state: bytes | None, now: int) -> ScrubRound:
    """The stored round; the first one if there is none that can be read."""
    try:
        return ScrubRound(now, now) if state is None else _decoder.decode(state)
    except msgspec.DecodeError:
        return ScrubRound(now, now)


class StoreDamaged(logs.OperatorError):
    """Something next to the records of matches is damaged."""


class Scrub:
    """Judges one store for as long as `run` runs."""

    def __init__(
        self, env: Mapping[str, str], properties: Properties, closed: ClosedRecords, clock: Clock
    ) -> None:
        self._env = env
        self._properties = properties
        self._closed = closed
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, "scrub")
        self._worked_since = 0.0
        self._ends = [threading.Event()]

    async def run(self) -> None:
        """Judges for as long as the instance leads; it goes on where the last leader stopped."""
        await asyncio.sleep(START_SECONDS)
        loop, end = asyncio.get_running_loop(), threading.Event()
        self._ends.append(end)
        try:
            while True:
                await loop.run_in_executor(self._thread, self._work, end)
                await asyncio.sleep(IDLE_SECONDS)
        finally:
            end.set()
            self._ends.remove(end)

    def oldest(self) -> float:
        """For how long at most something has not been judged, in seconds. Blocks."""
        now = self._clock.now()
        return decode_round(self._properties.get(NAME), now).oldest(now) / 1e6

    def close(self) -> None:
        """Gives up what is being judged, and waits for that. Blocks."""
        for end in list(self._ends):
            end.set()
        self._thread.shutdown()

    # In the thread.

    def _work(self, end: threading.Event) -> None:
        """Judges until everything was judged lately enough, or the store does not answer."""
        try:
            with reading(self._env) as reader:
                self.judge_due(
                    reader, decode_round(self._properties.get(NAME), self._clock.now()), end
                )
        except Stopped:
            return
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("scrub_failed", error)

    def judge_due(self, reader: StoreReader, due: ScrubRound, end: threading.Event) -> None:
        """Judges everything that is due. Raises Stopped when `end` is set, and errors of a database
        that does not answer."""
        self._worked_since = perf_counter()
        while due.due(self._clock.now()):
            streams = reader.streams(due.after, FEW)
            for stream in streams:
                self._judge(reader, stream, end)
                due.after = stream
            due.complete = len(streams) < FEW
            self._properties.set(NAME, msgspec.json.encode(due))

    def _judge(self, reader: StoreReader, stream: str, end: threading.Event) -> None:
        try:
            match = UUID(stream)
        except ValueError:
            logs.failure("store_damaged", StoreDamaged(f"no stream has this id: {stream!r}"))
            return
        try:
            judged = judge_stream(reader, match, lambda: self._pause(end))
        except UNANSWERED:
            raise
        except DAMAGED as error:
            self._closed.close(RecordAltered(match, f"the database cannot read it: {error}"))
            return
        self._report(match, judged)

    def _report(self, match: UUID, judged: Judged) -> None:
        """Closes a damaged record."""
        for unjudged in judged.unjudged:
            logs.failure("scrub_failed", StoreDamaged(unjudged.text), match=str(match))
        if judged.findings:
            first = judged.findings[0]
            altered = match if first.stream is None else UUID(first.stream)
            self._closed.close(RecordAltered(altered, first.text, first.position))

    def _pause(self, end: threading.Event) -> None:
        """Pauses if it is time, in proportion to the work since the last pause."""
        worked = perf_counter() - self._worked_since
        if worked >= WORK_SECONDS:
            end.wait(min(MAX_REST_SECONDS, worked * (1 / SHARE - 1)))
            self._worked_since = perf_counter()
        if end.is_set():
            raise Stopped
