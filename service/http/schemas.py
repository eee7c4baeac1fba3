"""Bodies of requests and answers, as Structs: the source of their description."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from domain.game import RecordRule, Whole
from domain.match_events import MOST_PROTEST_HOURS, Chance, ClockRule
from domain.ruling_kinds import RulingPeople
from projections.audience import View
from projections.fields import Next, Seat, ShownOnce
from projections.lines import Line
from projections.timestamps import Timestamp

MOST_SEATS = 64
LONGEST_REASON = 2_000


class NewMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to create. `options` are the game's own; what is left out has its default."""

    game: Annotated[str, Meta(description="The id of a game", examples=["dollar-prize"])]
    seats: Annotated[
        tuple[str, ...],
        Meta(
            max_length=MOST_SEATS,
            description="The names of the seats, in order",
            examples=[["Ann", "Ben"]],
        ),
    ]
    options: Annotated[
        dict[str, Any], Meta(description="The game's own options: see `GET /v1/games/{game}`")
    ] = {}
    chance: Annotated[Chance, Meta(description="Who answers draws: the service or a moderator")] = (
        "server"
    )
    clock: Annotated[ClockRule, Meta(description="Whether the game's deadlines run")] = "none"
    record: Annotated[
        RecordRule | None,
        Meta(
            description="Whether anyone may read everything once the match is over; by default "
            "what is usual for the game: mostly `opened_at_end`"
        ),
    ] = None
    tournament: Annotated[
        str | None,
        Meta(
            description="The id of the tournament it belongs to: its seats are names of the roster"
        ),
    ] = None
    rulings: Annotated[
        RulingPeople,
        Meta(
            description="How many people it takes to void the match, rule a result or replace a "
            "seat: `two` unless it says `single`"
        ),
    ] = "two"
    protest_hours: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_PROTEST_HOURS,
            description="For how many hours after its end the result is provisional, unless an "
            "organiser confirms it: until then nothing is opened, revealed or settled. By default "
            "0: it is final at once",
        ),
    ] = 0
    keys: Annotated[
        Literal["shown", "invitations"],
        Meta(
            description="Whether the keys of the seats are `shown` in the answer, as by default, or"
            " none are issued: then their holders get them by `invitations`, and nobody else has "
            "ever seen them"
        ),
    ] = "shown"
    has_looked_reason: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)] | None,
        Meta(
            description="In a tournament: why somebody is seated who has looked at what is hidden "
            "from another of these players. It is recorded if somebody has",
        ),
    ] = None


class SeatKey(Struct, frozen=True):
    """A seat and the key to it. `key` is shown once: null in the answer to a repeated request, and
    where seats get their keys by invitations."""

    seat: Seat
    name: str
    key: ShownOnce


class CreatedMatch(Struct, frozen=True):
    """A match and its keys. They are shown once and only their hashes are stored: in the answer to
    a repeated request they are null. `note` is signed: it holds the service to the options and
    names of the match and to its commitment to the seed."""

    id: str
    seats: list[SeatKey]
    moderator_key: ShownOnce
    note: Annotated[str, Meta(description="A signed note, the same if the request is repeated")]


class EnteredDraw(Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of the awaited draw, part by part, from a real table."""

    id: Annotated[str, Meta(description="The id of the draw", examples=["setup"])]
    outcome: Annotated[
        tuple[str | Whole | tuple[str | Whole, ...], ...],
        Meta(
            max_length=1_000,
            description='`"heads"` or `"tails"` for a flip, the items in their order for a '
            "shuffle, the number for a roll",
            examples=[["heads", "tails", "heads", "heads", "tails"]],
        ),
    ]


class Receipt(Struct, frozen=True):
    """The receipt of a recorded command.

    `valid` says whether it counts, `code` why not. `at` is when it was received, `seq` its number
    in the sender's own count (or the sender's count by then, if its event is not for the sender).
    A signed `note` says so to anybody, and holds the service to all that the sender had been told
    by then. A seat that may prove what it sent gets the `salt` that opens its commitment."""

    valid: bool
    code: Annotated[str | None, Meta(description="Why it does not count; null if it does")]
    seat: int | None
    seq: int
    at: Timestamp
    idempotency_key: Annotated[
        str | None, Meta(description="The `Idempotency-Key` of the request; null without one")
    ]
    note: str | None = None
    salt: bytes | None = None


class Taken(Struct, frozen=True):
    """The receipt of a recorded command, and the sender's view right after it."""

    receipt: Receipt
    view: View


class EventPage(Struct, frozen=True):
    """Some of an audience's events."""

    events: list[Line]
    next: Next


class StreamEnd(Struct, frozen=True):
    """The last line of a stream: the match is over, and everything has been sent."""

    end: Annotated[bool, Meta(description="Nothing follows", extra_json_schema={"const": True})]
    seq: Annotated[int, Meta(ge=0, description="The audience's own count")]


class GameSummary(Struct, frozen=True):
    """A game that can be played here."""

    id: str
    title: str
    rules_version: int
    seats: Annotated[tuple[int, int], Meta(description="The fewest and the most seats")]


class GameList(Struct, frozen=True):
    """All games."""

    games: list[GameSummary]


class GameAnswer(Struct, frozen=True):
    """A game: JSON Schemas (2020-12) of its options, actions, view and events, what each code of
    a refusal means, the rules in words (Markdown), and which record rules there are, the default
    first."""

    id: str
    title: str
    rules_version: int
    seats: Annotated[tuple[int, int], Meta(description="The fewest and the most seats")]
    options: dict[str, Any]
    actions: dict[str, Any]
    view: dict[str, Any]
    events: Annotated[
        dict[str, Any],
        Meta(description="The JSON Schema of the events: `type` beside what a line has in `data`"),
    ]
    codes: dict[str, str]
    rules: str
    records: Annotated[
        tuple[RecordRule, ...], Meta(description="What `record` can be; the first is the default")
    ]


class Health(Struct, frozen=True):
    """The service is up."""

    status: str
