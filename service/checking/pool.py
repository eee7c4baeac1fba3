"""Judges a whole store on all cores. Each process reads the store on a connection of its own."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, suppress
from itertools import chain
from typing import Any
from uuid import UUID

from projections.audience.disclosure import viewer
from service.checking.findings import Finding, Judged, Unjudged
from service.checking.read_models import judge_read_models
from service.checking.streams import judge_streams
from service.child_processes import spawn_context
from service.event_store.bulk_sql import table_pages
from service.event_store.database import lacks
from service.event_store.reading import DAMAGED, FIRST, UNANSWERED, StoreReader, reading
from service.event_store.reads import COLUMNS, KEY, TABLE

STREAMS = 16
"""Streams that a process judges before it takes others."""

PAGE = 1_000
"""Ids of streams in memory at once."""

WAITING = 4
"""Pieces of work for each process that are under way or wait."""

MAX_READ_FINDINGS = 10
"""Maximum findings in the account of reads."""

INTEGRITY = 20
"""Maximum lines of the database's own check."""

Env = Mapping[str, str]
Work = tuple[str, Sequence[str]]
"""What to judge: `file`, `log`, `lists`, `reads`, or `streams` with their ids."""

Progress = Callable[[int], None]
"""Receives the number of rows that were just judged."""

WHOLE: Sequence[Work] = (("file", ()), ("lists", ()), ("log", ()), ("reads", ()))
"""The work besides the streams. The longest comes first."""


def ignore_progress(_rows: int) -> None:
    """Progress that is not reported."""


def check_store(env: Env, jobs: int | None = None, progress: Progress = ignore_progress) -> Judged:
    """Judges everything in a store. `jobs` is the number of processes, by default one for each
    core.

    Raises errors of the database, and OSError, if the store cannot be opened.
    """
    found, cores = Judged(), jobs or os.cpu_count() or 1
    with reading(env) as reader, _processes(env, cores) as pool:
        work = chain(WHOLE, _streams(reader, found))
        under_way: set[Future[Judged]] = set()
        try:
            while True:
                for name, ids in work:
                    under_way.add(pool.submit(_judge, name, ids))
                    if len(under_way) >= WAITING * cores:
                        break
                if not under_way:
                    return found
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for one in done:
                    judged = one.result()
                    progress(judged.rows)
                    found.add(judged)
        except BrokenProcessPool:
            found.add(Judged(unjudged=[Unjudged("a process that judges has died")]))
            return found
        finally:
            for one in under_way:
                one.cancel()


def check_streams(
    env: Env, streams: Sequence[str] | None, progress: Progress = ignore_progress
) -> Judged:
    """Judges these streams, given by their ids in hexadecimal, or all, in this process."""
    found = Judged()
    with reading(env) as reader:
        work = _streams(reader, found) if streams is None else [("streams", streams)]
        for _, ids in work:
            judged = judge_streams(reader, ids)
            progress(judged.rows)
            found.add(judged)
    return found


def size(env: Env) -> int:
    """The number of rows in the log of a store, approximately."""
    with suppress(*DAMAGED), reading(env) as reader:
        return reader.extent()[0]
    return 0


def _streams(reader: StoreReader, found: Judged) -> Iterator[Work]:
    """All streams, in pieces of work."""
    after = FIRST
    try:
        while page := reader.streams(after, PAGE):
            for start in range(0, len(page), STREAMS):
                yield "streams", page[start : start + STREAMS]
            after = page[-1]
    except UNANSWERED as error:
        found.add(Judged(unjudged=[Unjudged(f"no stream after {after} was judged: {error}")]))
    except DAMAGED as error:
        text = f"the database cannot list its streams after {after}: {error}"
        found.add(Judged(findings=[Finding("file", text)], unjudged=[Unjudged(text)]))


# In the processes.

_open = ExitStack()
_readers: list[StoreReader] = []


def _processes(env: Env, cores: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(cores, spawn_context(), initializer=_begin, initargs=(dict(env),))


def _begin(env: Env) -> None:
    """Opens the store. Interrupts are for the process that shows the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The lists are compared on one connection with the log on another.
    _readers[:] = [_open.enter_context(reading(env)) for _ in range(2)]


def _judge(name: str, ids: Sequence[str]) -> Judged:
    reader, other = _readers
    try:
        match name:
            case "streams":
                return judge_streams(reader, ids)
            case "lists":
                return judge_read_models(reader, other)
            case "log":
                return _judge_log(reader)
            case "reads":
                return _judge_reads(reader)
        return _judge_file(reader)
    except UNANSWERED as error:
        return Judged(unjudged=[Unjudged(f"{name}: the database does not answer: {error}")])
    except DAMAGED as error:
        return Judged(findings=[Finding("file", f"{name}: the database cannot read it: {error}")])


def _judge_log(reader: StoreReader) -> Judged:
    """The positions of the log in the embedded store, where rows are never deleted and every
    position is used. PostgreSQL leaves gaps itself."""
    if reader.file is None:
        return Judged()
    count, last = reader.extent()
    if count == last:
        return Judged()
    found = [
        Finding("log", f"no row has position {position:,} of the log")
        for position in reader.missing_positions(INTEGRITY)
    ]
    return Judged(findings=found)


def _judge_file(reader: StoreReader) -> Judged:
    if reader.file is None:
        return Judged()
    lines = reader.database.select(f"PRAGMA integrity_check({INTEGRITY})")
    return Judged(findings=[Finding("file", str(line)) for (line,) in lines if line != "ok"])


def _judge_reads(reader: StoreReader) -> Judged:
    """Judges every row: its match is there, and has at least as many rows as were read."""
    found = Judged()
    if lacks(reader.database, TABLE):
        return found
    for page in table_pages(reader.database.select, TABLE, COLUMNS, KEY, PAGE):
        for row in page:
            if (wrong := _wrong_read(reader, row)) is not None:
                found.findings.append(Finding("reads", wrong, str(row[0])))
        found.reads += len(page)
        if len(found.findings) >= MAX_READ_FINDINGS:
            break
    return found


def _wrong_read(reader: StoreReader, row: tuple[Any, ...]) -> str | None:
    """What is wrong with a row; None if nothing is."""
    match, key_id, audience, _, _, _, seq, first, last = row
    try:
        stream = UUID(match)
        if viewer(audience) is None or not seq >= 0 or not 0 <= first <= last:
            raise ValueError
    except (ValueError, TypeError, AttributeError):
        return f"the row of key {key_id!r} as {audience!r} says what cannot be"
    if not reader.rows(stream, max(seq, 1) - 1, max(seq, 1), 1):
        return f"key {key_id!r} has read as {audience} up to {seq}, and the match has fewer events"
    return None
