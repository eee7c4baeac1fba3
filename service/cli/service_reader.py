"""Reads a match of a running service over HTTP, as far as a key allows."""

from msgspec import Struct

from projections.disclosure import Viewer, viewer
from projections.lines import record_of
from projections.timeline import Shown
from service.cli.progress import progress_bar
from service.cli.service_connection import CausedLine, MatchConnection, foreign


class ReadMatch(Struct, frozen=True):
    """What a service shows of a match: the events of one audience, in its own count."""

    match: str
    audience: Viewer
    shown: list[Shown]


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
    shown: list[Shown] = []
    with progress_bar() as bar:
        task = bar.add_task("reading events", total=seen.seq)
        for line in connection.timeline(seen.audience):
            if line.seq != len(shown) + 1:
                raise foreign(f"event {line.seq} stands where {len(shown) + 1} should")
            shown.append(_shown(line))
            bar.update(task, completed=line.seq)
    return ReadMatch(seen.match, reader, shown)


def _shown(line: CausedLine) -> Shown:
    """The event, whose input stands as far back as in the reader's own count."""
    cause = line.seq if line.input else line.cause
    try:
        return Shown(line.seq, cause, record_of(line, line.seq - (cause or 0)))
    except (KeyError, ValueError, OverflowError, TypeError):
        raise foreign(f"event {line.seq} ({line.type}) is not one of this release") from None
