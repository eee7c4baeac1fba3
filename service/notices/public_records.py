"""Public records as the log has them."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.encoding import decode_all
from domain.events import Event, Record


class PublicRecord(NamedTuple):
    """A public record of a stream, at its position in the log."""

    position: int
    stream: str
    record: Record[Event]


def decoded(page: Sequence[tuple[int, str, bytes]]) -> list[PublicRecord]:
    """The records of a page. One that cannot be decoded is left out, and reported by the index."""
    try:
        records = decode_all([state for _, _, state in page])
    except Exception:  # noqa: BLE001  an upcaster may raise anything
        middle = len(page) // 2
        return [*decoded(page[:middle]), *decoded(page[middle:])] if middle else []
    return [
        PublicRecord(at, stream, record)
        for (at, stream, _), record in zip(page, records, strict=True)
    ]
