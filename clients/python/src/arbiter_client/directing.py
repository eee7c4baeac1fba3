"""What organisers and moderators are answered. Members that are not named here are left out."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from arbiter_client.answers import Dated, Event, Result

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
    """What a seat alone has learnt of what would be undone, by the moderators' numbers."""

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
    new one to a seat that somebody has taken over, shown this once; None if the first answer was
    lost, UNSET where there is none. `note` is the signed receipt."""

    ruling: str
    status: str
    n: int | None = None
    key: str | UnsetType | None = UNSET
    note: str | None = None


class RulingRow(Struct, frozen=True):
    """A ruling in the list. Its id and what is behind it are shown to those who may know."""

    kind: str
    status: str
    at: datetime
    reason: str
    to: str = "public"
    ruling: str | None = None
    n: int | None = None
    match: str | None = None
    result: Result | None = None
    by: tuple[str | None, ...] = ()
    ordered: dict[str, Any] = {}


class Case(Struct, frozen=True):
    """Something that went wrong. `about` is the reader's own number of an event, `about_public` the
    public's. What was said and how it was closed are there where one case is read."""

    case: str
    status: str
    opened: datetime
    parties: tuple[int, ...]
    public: bool
    appealed: bool
    about: int | None = None
    about_public: int | None = None
    appeal_until: datetime | None = None
    statements: tuple[dict[str, Any], ...] = ()
    closings: tuple[dict[str, Any], ...] = ()


class MatchKey(Struct, frozen=True):
    """A valid key of a match: for which role, and for whom, by whom and when it was issued."""

    id: str
    role: str
    name: str | None
    since: datetime
    last_used: datetime | None
    issued_by: str | None = None
    theirs_since: datetime | None = None
    own: bool = False


class TimelineEntry(Event, frozen=True, kw_only=True):
    """An event with what is known of it: who did `what`, when its input was `recorded`, the number
    of the input that was its `cause`, and the `code` of the rule that it is against."""

    recorded: datetime
    what: str
    actor: str | None
    input: bool
    cause: int | None
    code: str | None = None
    rule: str | None = None


class Read(Struct, frozen=True):
    """Somebody has read a match, from when to when, and how far. `as_` is None for players."""

    person: str | None
    role: str
    seq: int
    first: datetime
    last: datetime
    key_id: str | None = None
    as_: str | None = msgspec.field(name="as", default=None)


class Checkpoint(Struct, frozen=True):
    """The length of a match's log, the root of its tree in base64, and the signed note of both."""

    size: int
    root: str
    note: str


class ExportedMatch(Struct, frozen=True):
    """A match with its events, up to `seq`. With a `code` its record is damaged."""

    id: str
    match: dict[str, Any] = {}
    audience: str = "public"
    seq: int = 0
    events: tuple[Event, ...] = ()
    code: str | None = None


class TournamentRow(Struct, frozen=True):
    """A tournament in the list, and how many players, moderators and matches it has."""

    id: str
    name: str
    players: int
    moderators: int
    matches: int


class Person(Struct, frozen=True):
    """A player or moderator of a tournament; their number is in `player` or `moderator`. `key` is
    shown once."""

    name: str
    player: int | None = None
    moderator: int | None = None
    key: str | None = None


class CreatedTournament(Struct, frozen=True):
    """A new tournament. Its keys are shown this once: they are None if the first answer was
    lost."""

    id: str
    name: str
    players: tuple[Person, ...]
    moderators: tuple[Person, ...]


class TournamentMatch(Struct, frozen=True):
    """A match of a tournament: the numbers of its players, seat by seat, and of its moderators."""

    match: str
    game: str
    players: tuple[int, ...]
    moderators: tuple[int, ...]
    status: str
    result: Result | None


class TournamentView(Struct, frozen=True):
    """A tournament as everybody may see it."""

    id: str
    name: str
    players: tuple[Person, ...]
    moderators: tuple[Person, ...]
    matches: tuple[TournamentMatch, ...]
    standings: tuple[Standing, ...]


class Posting(Struct, frozen=True):
    """Garnets of a player, from one account to another. `reverses` is an earlier posting."""

    seq: int
    at: datetime
    player: int
    debit: str
    credit: str
    amount: int
    reason: str
    match: str | None = None
    reverses: int | None = None
