"""Ids of matches and tournaments as people type them: whole, or a beginning that only one has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple
from uuid import UUID

import rich_click as click
from msgspec import Struct

from arbiter_client import Arbiter
from domain.events import Event, stored_name
from domain.match.events import MatchCreated
from domain.tournament.events import TournamentCreated
from projections.texts.plain_text import plain
from service.cli.console import few
from service.cli.options import operator_errors, require_store, settings
from service.cli.service_connection import foreign
from service.event_store.reading import DAMAGED, StoreReader, reading

Kind = Literal["match", "tournament"]

FEWEST, WHOLE = 4, 32
"""Hexadecimal digits of the shortest beginning that is looked up, and of an id."""

MOST_NAMED = 8
"""Maximum ids that an error lists."""

LISTED = MOST_NAMED + 1
"""Maximum ids that are asked of a service."""

PAGE = 100
"""Ids that are read of a store at once."""

_FIRST_EVENTS: dict[Kind, type[Event]] = {"match": MatchCreated, "tournament": TournamentCreated}


class Candidate(NamedTuple):
    """An id that begins as it was typed, and words by which people know whose it is."""

    id: str
    words: str = ""


class IdType(click.ParamType[str]):
    """An id, or the beginning of one; the value is its hexadecimal digits."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The digits. Fails for a text that is neither."""
        digits = digits_of(value)
        if digits is None:
            wanted = f"at least {FEWEST} characters of one are needed"
            self.fail(f"{value!r} is no id: {wanted}", param, ctx)
        return digits


ID = IdType()


def digits_of(typed: str) -> str | None:
    """The hexadecimal digits of an id or of its beginning, which may have its hyphens; None for
    any other text."""
    digits = typed.replace("-", "").lower()
    return digits if re.fullmatch(rf"[0-9a-f]{{{FEWEST},{WHOLE}}}", digits) else None


def _only(digits: str, kinds: Sequence[Kind], found: Sequence[Candidate]) -> UUID:
    """The only id that was found. Raises an error for the user, which lists several."""
    what = " or ".join(kinds)
    if not found:
        raise click.ClickException(f"no {what} here has an id that begins with {digits}")
    if len(found) > 1:
        named = [f"  {one.id}  {plain(one.words)}".rstrip() for one in found[:MOST_NAMED]]
        more = ["  and more"] if len(found) > MOST_NAMED else []
        raise click.ClickException(
            "\n".join([f"several ids begin with {digits}; type more of one:", *named, *more])
        )
    return UUID(found[0].id)


# In a store.


def stored_id(data: Path, digits: str, kind: Kind) -> UUID:
    """The id that begins with these digits in the store of a folder; a whole one is not looked up.
    Raises an error for the user if none does, or several do."""
    if len(digits) == WHOLE:
        return UUID(digits)
    chosen = settings(data)
    require_store(chosen)
    return id_in(chosen.store, digits, kind)


def id_in(store: Mapping[str, str], digits: str, *kinds: Kind) -> UUID:
    """The same in this store, by its environment, for ids of any of these kinds."""
    if len(digits) == WHOLE:
        return UUID(digits)
    try:
        with operator_errors():
            found = _kept(store, digits, kinds)
    except DAMAGED as error:
        raise click.ClickException(f"the store cannot be read: {error}") from None
    return _only(digits, kinds, found)


def _kept(store: Mapping[str, str], digits: str, kinds: Sequence[Kind]) -> list[Candidate]:
    """The ids in a store that begin with the digits, and at most one more than an error lists."""
    firsts = [stored_name(_FIRST_EVENTS[kind]).encode() for kind in kinds]
    with reading(store) as reader:
        found = (one for one in _streams(reader, digits) if _first(reader, one) in firsts)
        return [Candidate(str(one)) for one in islice(found, MOST_NAMED + 1)]


def _streams(reader: StoreReader, digits: str) -> Iterator[UUID]:
    """The ids of all streams that begin with the digits, in order."""
    after = f"{max(int(digits.ljust(WHOLE, '0'), 16) - 1, 0):032x}"
    while page := reader.streams(after, PAGE):
        for stream in page:
            if not stream.startswith(digits):
                return
            yield UUID(stream)
        after = page[-1]


def _first(reader: StoreReader, stream: UUID) -> bytes:
    """The stored name of a stream's first event; empty without one."""
    rows = reader.rows(stream, 0, 1, 1)
    return rows[0].row.topic if rows else b""


# At a running service.


class _Row(Struct):
    """What is read of a match or a tournament in its list."""

    id: str
    game: str = ""
    seats: tuple[str, ...] = ()
    name: str = ""


def served_id(service: Arbiter, digits: str, kind: Kind) -> UUID:
    """The id that begins with these digits at a service; a whole one is not looked up. Raises an
    error for the user if none does, or several do.

    Lists are in the order of ids, the newest first: one page of them, from the last id that could
    begin so, has all there are or enough to list.
    """
    if len(digits) == WHOLE:
        return UUID(digits)
    path = "matches" if kind == "match" else "tournaments"
    rows = service.rows(path, path, _Row, after=UUID(digits.ljust(WHOLE, "f")), limit=LISTED)
    found = []
    for row in islice(rows, LISTED):
        own = digits_of(row.id)
        if own is None:
            raise foreign("its list has an id that is none")
        if own.startswith(digits):
            found.append(Candidate(row.id, row.name or f"{row.game}  {few(row.seats)}"))
    return _only(digits, (kind,), found)
