"""Joins a store to another one: what only the source has is added to the target.

- The log, the secrets, the keyrings and the idempotent requests are streams. If both stores have a
  stream, one of the two must be the beginning of the other: the longer one counts. New rows of the
  log follow those of the target, in their order.
- Of two digests of a stream the one that covers more counts.
- Of two rows of the account of reads one is made that covers both.
- Streams that a store has once lie beside the keyrings. The target's incarnation and history stay
  its own; the history says that a store was joined. Lists, such as that of all revocations, get the
  entries that only the source has. The clocks get the source's jumps, under new numbers.

Nothing of the target moves, so its readers need not notice. The readers of the source find another
incarnation.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from service.event_store import clock_log, reads
from service.event_store.clock_log import CLOCKS
from service.event_store.copy import (
    CopyDiffers,
    Progress,
    Sums,
    TableTally,
    encode_row,
    ignore_progress,
    tallied,
)
from service.event_store.dump import DIGESTS, KEYRINGS, LOG, READS, TABLES, DumpedRow, StoreDump
from service.event_store.incarnation import INCARNATIONS
from service.event_store.store_history import HISTORY, StoreJoined, encode_event, name_of

ALL = 2**62
"""A version that no row has."""

KINDS = {
    "tournament": "tournament",
    "case": "case",
    "log": "the stream of checkpoints",
    "secret": "the secrets of match",
    "key": "the keys of match or tournament",
    "invitation": "the stream of invitations",
    "request": "the idempotency key of request",
    "store": "the digest of match",
}
"""What a stream is, by the beginning of the stored names of its events; others are matches."""

Rows = Sequence[DumpedRow]


class Collision(PersistenceError):
    """Both stores have something of one id that is not the same."""

    def __init__(self, kind: str, stream: bytes) -> None:
        super().__init__(
            f"{kind} {UUID(bytes=stream)} is in both stores and not the same in both:"
            " TARGET stays as it is"
        )


class Content(Struct):
    """Rows of a table in any order: their number, and the sum of their SHA-256."""

    rows: int = 0
    hashes: int = 0

    def add(self, rows: Rows, times: int = 1) -> None:
        """Adds rows; with -1 for `times` it takes them away."""
        hashes = (sha256(encode_row(row)).digest() for row in rows)
        self.rows += times * len(rows)
        self.hashes += times * sum(map(int.from_bytes, hashes))


class Difference(NamedTuple):
    """What a table of the target lacks: of each stream in `known` the source's rows behind that
    version, of all others every row, and `new` ones, some in the place of those that are `gone`."""

    known: dict[bytes, int]
    new: Rows = ()
    gone: Rows = ()

    def pages(self, source: Iterable[Rows]) -> Iterator[Rows]:
        """Everything to be inserted."""
        for page in source:
            if rows := [row for row in page if row[1] > self.known.get(row[0], -1)]:
                yield rows
        if self.new:
            yield self.new


def join(
    source: StoreDump,
    target: StoreDump,
    lists: Collection[UUID],
    at: int,
    progress: Progress = ignore_progress,
) -> Sums:
    """Adds to the target what only the source has, reads the target again to compare, and returns
    the sums of what was added. `lists` are the streams beside the keyrings that a store has once
    and whose entries do not depend on their numbers; `at` is the time in microseconds since 1970.

    Raises Collision, CopyDiffers, and other PersistenceErrors: the target must then be rolled back.
    """
    expected = {table: _content(target.pages(table), progress) for table in TABLES}
    log_length = expected[LOG].rows
    sent = {}
    for table in TABLES:
        # Made before anything is inserted: PostgreSQL answers nothing in between.
        difference = _difference(table, source, target, lists)
        target.remove(table, difference.gone)
        expected[table].add(difference.gone, -1)
        tally = TableTally()
        pages = tallied(difference.pages(source.pages(table)), tally, progress)
        target.insert(table, _added(pages, expected[table]))
        sent[table] = tally.sum()
    if any(one.rows for one in sent.values()):
        entry = [_joined(target, StoreJoined(at, sent[LOG].rows))]
        target.insert(KEYRINGS, [entry])
        expected[KEYRINGS].add(entry)
    _require_joined(target, expected, log_length, sent, progress)
    return sent


def _content(pages: Iterable[Rows], progress: Progress) -> Content:
    found = Content()
    for page in pages:
        found.add(page)
        progress("reading", len(page))
    return found


def _added(pages: Iterable[Rows], content: Content) -> Iterator[Rows]:
    for page in pages:
        content.add(page)
        yield page


def _require_joined(
    target: StoreDump,
    expected: dict[str, Content],
    log_length: int,
    sent: Sums,
    progress: Progress,
) -> None:
    """Raises CopyDiffers if a row is missing, has changed or is one too many, or if the new rows of
    the log stand in another order."""
    for table in TABLES:
        found, behind = Content(), TableTally()
        for page in target.pages(table):
            behind.add(page[max(0, log_length - found.rows) :])
            found.add(page)
            progress("reading again", len(page))
        if found != expected[table] or (table == LOG and behind.sum() != sent[LOG]):
            raise CopyDiffers(
                f"{table}: {sent[table].rows:,} rows were sent, and TARGET does not have these"
                " beside its own"
            )


# What a table lacks.


def _difference(
    table: str, source: StoreDump, target: StoreDump, lists: Collection[UUID]
) -> Difference:
    if table in (DIGESTS, READS):
        return _by_row(table, source, target)
    if table != KEYRINGS:
        return Difference(_overlap(table, source, target, {}))
    own = dict.fromkeys((one.bytes for one in (INCARNATIONS, HISTORY, CLOCKS, *lists)), ALL)
    new = [row for one in lists for row in _of_list(one.bytes, source, target)]
    return Difference(_overlap(table, source, target, own), [*new, *_of_clocks(source, target)])


def _overlap(
    table: str, source: StoreDump, target: StoreDump, apart: dict[bytes, int]
) -> dict[bytes, int]:
    """The length in the target of each stream that both have, and of those that are `apart`. Raises
    Collision if neither is the beginning of the other."""
    known = dict(apart)
    for stream, ours, theirs in _in_both(source.lengths(table), target.lengths(table)):
        if stream in apart:
            continue
        upto = min(ours, theirs)
        one, other = (dump.rows(table, stream, upto) for dump in (source, target))
        if one != other:
            raise Collision(_kind([*one, *other]), stream)
        known[stream] = theirs
    return known


def _in_both(
    ours: Iterator[tuple[bytes, int]], theirs: Iterator[tuple[bytes, int]]
) -> Iterator[tuple[bytes, int, int]]:
    """The streams that are in both of two ordered lists, with their lengths."""
    one, other = next(ours, None), next(theirs, None)
    while one is not None and other is not None:
        if one[0] == other[0]:
            yield *one, other[1]
        step = one[0]
        if step <= other[0]:
            one = next(ours, None)
        if step >= other[0]:
            other = next(theirs, None)


def _kind(rows: Rows) -> str:
    return KINDS.get(rows[0][2].partition(".")[0], "match") if rows else "the stream"


def _by_row(table: str, source: StoreDump, target: StoreDump) -> Difference:
    """The rows of each stream that both have are compared by their names."""
    known, new, gone = dict[bytes, int](), list[DumpedRow](), list[DumpedRow]()
    for stream, *_ in _in_both(source.lengths(table), target.lengths(table)):
        known[stream] = ALL
        named = {row[2]: row for row in target.rows(table, stream, ALL)}
        for row in source.rows(table, stream, ALL):
            there = named.get(row[2])
            both = row if there is None else _both(table, there, row)
            if both != there:
                new.append(both)
                gone += [] if there is None else [there]
    return Difference(known, new, gone)


def _both(table: str, one: DumpedRow, other: DumpedRow) -> DumpedRow:
    """The row that counts of two of the same name. Raises Collision."""
    if table == READS:
        both = reads.joined(one, other)
        if both is None:
            raise Collision("the account of reads of match", one[0])
        return both
    if one[1] == other[1] and one != other:
        raise Collision(_kind([one]), one[0])
    return max(one, other, key=lambda row: row[1])


def _of_list(stream: bytes, source: StoreDump, target: StoreDump) -> list[DumpedRow]:
    """The entries of a list that only the source has, behind those of the target."""
    there = target.rows(KEYRINGS, stream, ALL)
    known = {row[2:] for row in there}
    new = [row for row in source.rows(KEYRINGS, stream, ALL) if row[2:] not in known]
    return [(stream, n, *row[2:]) for n, row in enumerate(new, len(there) + 1)]


def _of_clocks(source: StoreDump, target: StoreDump) -> list[DumpedRow]:
    stream = CLOCKS.bytes
    there, others = (
        [state for *_, state in dump.rows(KEYRINGS, stream, ALL)] for dump in (target, source)
    )
    new = clock_log.joined(there, others)
    return [(stream, n, *entry) for n, entry in enumerate(new, len(there) + 1)]


def _joined(target: StoreDump, event: StoreJoined) -> DumpedRow:
    number = len(target.rows(KEYRINGS, HISTORY.bytes, ALL)) + 1
    return (HISTORY.bytes, number, name_of(event), encode_event(event))
