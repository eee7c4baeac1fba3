"""Judges a whole store, or streams of it; and compares its lists with those that its log gives,
made anew in a temporary file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from projections.audience.disclosure import viewer
from service.checking.findings import Finding, Judged, Unjudged
from service.checking.streams import judge_streams
from service.event_store.database import Cursor, SQLiteDatabase, lacks, select_from, table_pages
from service.event_store.reading import DAMAGED, FIRST, UNANSWERED, StoreReader, reading
from service.event_store.reads import COLUMNS, KEY, TABLE
from service.read_models.follower import ignore_unreadable, select_position
from service.read_models.index import Index
from service.read_models.tables import DERIVED_TABLES, NAME, TABLES

MAX_FINDINGS = 10
"""Maximum findings in one table: rebuilding the lists repairs all of them."""

POSITION = select_position(NAME)

Row = tuple[Any, ...]


def judge_read_models(reader: StoreReader, log: StoreReader) -> Judged:
    """Compares every table of the index, as `reader` finds it at one moment, with what the log up
    to its position gives; `log` reads the same store on another connection.

    The memory that it needs does not grow with the store; its temporary file does.
    """
    if lacks(reader.database, *DERIVED_TABLES):
        return Judged()
    with TemporaryDirectory(prefix="arbiter-check-") as folder:
        index_database = SQLiteDatabase(str(Path(folder) / "index.db"))
        index_database.create(TABLES)
        with closing(Index(index_database, log)) as index:
            index.follower.on_unreadable = ignore_unreadable
            # Most of the log is read before the transaction, so that this is short.
            _read_log(index, log, _position(reader.database.select(POSITION)))
            with reader.database.snapshot() as cursor:
                position = _position(select_from(cursor, POSITION))
                end = _read_log(index, log, position)
                with index_database.snapshot() as expected:
                    judgement = _compare(expected, cursor)
    if position > end:
        text = f"the lists have read the log up to {position:,}, and it ends at {end:,}"
        judgement.findings.insert(0, Finding("log", text))
    return judgement


def _read_log(index: Index, log: StoreReader, position: int) -> int:
    """Reads the log into an index up to a position, or to its end if that is before; returns it."""
    end = min(position, log.max_notification_id())
    for _ in index.follower.pages(end):
        pass
    return end


def _position(rows: Sequence[Row]) -> int:
    """The position of the index in this format; 0 if it has none."""
    return int(rows[0][0]) if rows else 0


def _compare(expected: Cursor, actual: Cursor) -> Judged:
    judgement = Judged()
    for table in DERIVED_TABLES:
        differences: list[Finding] = []
        for due_row, row in _side_by_side(table, expected, actual):
            judgement.listed += 1
            if due_row != row and len(differences) < MAX_FINDINGS:
                differences.append(_difference(table, due_row, row))
        judgement.findings += differences
    return judgement


def _side_by_side(
    table: str, expected: Cursor, actual: Cursor
) -> Iterator[tuple[Row | None, Row | None]]:
    """The rows of a table of both databases, by the table's key."""
    primary = "SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk"
    key = [name for (name,) in select_from(expected, primary, (table,))]
    due_rows, actual_rows = _rows(table, key, expected), _rows(table, key, actual)
    due_row, row = next(due_rows, None), next(actual_rows, None)
    while due_row is not None or row is not None:
        if row is None or (due_row is not None and due_row[: len(key)] < row[: len(key)]):
            yield due_row, None
            due_row = next(due_rows, None)
        elif due_row is None or row[: len(key)] < due_row[: len(key)]:
            yield None, row
            row = next(actual_rows, None)
        else:
            yield due_row, row
            due_row, row = next(due_rows, None), next(actual_rows, None)


def _rows(table: str, key: Sequence[str], cursor: Cursor) -> Iterator[Row]:
    """The rows of a table in the order of its key, which comes first in each."""
    names = ", ".join(key)
    for page in table_pages(partial(select_from, cursor), table, f"{names}, *", names, PAGE):
        yield from (tuple(map(_plain, row)) for row in page)


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _difference(table: str, due_row: Row | None, actual: Row | None) -> Finding:
    row = actual if due_row is None else due_row
    assert row is not None, "one of them is there"
    what = (
        "has a row too many" if due_row is None else "lacks a row" if actual is None else "differs"
    )
    stream = next((value for value in row if _is_id(value)), None)
    return Finding("indexes", f"the list {table} {what}", stream)


