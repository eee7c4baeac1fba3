"""What can happen to a match of any game. The tags are the storage format."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.cases.match_events import CaseEvent
from domain.chance.draws import DrawnBy, Outcome, Part
from domain.events import Event, Instant, PublicEvent, SealedEvent, SeatEvent
from domain.game import RecordRule, Result
from domain.match.key_events import KeyEvent
from domain.rulings.events import MatchConfirmed, MatchVoided, RewindEvent, RulingEvent
from domain.rulings.kinds import RulingPeople

Chance = Literal["server", "manual"]
ClockRule = Literal["none", "rules"]

MOST_PROTEST_HOURS = 366 * 24
ProtestHours = Annotated[int, Meta(ge=1, le=MOST_PROTEST_HOURS)]
"""How long after its end the result of a match is provisional."""


LONGEST_LABEL = 64
Label = Annotated[str, Meta(min_length=1, max_length=LONGEST_LABEL)]
"""A text with which people know a match, or what it is played for: public."""


class MatchCreated(PublicEvent, frozen=True, tag="match.created.1"):
    """The first event: what is played, by how many, and by which rules and options. `rulings` says
    how many people certain rulings need: two if it is missing. Without `protest_hours` the result
    is final at the end. `title` is what its organiser calls it, `prize` what it is played for. An
    open `table` has no moderator and no organiser: its seats are taken by a link, and it starts
    when all are ready (/docs/api#open-tables). `again` is the table whose players play on at it."""

    game: str
    rules_version: int
    options: dict[str, Any]
    seats: int
    chance: Chance = "server"
    clock: ClockRule = "none"
    record: RecordRule = "opened_at_end"
    tournament: str | None = None
    rulings: RulingPeople | UnsetType = UNSET
    protest_hours: ProtestHours | UnsetType = UNSET
    title: Label | UnsetType = UNSET
    prize: Label | UnsetType = UNSET
    table: bool | UnsetType = UNSET
    again: str | UnsetType = UNSET


class SeedCommitted(PublicEvent, frozen=True, tag="match.seed-committed.1"):
    """The service commits itself to the seed of an epoch, before anyone can add to it.

    `scheme` says how everything follows from it; `rules_hash` and `roster_hash` say what is played
    and by whom. `names` are the hashes of each seat's salted name, of which the roster hash is
    made.
    """

    epoch: int
    scheme: str
    commit: bytes
    rules_hash: bytes
    roster_hash: bytes
    names: tuple[bytes, ...]


class NameSalted(SeatEvent, frozen=True, tag="match.name-salted.1"):
    """The salt, of 16 bytes, of the seat's name in the roster hash. With it the seat can prove
    that the name is its own; without it names cannot be guessed."""

    salt: bytes


class SeatNamed(PublicEvent, frozen=True, tag="match.seat-named.1"):
    """Whose the seat is from here on, by name. It follows the creation and the commitment to
    the seed, and every change; by itself it says that the player has another name. No rule reads
    it, so a name can be withheld and all else still be judged. `blind` is 16 secret bytes: without
    them a guess of the name cannot be confirmed from the hash of the event's leaf."""

    seat: int
    name: str
    blind: bytes


class ClientSeedGiven(PublicEvent, frozen=True, tag="match.client-seed-given.1"):
    """A seat adds to the chance of the epoch to come; its last one counts."""

    seat: int
    seed: str


class SeedSealed(PublicEvent, frozen=True, tag="match.seed-sealed.1"):
    """From here on nothing can be added. Every draw of the epoch follows from the seed and from
    `transcript`, which includes `clients`, the hash of the seats' seeds."""

    epoch: int
    clients: bytes
    transcript: bytes


class SeedRevealed(PublicEvent, frozen=True, tag="match.seed-revealed.1"):
    """The seed of an epoch, from which anyone can derive every draw again."""

    epoch: int
    seed: bytes


class SealedSeedRevealed(SealedEvent, frozen=True, tag="match.sealed-seed-revealed.1"):
    """The seed of an epoch for moderators only, where the record stays closed and the seed
    would open it."""

    epoch: int
    seed: bytes


class SeatReady(PublicEvent, frozen=True, tag="match.seat-ready.1"):
    """The holder of a seat of an open table is ready to begin; the match starts when all are."""

    seat: int


class MatchStarted(PublicEvent, frozen=True, tag="match.started.1"):
    """The match begins."""


class ActionReceived(SeatEvent, frozen=True, tag="match.action-received.1"):
    """An action as its seat sent it, allowed by the rules or not.

    `key` is the sender's idempotency key, `fingerprint` the SHA-256 of the action, stored with it
    so that a repeat can always be recognised. The time of the record is when the action was
    received; `recorded` is set only if it was put on the record a second or more later. `key_id`
    is the id of the key by which it came, so that two holders of a seat's keys can be told apart.
    """

    action: dict[str, Any]
    key: str | None = None
    fingerprint: bytes | None = None
    recorded: Instant | UnsetType = UNSET
    key_id: str | UnsetType = UNSET

    def masked(self) -> "ActionReceived":
        """The kind of action alone. A fingerprint could be guessed from."""
        return replace(self, action={"type": self.action["type"]}, fingerprint=None)


class ActionRefused(SeatEvent, frozen=True, tag="match.action-refused.1"):
    """The action before it was refused and changed nothing in the game."""

    code: str


class DrawShown(Struct, frozen=True):
    """An awaited draw as the public sees it: a sealed one without id and parts."""

    id: str | None = None
    parts: tuple[Part, ...] | None = None


class SubmissionInvalid(SeatEvent, frozen=True, tag="match.submission-invalid.1"):
    """The sealed submission before it does not count, because of the rule `code`."""

    code: str


class AwaitingChanged(PublicEvent, frozen=True, tag="match.awaiting-changed.1"):
    """Whom or what the match waits for from now on.

    `phase` is the rules' name for a wait that a deadline or a moderator can end, `deadline` the
    instant at which it ends by itself if the clock runs.
    """

    seats: tuple[int, ...] = ()
    draw: DrawShown | None = None
    phase: str | None = None
    deadline: Instant | None = None


class DrawAsked(SealedEvent, frozen=True, tag="match.draw-asked.1"):
    """A sealed draw is awaited; a public one is in `AwaitingChanged` itself."""

    id: str
    parts: tuple[Part, ...]


class DrawSettled(PublicEvent, frozen=True, tag="match.draw-settled.1"):
    """Chance answered a public draw. `by` is who: the service's generator, a moderator, or a ruling
    that rewound the match to before it.

    `key_commit` commits the generator to the key of this draw; there is none for a draw entered by
    hand.
    """

    id: str
    outcome: Outcome
    by: DrawnBy
    key_commit: bytes | None = None


class SealedDrawSettled(SealedEvent, frozen=True, tag="match.sealed-draw-settled.1"):
    """Chance answered a sealed draw; the game's events show what concerns others."""

    id: str
    outcome: Outcome
    by: DrawnBy
    key_commit: bytes | None = None


class DrawRefused(SealedEvent, frozen=True, tag="match.draw-refused.1"):
    """A moderator entered an outcome that does not answer the draw."""

    id: str
    outcome: tuple[Any, ...]
    code: str


TURNED_DOWN = (ActionRefused, SubmissionInvalid, DrawRefused)
"""The events that say why an input does not count."""


class DeadlinePassed(PublicEvent, frozen=True, tag="match.deadline-passed.1"):
    """The deadline was reached; its record has the deadline's own instant."""

    phase: str


class DeadlineSet(
    PublicEvent, frozen=True, tag="match.deadline-set.1", rename={"begun": "from", "ended": "to"}
):
    """The deadline of the open phase is `deadline` from now on, later than before.

    The service was away (`absence`) from `begun` until `ended`, stored as `from` and `to`, and the
    deadline is as much later; or a `ruling` extended it, from the instant that it had to the one
    that it has. A wait for a time of day after it counts from the instant that it had before it
    was first moved, unless that wait would then be over before it begins.
    """

    phase: str
    deadline: Instant
    because: Literal["absence", "ruling"]
    begun: Instant
    ended: Instant


class PhaseClosed(PublicEvent, frozen=True, tag="match.phase-closed.1"):
    """A moderator ended the phase by hand, with the effect of its deadline."""

    phase: str


class Directed(SealedEvent, frozen=True, tag="match.directed.1"):
    """Who gave the input right before it: a moderator or an organiser, by the name for which
    the key was issued, and by the key's id; or the seat `giver`, which asks for a ruling or gives
    up what it asked for, by the key's id alone. For a second to a ruling, a decision on an appeal
    or a closed case it says who issued the key, by name and by the id of their own, and since
    when it has been its holder's."""

    by: str | None
    key_id: str
    issued_by: str | UnsetType | None = UNSET
    issuer: str | UnsetType = UNSET
    theirs_since: Instant | UnsetType | None = UNSET
    giver: int | UnsetType = UNSET


class MatchPaused(PublicEvent, frozen=True, tag="match.paused.1"):
    """Clocks stand still; `left` is what remains of the deadline in force, in microseconds. Of a
    match that is paused already it says that more remains: a ruling extended the deadline.

    `first_due` is set only if a rewind opened another phase meanwhile: the instant at which its
    deadline would have passed without the pause.
    """

    left: int | None = None
    first_due: Instant | UnsetType = UNSET


class MatchResumed(PublicEvent, frozen=True, tag="match.resumed.1"):
    """The match goes on after a pause."""


class MatchEnded(PublicEvent, frozen=True, tag="match.ended.1"):
    """The match has a result. Where there is a protest window, it is provisional until
    `match.confirmed.1`; `protests_until` is the instant at which the window ends."""

    result: Result
    protests_until: Instant | UnsetType = UNSET


MatchEvent = (
    MatchCreated
    | SeedCommitted
    | NameSalted
    | SeatNamed
    | ClientSeedGiven
    | SeedSealed
    | SeedRevealed
    | SealedSeedRevealed
    | SeatReady
    | MatchStarted
    | ActionReceived
    | ActionRefused
    | SubmissionInvalid
    | AwaitingChanged
    | DrawAsked
    | DrawSettled
    | SealedDrawSettled
    | DrawRefused
    | DeadlinePassed
    | DeadlineSet
    | PhaseClosed
    | Directed
    | KeyEvent
    | CaseEvent
    | MatchPaused
    | MatchResumed
    | MatchEnded
    | RulingEvent
    | RewindEvent
)


def makes_over(event: Event) -> bool:
    """Whether a match is over from this event on: its result is final, or it is void."""
    if isinstance(event, MatchEnded):
        return event.protests_until is UNSET
    return isinstance(event, MatchConfirmed | MatchVoided)
