"""Where `arbiter audit` reads who has read what: in the store, or at a running service."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct, field

from arbiter_client import Match, ProblemError
from projections.disclosure import viewer
from projections.knowledge import Reading
from projections.plain_text import plain
from projections.timestamps import instant
from service.cli.service_connection import PAGE, foreign
from service.event_store.reading import reading
from service.event_store.reads import TABLE, reads_of
from service.event_store.store import Store

NOT_KEPT = "this store has no account of it"


class Reads(Struct, frozen=True):
    """Who has read what of a match; or why that is `unknown` here."""

    unknown: str | None = None
    readings: Sequence[Reading] = ()

    @property
    def by_keys(self) -> bool:
        """Whether these are the reads of each key, as moderators are shown them."""
        return any(one.audience is not None for one in self.readings)


class _Served(Struct):
    """What is read of a row of `/reads`."""

    person: str | None
    role: str
    seq: int
    first: str
    last: str
    key_id: str | None = None
    audience: str | None = field(name="as", default=None)


def stored_reads(store: Store, match: UUID) -> Reads:
    """The account in the database of a store."""
    with reading(store.env) as reader:
        if reader.database.lacks(TABLE):
            return Reads(NOT_KEPT)
        found = reads_of(reader.database, match)
    return Reads(
        None,
        [
            Reading(
                person=read.name,
                role=read.role,
                seq=read.seq,
                first=read.first,
                last=read.last,
                key_id=read.key_id,
                audience=viewer(read.audience),
            )
            for read in found
        ],
    )  # fmt: skip


def served_reads(match: Match) -> Reads:
    """The account as far as the service shows it to the key. Raises an error for the user."""
    try:
        found = list(match.rows("reads", "reads", _Served, limit=PAGE))
    except ProblemError as refused:
        return Reads(f"the service does not tell this key ({plain(refused.code)})")
    return Reads(None, [_reading(one) for one in found])


def _reading(served: _Served) -> Reading:
    audience = None if served.audience is None else viewer(served.audience)
    if served.audience is not None and audience is None:
        raise foreign(f"somebody has read as {served.audience}")
    try:
        first, last = instant(served.first), instant(served.last)
    except (ValueError, OverflowError) as error:
        raise foreign(str(error)) from None
    return Reading(
        person=served.person,
        role=served.role,
        seq=served.seq,
        first=first,
        last=last,
        key_id=served.key_id,
        audience=audience,
    )