def _is_id(text: Any) -> bool:
    try:
        UUID(text)
    except (ValueError, AttributeError, TypeError):
        return False
    return True


STREAMS = 16
"""Streams that are judged before their rows are reported."""

PAGE = 1_000
"""Ids of streams, or rows of a table, in memory at once."""

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
    judgement = Judged()
    # The lists are compared on one connection with the log on another.
    with reading(env) as reader, reading(env) as log:
        for name, judge in (
            ("file", _judge_file),
            ("lists", partial(judge_read_models, log=log)),
            ("log", _judge_log),
            ("reads", _judge_reads),
        ):
            try:
                judgement.add(judge(reader))
            except UNANSWERED as error:
                judgement.add(Judged(unjudged=[Unjudged(f"{name}: no answer: {error}")]))
            except DAMAGED as error:
                text = f"{name}: the database cannot read it: {error}"
                judgement.add(Judged(findings=[Finding("file", text)]))
    judgement.add(check_streams(env, None, progress))
    return judgement


def check_streams(
    env: Env, streams: Sequence[str] | None, progress: Progress = ignore_progress
) -> Judged:
    """Judges these streams, given by their ids in hexadecimal, or all."""
    judgement = Judged()
    with reading(env) as reader:
        for ids in _streams(reader, judgement) if streams is None else [streams]:
            judged = judge_streams(reader, ids)
            progress(judged.rows)
            judgement.add(judged)
    return judgement


def size(env: Env) -> int:
    """The number of rows in the log of a store, approximately."""
    with suppress(*DAMAGED), reading(env) as reader:
        return reader.extent()[0]
    return 0


def _streams(reader: StoreReader, judgement: Judged) -> Iterator[Sequence[str]]:
    """All streams, a few at a time."""
    after = FIRST
    try:
        while page := reader.streams(after, PAGE):
            for start in range(0, len(page), STREAMS):
                yield page[start : start + STREAMS]
            after = page[-1]
    except UNANSWERED as error:
        judgement.add(Judged(unjudged=[Unjudged(f"no stream after {after} was judged: {error}")]))
    except DAMAGED as error:
        text = f"the database cannot list its streams after {after}: {error}"
        judgement.add(Judged(findings=[Finding("file", text)], unjudged=[Unjudged(text)]))


def _judge_log(reader: StoreReader) -> Judged:
    """The positions of the log in the embedded store, where rows are never deleted and every
    position is used. PostgreSQL leaves gaps itself."""
    if reader.file is None:
        return Judged()
    count, last = reader.extent()
    if count == last:
        return Judged()
    findings = [
        Finding("log", f"no row has position {position:,} of the log")
        for position in reader.missing_positions(INTEGRITY)
    ]
    return Judged(findings=findings)


def _judge_file(reader: StoreReader) -> Judged:
    if reader.file is None:
        return Judged()
    lines = reader.database.select(f"PRAGMA integrity_check({INTEGRITY})")
    return Judged(findings=[Finding("file", str(line)) for (line,) in lines if line != "ok"])


def _judge_reads(reader: StoreReader) -> Judged:
    """Judges every row: its match is there, and has at least as many rows as were read, unless
    that was before the store went back."""
    judgement = Judged(history=reader.history())
    if lacks(reader.database, TABLE):
        return judgement
    went_back = max((event.at + NOTICED for event in judgement.history), default=-1)
    for page in table_pages(reader.database.select, TABLE, COLUMNS, KEY, PAGE):
        for row in page:
            if (wrong := _wrong_read(reader, row, went_back)) is not None:
                judgement.findings.append(Finding("reads", wrong, str(row[0])))
        judgement.reads += len(page)
        if len(judgement.findings) >= MAX_READ_FINDINGS:
            break
    return judgement


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
