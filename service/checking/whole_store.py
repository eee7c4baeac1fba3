"""Judges a whole store, or streams of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from projections.audience.disclosure import viewer
from service.checking.findings import Finding, Judged, Unjudged
from service.checking.read_models import judge_read_models
from service.checking.streams import judge_streams
from service.event_store.bulk_sql import table_pages
from service.event_store.database import lacks
from service.event_store.reading import DAMAGED, FIRST, UNANSWERED, StoreReader, reading
from service.event_store.reads import COLUMNS, KEY, TABLE

STREAMS = 16
"""Streams that are judged before their rows are reported."""

PAGE = 1_000
"""Ids of streams in memory at once."""

MAX_READ_FINDINGS = 10
"""Maximum findings in the account of reads."""

NOTICED = 60_000_000
"""Microseconds after a loss was noticed in which every instance has noticed it."""

INTEGRITY = 20
"""Maximum lines of the database's own check."""

Env = Mapping[str, str]

Progress = Callable[[int], None]
"""Receives the number of rows that were just judged."""


def ignore_progress(_rows: int) -> None:
    """Progress that is not reported."""


def check_store(env: Env, progress: Progress = ignore_progress) -> Judged:
    """Judges everything in a store. Raises errors of the database, and OSError, if the store cannot
    be opened."""
    found = Judged()
    # The lists are compared on one connection with the log on another.
    with reading(env) as reader, reading(env) as log:
        for name, judge in (
            ("file", _judge_file),
            ("lists", partial(judge_read_models, log=log)),
            ("log", _judge_log),
            ("reads", _judge_reads),
        ):
            try:
                found.add(judge(reader))
            except UNANSWERED as error:
                found.add(Judged(unjudged=[Unjudged(f"{name}: no answer: {error}")]))
            except DAMAGED as error:
                text = f"{name}: the database cannot read it: {error}"
                found.add(Judged(findings=[Finding("file", text)]))
    found.add(check_streams(env, None, progress))
    return found


def check_streams(
    env: Env, streams: Sequence[str] | None, progress: Progress = ignore_progress
) -> Judged:
    """Judges these streams, given by their ids in hexadecimal, or all."""
    found = Judged()
    with reading(env) as reader:
        for ids in _streams(reader, found) if streams is None else [streams]:
            judged = judge_streams(reader, ids)
            progress(judged.rows)
            found.add(judged)
    return found


def size(env: Env) -> int:
    """The number of rows in the log of a store, approximately."""
    with suppress(*DAMAGED), reading(env) as reader:
        return reader.extent()[0]
    return 0


def _streams(reader: StoreReader, found: Judged) -> Iterator[Sequence[str]]:
    """All streams, a few at a time."""
    after = FIRST
    try:
        while page := reader.streams(after, PAGE):
            for start in range(0, len(page), STREAMS):
                yield page[start : start + STREAMS]
            after = page[-1]
    except UNANSWERED as error:
        found.add(Judged(unjudged=[Unjudged(f"no stream after {after} was judged: {error}")]))
    except DAMAGED as error:
        text = f"the database cannot list its streams after {after}: {error}"
        found.add(Judged(findings=[Finding("file", text)], unjudged=[Unjudged(text)]))


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
    """Judges every row: its match is there, and has at least as many rows as were read, unless
    that was before the store went back."""
    found = Judged(history=reader.history())
    if lacks(reader.database, TABLE):
        return found
    went_back = max((one.at + NOTICED for one in found.history), default=-1)
    for page in table_pages(reader.database.select, TABLE, COLUMNS, KEY, PAGE):
        for row in page:
            if (wrong := _wrong_read(reader, row, went_back)) is not None:
                found.findings.append(Finding("reads", wrong, str(row[0])))
        found.reads += len(page)
        if len(found.findings) >= MAX_READ_FINDINGS:
            break
    return found


def _wrong_read(reader: StoreReader, row: tuple[Any, ...], went_back: int) -> str | None:
    """What is wrong with a row; None if nothing is."""
    match, key_id, audience, _, _, _, seq, first, last = row
    try:
        stream = UUID(match)
        if viewer(audience) is None or not seq >= 0 or not 0 <= first <= last:
            raise ValueError
    except (ValueError, TypeError, AttributeError):
        return f"the row of key {key_id!r} as {audience!r} says what cannot be"
    if first > went_back and not reader.rows(stream, max(seq, 1) - 1, max(seq, 1), 1):
        return f"key {key_id!r} has read as {audience} up to {seq}, and the match has fewer events"
    return None
