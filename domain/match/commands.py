"""The commands of a match, and the codes of those it cannot execute."""

from collections.abc import Collection, Iterable
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from domain.chance.draws import Outcome
from domain.match.deadlines import Absence
from domain.match.events import SeedCommitted
from domain.people import Actor
from domain.rulings.commands import DirectedRuling, Rule, RulingCommand, SecondRuling

CONFLICTS = {
    "match_not_running": "The match is not running: not started yet, paused, or over.",
    "already_started": "The match has been started before.",
    "nothing_to_close": "No sealed phase is open and no deadline is in force, or the last one has "
    "just ended.",
    "no_draw_awaited": "The match does not wait for this draw.",
    "chance_is_server": "Chance in this match comes from the service, not by hand.",
    "match_not_over": "The match is not over: its players play on when it is.",
    "match_over": "The match is over: nothing more is reported of it.",
    "key_on_record": "This is already on record for that key.",
    "seat_taken": "Someone else has this seat of the open table.",
    "table_full": "All seats of the open table are taken.",
    "starts_by_itself": "An open table starts when all of its seats are ready.",
    "already_ready": "The seat is ready already.",
    "no_open_table": "The match is not an open table: its organiser assigns its seats, and starts "
    "it.",
    "seat_replaced": "Someone else has just taken over the seat.",
    "not_paused": "The match is not paused.",
    "chance_is_manual": "Chance in this match is entered by hand: there is no seed to add to.",
    "seed_sealed": "The seed has been sealed, with the start of the match, or the match is void: "
    "nothing can be added.",
    "case_closed": "The case is closed.",
    "case_open": "The case is open: there is nothing to appeal against.",
    "already_appealed": "A case can be appealed once, and this one was.",
    "appeal_too_late": "The time in which the case could be appealed is over.",
}
"""A sentence for every code of `Conflict`."""

DRAW_CODES = {
    "outcome_does_not_fit": "The outcome does not answer the parts of the draw, one by one."
}
"""A sentence for every code by which an outcome entered by hand can be refused."""

REUSED_KEY = "idempotency_key_reused"
REUSED_KEY_TEXT = "This idempotency key was used before, for something else."


class Conflict(Exception):
    """The match is not in a position for this command, or its sender may not give it; nothing is
    recorded. `status` is that of the match where it is the reason."""

    def __init__(self, code: str, status: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.status = status


def check_judge(
    actor: Actor, players: Iterable[str], people: Collection[str | None], same: str = "own_ruling"
) -> None:
    """Raises Conflict for one who plays, and for one who must be another person than these people:
    `same` if they are one of them."""
    if actor.is_one_of(players):
        raise Conflict("moderator_plays")
    fault = actor.fault(people, same)
    if fault is not None:
        raise Conflict(fault)


class BeReady(Struct, frozen=True):
    """The holder of a seat of an open table is ready to begin."""

    seat: int


class Start(Struct, frozen=True):
    """The seats are taken and the game begins."""

    actor: Actor


class Act(Struct, frozen=True):
    """A seat sends an action.

    `sent` is the action as JSON values. `refuse` is a code by which the service refuses it before
    the rules are asked (a reused idempotency key). `recorded` is when it was put on the record, if
    that was noticeably later than when it was received; `key_id` is the id of the sender's key,
    `tenure` says as which holder of the seat they send it (0 for the first); None for the
    present one.
    """

    seat: int
    action: Any
    sent_fields: dict[str, Any]
    key: str | None = None
    fingerprint: bytes | None = None
    refuse: str | None = None
    recorded: int | None = None
    key_id: str | None = None
    tenure: int | None = None


class CommitSeed(Struct, frozen=True):
    """The service commits itself to the seed of a new epoch; with the first, each seat gets the
    salt under which its name is committed to."""

    committed: SeedCommitted
    salts: tuple[bytes, ...] = ()


class NameSeat(Struct, frozen=True):
    """The service records whose a seat is that has no name yet; see `SeatNamed`."""

    seat: int
    name: str
    blind: bytes


class RenameSeat(Struct, frozen=True):
    """The service records the new name of a player of a tournament who has the seat; see
    `SeatNamed`. The `blind` is given when it is recorded."""

    seat: int
    name: str
    blind: bytes = b""


class GiveClientSeed(Struct, frozen=True):
    """A seat adds to the chance of the next epoch."""

    seat: int
    seed: str


class RevealSeed(Struct, frozen=True):
    """The service reveals the seed of an epoch."""

    epoch: int
    seed: bytes


class SettleDraw(Struct, frozen=True):
    """The service's generator answers the awaited draw."""

    outcome: Outcome
    key_commit: bytes


class EnterDraw(Struct, frozen=True):
    """A moderator enters the outcome of the draw `id`."""

    id: str
    outcome: tuple[Any, ...]
    actor: Actor


class PassDeadline(Struct, frozen=True):
    """The deadline in force has been reached."""


class MoveDeadline(Struct, frozen=True):
    """The service was away: the deadline in force is moved by the length of the absence. It is
    received at the absence's end."""

    absence: Absence


class EndProtests(Struct, frozen=True):
    """The protest window has ended: the result is final. It is received at the window's end."""


class ClosePhase(Struct, frozen=True):
    """A moderator ends a phase now, with the effect of its deadline. With `phase` it is the one
    that the moderator saw open, never one that has begun since; without it, the one that is
    open."""

    phase: str | None
    actor: Actor


class IssueKey(Struct, frozen=True):
    """A key was issued for the `seat`, or for a moderator with this `name`. `tenure` says for
    which holder of the seat it is (0 for the first); None for the present one. `renews` is the key
    in whose place it is, if its holder has renewed that."""

    key_id: str
    seat: int | None
    name: str | None
    actor: Actor
    tenure: int | None = None
    renews: str | UnsetType = UNSET


class EndKey(Struct, frozen=True):
    """A key was ended: of the `seat`, or of a moderator."""

    key_id: str
    seat: int | None
    actor: Actor


class OpenCase(Struct, frozen=True):
    """A case is opened, or open again because it was appealed: by a moderator or an organiser, or,
    without an `actor`, by a seat."""

    case: str
    actor: Actor | None = None


class CloseCase(Struct, frozen=True):
    """A moderator or an organiser closes a case by a note in it."""

    case: str
    actor: Actor


CaseCommand = OpenCase | CloseCase


def judges(command: object) -> bool:
    """Whether a command may have to come from another person than an earlier one."""
    if isinstance(command, Rule):
        return command.appeals is not None or command.case is not None
    return isinstance(command, SecondRuling | CloseCase)


Directable = Start | EnterDraw | ClosePhase | IssueKey | EndKey | CaseCommand | DirectedRuling
"""The commands of moderators and organisers. `actor` is who gave them, None for a case
that a seat has opened."""

Command = (
    CommitSeed
    | NameSeat
    | RenameSeat
    | GiveClientSeed
    | BeReady
    | Start
    | Act
    | SettleDraw
    | EnterDraw
    | PassDeadline
    | MoveDeadline
    | EndProtests
    | ClosePhase
    | IssueKey
    | EndKey
    | CaseCommand
    | RevealSeed
    | RulingCommand
)
