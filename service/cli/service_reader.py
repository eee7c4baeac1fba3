"""Reads a match of a running service over HTTP, as far as a key allows."""

from msgspec import Struct

from domain.events import Event, Record
from projections.disclosure import Viewer, viewer
from projections.lines import Line, record_of
from service.cli.progress import progress_bar
from service.cli.service_connection import MatchConnection, foreign


class ReadMatch(Struct, frozen=True):
    """What a service shows of a match: the events of one audience, in its own count."""

    match: str
    audience: Viewer
    records: list[Record[Event]]


class _Seen(Struct):
    """What is read of the answer of `/view`."""

    match: str
    audience: str
    seq: int


def read_match(connection: MatchConnection, audience: str | None) -> ReadMatch:
    """Everything of a match that this audience may see by now, or else that of the key. Raises an
    error for the user."""
    asked = {} if audience is None else {"as": audience}
    seen = connection.get("view", _Seen, asked)
    reader = viewer(seen.audience)
    if reader is None or seen.match != connection.match:
        raise foreign("it shows another match, or an audience that there is not")
    records: list[Record[Event]] = []
    with progress_bar() as bar:
        task = bar.add_task("reading events", total=seen.seq)
        for line in connection.lines(seen.audience):
            if line.seq != len(records) + 1:
                raise foreign(f"event {line.seq} stands where {len(records) + 1} should")
            records.append(_record(line))
            bar.update(task, completed=line.seq)
    return ReadMatch(seen.match, reader, records)


def _record(line: Line) -> Record[Event]:
    try:
        return record_of(line)
    except (KeyError, ValueError, OverflowError, TypeError):
        raise foreign(f"event {line.seq} ({line.type}) is not one of this release") from None
