"""What organisers and moderators are answered. Members that are not named here are left out."""

from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from arbiter_client.answers import Dated, Result, Row

Ruling = dict[str, Any]
"""A ruling as it is sent: its `kind`, its `reason`, and the fields of its kind."""


class Standing(Struct, frozen=True):
    """How a player has done in the matches of a tournament that count."""

    player: int
    name: str
    played: int
    won: int
    shared: int
    lost: int


class Outcome(Struct, frozen=True):
    """The result of a match, and the standings of its tournament."""

    result: Result | None = None
    standings: tuple[Standing, ...] | None = None


class Misfit(Struct, frozen=True):
    """The first later input that would not be legal any more, and why not."""

    seq: int
    code: str
    public_seq: int | None = None


class Learnt(Struct, frozen=True):
    """What a seat has received of what would be undone, by the moderators' numbers."""

    seat: int
    events: tuple[int, ...]


class Preview(Dated, frozen=True):
    """What a ruling would change. It is what `if_match` of the ruling takes. `undone` are the
    moderators' numbers of events."""

    before: Outcome
    after: Outcome
    undone: tuple[int, ...] = ()
    misfit: Misfit | None = None
    learnt: tuple[Learnt, ...] = ()


class Ruled(Struct, frozen=True):
    """What has become of a ruling: `carried_out`, as public ruling `n`, or `pending`. `key` is the
    new one to a seat that someone has taken over, shown this once; None if the first answer was
    lost, UNSET where there is none. `note` is the signed receipt."""

    ruling: str
    status: str
    n: int | None = None
    key: str | UnsetType | None = UNSET
    note: str | None = None


class RulingRow(Struct, frozen=True):
    """A ruling in the list. Its id and what is behind it are shown to those who may know. `asker`
    is the seat that asks for it."""

    kind: str
    status: str
    at: datetime
    reason: str
    to: str = "public"
    ruling: str | None = None
    n: int | None = None
    match: str | None = None
    result: Result | None = None
    asker: int | None = None
    by: tuple[str | None, ...] = ()
    ordered: dict[str, Any] = {}


class Draft(Dated, frozen=True):
    """A round of a stage as it would be published: who meets whom and why, and who does not. It is
    what `publish` takes."""

    stage: int
    round: int
    method: str
    version: str
    inputs: str
    pairings: tuple[Row, ...] = ()
    byes: tuple[Row, ...] = ()
