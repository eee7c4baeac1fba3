"""Judges the account of reads against the rows of its matches."""

from typing import Any
from uuid import UUID

from projections.disclosure import viewer
from service.checking.findings import Finding, Judged
from service.event_store.reading import StoreReader
from service.event_store.reads import COLUMNS, KEY, TABLE

PAGE = 1_000
"""Rows in memory at once."""

MAX_FINDINGS = 10
"""Maximum findings in the account."""

_FIRST_PAGE = f"SELECT {COLUMNS} FROM {TABLE} ORDER BY {KEY} LIMIT ?"  # noqa: S608  the table's name
_NEXT_PAGE = (
    f"SELECT {COLUMNS} FROM {TABLE} WHERE ({KEY}) > (?, ?, ?, ?)"  # noqa: S608  the table's name
    f" ORDER BY {KEY} LIMIT ?"
)

Row = tuple[Any, ...]


def judge_reads(reader: StoreReader) -> Judged:
    """Judges every row: its match is there, and has at least as many rows as were read."""
    found = Judged()
    if reader.database.lacks(TABLE):
        return found
    page = reader.database.select(_FIRST_PAGE, (PAGE,))
    while page and len(found.findings) < MAX_FINDINGS:
        for row in page:
            if (wrong := _wrong(reader, row)) is not None:
                found.findings.append(Finding("reads", wrong, str(row[0])))
        found.reads += len(page)
        page = reader.database.select(_NEXT_PAGE, (*page[-1][:4], PAGE))
    return found


def _wrong(reader: StoreReader, row: Row) -> str | None:
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
