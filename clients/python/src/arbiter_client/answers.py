"""What the service answers. Members that are not named here are left out, so a newer service does
not disturb an older client."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from msgspec import Struct

Action = dict[str, Any]
"""An action as it is sent: its `type`, and its fields. The menu has the schema of each."""

Row = dict[str, Any]
"""What is answered, as it stands: the description of the API has its members."""


class GameSummary(Struct, frozen=True):
    """A game that can be played. `seats` are the fewest and the most."""

    id: str
    title: str
    rules_version: int
    seats: tuple[int, int]


class Game(GameSummary, frozen=True):
    """A game with the JSON Schemas of its options, actions, view and events, a sentence for each
    code of a refusal, its rules as Markdown, and the kinds of record that it allows."""

    options: dict[str, Any]
    actions: dict[str, Any]
    view: dict[str, Any]
    events: dict[str, Any]
    codes: dict[str, str]
    rules: str
    records: tuple[str, ...]


class SeatKey(Struct, frozen=True):
    """A seat and the key to it; None if it cannot be shown."""

    seat: int
    name: str
    key: str | None


class CreatedMatch(Struct, frozen=True):
    """A new match. Its keys are shown this once: they are None if the first answer was lost, and
    where seats get their keys by invitations. `note` is signed, and good as evidence."""

    id: str
    seats: tuple[SeatKey, ...]
    moderator_key: str | None
    note: str


class MatchRow(Struct, frozen=True):
    """A match in the public list. `tournament` is the id of the one it belongs to."""

    id: str
    game: str
    seats: tuple[str, ...]
    status: str
    tournament: str | None = None


class NewKey(Struct, frozen=True):
    """A key that was issued, shown once; None if the first answer was lost."""

    id: str
    key: str | None


class Draw(Struct, frozen=True):
    """A draw that the match waits for. What it is about is None for those who may not know it."""

    id: str | None
    parts: list[Any] | None


class Awaiting(Struct, frozen=True):
    """What the match waits for: seats, or a draw; and the instant at which that ends by itself."""

    seats: tuple[int, ...] = ()
    draw: Draw | None = None
    deadline: datetime | None = None


class Result(Struct, frozen=True):
    """How a match has ended. In a `shared` result all sharers are winners. `scores` are per seat.
    `final` is False as long as the result can be protested."""

    winners: tuple[int, ...]
    losers: tuple[int, ...]
    shared: bool
    scores: tuple[Any, ...]
    final: bool = True


class Dated(Struct, frozen=True, kw_only=True):
    """What was so at some time. `tag` is what `if_match` sends. `incarnation` is that of the
    service's records: if it changes, they have gone back to a backup."""

    tag: str | None = None
    incarnation: str | None = None

    @property
    def mark(self) -> str | None:
        """Its tag, or one that stands for it."""
        return self.tag


class View(Dated, frozen=True):
    """A match as an audience sees it after its first `seq` events, `public_seq` of which are
    public. `view` is the game's own, and None before the start."""

    match: str
    game: str
    audience: str
    seq: int
    status: str
    awaiting: Awaiting
    view: Any = None
    result: Result | None = None
    seats: tuple[str, ...] = ()
    public_seq: int | None = None

    @property
    def mark(self) -> str:
        """Its tag, or the short form of it."""
        return self.tag or f'"{self.audience}.{self.seq}"'

    @property
    def over(self) -> bool:
        """Whether nothing will be recorded any more: the result is final, or the match is void."""
        ended = self.status == "ended" and (self.result is None or self.result.final)
        return ended or self.status == "void"


class MenuEntry(Struct, frozen=True):
    """One kind of action: its JSON Schema, and `examples` that are accepted as they stand. Where
    `exact`, so is everything else that fits the schema."""

    type: str
    schema: dict[str, Any]
    exact: bool
    examples: tuple[Action, ...]
    title: str = ""
    description: str = ""


class Menu(Struct, frozen=True):
    """What a seat may do now.

    `awaited`: the match waits for the seat. `submitted`: it has done its part of a sealed phase.
    `standing` is what counts of it now, as an action.
    """

    actions: tuple[MenuEntry, ...]
    awaited: bool
    submitted: bool
    standing: Action | None = None


class Receipt(Struct, frozen=True, omit_defaults=True):
    """The receipt of what is on record. `valid` says whether it counts, `code` why not; `note` is
    signed, and good as evidence."""

    valid: bool
    code: str | None
    seat: int | None
    seq: int
    at: datetime
    idempotency_key: str | None
    note: str | None = None
    salt: str | None = None
    supersedes: str | None = None


class Taken(Struct, frozen=True):
    """The receipt of what was sent, and the sender's view right after it."""

    receipt: Receipt
    view: View


class Event(Struct, frozen=True):
    """An event of the audience, which counts its own: 1, 2, 3. `public_seq` is its number in the
    public's count, the one to cite when people talk; None if the public has not got it. A newer
    service has types that are not known here: they are passed on like all others."""

    seq: int
    at: datetime
    type: str
    data: dict[str, Any]
    public_seq: int | None = None


class Ticket(Struct, frozen=True):
    """Opens a match's stream where no key can be sent."""

    ticket: str
    expires: datetime


class Invitation(Struct, frozen=True):
    """An invitation to a seat. `link`, and `qr` as an SVG document of it, are shown this once."""

    id: str
    seat: int
    name: str
    expires: datetime
    link: str | None
    qr: str | None


class Accepted(Struct, frozen=True):
    """What an invitation gives: the key to a seat of a match."""

    match: str
    seat: int
    name: str
    key: str


Choose = Callable[[Menu, View], Action]
"""Picks an action from the menu; the view is what the seat sees."""

AsyncChoose = Callable[[Menu, View], Action | Awaitable[Action]]
