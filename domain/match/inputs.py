"""Inputs as they stand on the record, and the commands that they were."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from msgspec import UNSET, Struct

from domain.cases.match_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Event, Record
from domain.match.commands import (
    REUSED_KEY,
    Act,
    BeReady,
    CloseCase,
    ClosePhase,
    Command,
    CommitSeed,
    EndKey,
    EndProtests,
    EnterDraw,
    GiveClientSeed,
    IssueKey,
    MoveDeadline,
    NameSeat,
    OpenCase,
    PassDeadline,
    RenameSeat,
    RevealSeed,
    SettleDraw,
    Start,
)
from domain.match.deadlines import Absence
from domain.match.events import (
    ActionReceived,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawRefused,
    DrawSettled,
    MatchStarted,
    NameSalted,
    PhaseClosed,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeatNamed,
    SeatReady,
    SeedCommitted,
    SeedRevealed,
)
from domain.match.key_events import (
    KeyEvent,
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.match.state import AnyGame, Match, convert_action
from domain.people import Actor
from domain.rulings.commands import (
    ConsentToRuling,
    LapseRuling,
    Past,
    Rule,
    SecondRuling,
    WithdrawRuling,
)
from domain.rulings.events import (
    MatchConfirmed,
    MatchRuled,
    Ruled,
    RulingConsented,
    RulingLapsed,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
    SealedRuled,
    SeatRuled,
)
from domain.rulings.kinds import AnyRuling, Rewind

ORPHAN = "it is no input, and follows from none that stands before it"
UNDIRECTED = "match.directed.1 should stand right behind it, and does not"

LookBack = Callable[[Rewind], Past]
"""What a rewind looks back on, in the record so far."""

Keys = set[tuple[int, str]]
"""The seats' idempotency keys that have been used."""


class NotGiven(Exception):
    """The event is no input, but the consequence of one that does not stand before it, or it is
    incomplete; the message says which."""


class Given(Struct, frozen=True):
    """Where an input was given: in a match before it, by an `actor`, after these keys. `order` is
    the ruling that it carries out, `salts` are those of the seats' names; `look_back` gives what a
    rewind looks back on."""

    game: AnyGame
    match: Match
    keys: Keys
    actor: Actor | None
    order: RulingOrdered | None
    salts: tuple[bytes, ...]
    look_back: LookBack


def given_in(
    batch: Sequence[Record[Event]], game: AnyGame, match: Match, keys: Keys, look_back: LookBack
) -> Given:
    """Where the input of a batch was given."""
    events = [record.event for record in batch]
    direction = next((event for event in events if isinstance(event, Directed)), None)
    order = next((event for event in events if isinstance(event, RulingOrdered)), None)
    actor = None if direction is None else Actor.of(direction)
    salts = tuple(event.salt for event in events if isinstance(event, NameSalted))
    return Given(game, match, keys, actor, order, salts=salts, look_back=look_back)


def command_of(event: Event, context: Given) -> Command:
    """The command of which this is the first event. Raises NotGiven if it is of none."""
    command = _COMMANDS.get(type(event))
    if command is not None:
        return command(event, context)
    raise NotGiven(ORPHAN)


def _action(event: ActionReceived, context: Given) -> Act:
    """The action; under an idempotency key only the first counts."""
    refuse = None
    if event.key is not None:
        used_key = event.seat, event.key
        refuse = REUSED_KEY if used_key in context.keys else None
        context.keys.add(used_key)
    action = convert_action(context.game, event.action)
    recorded_at = event.recorded if isinstance(event.recorded, int) else None
    key_id = event.key_id if isinstance(event.key_id, str) else None
    return Act(
        seat=event.seat,
        action=action,
        sent_fields=event.action,
        key=event.key,
        fingerprint=event.fingerprint,
        refuse=refuse,
        recorded=recorded_at,
        key_id=key_id,
    )


def _settled(event: DrawSettled | SealedDrawSettled, context: Given) -> Command:
    if event.by == "manual":
        return _entered(event, context)
    assert event.key_commit is not None and context.match.created.chance == "server"
    return SettleDraw(event.outcome, event.key_commit)


def _entered(event: DrawSettled | SealedDrawSettled | DrawRefused, context: Given) -> Command:
    """An outcome as it was sent: a refused one is recorded with orders as lists."""
    outcome = tuple(tuple(part) if isinstance(part, list) else part for part in event.outcome)
    return EnterDraw(event.id, outcome, _by(context))


def _by(context: Given) -> Actor:
    """Who gave an order: its record names them (/docs/api#people-and-keys)."""
    if context.actor is None:
        raise NotGiven(UNDIRECTED)
    return context.actor


def _issued(
    event: SeatKeyIssued | ModeratorKeyIssued, seat: int | None, name: str | None, context: Given
) -> IssueKey:
    return IssueKey(event.key_id, seat, name, _by(context), renews=event.renews)


def _case_opened(event: MatchCaseOpened, context: Given) -> Command:
    """A case opened by a seat, or by one who is named."""
    return OpenCase(event.case, None if event.by_seat else _by(context))


def _case_closed(event: MatchCaseClosed, context: Given) -> Command:
    """A case closed by a ruling is no input."""
    if event.ruling is not None:
        raise NotGiven(ORPHAN)
    return CloseCase(event.case, _by(context))


def _ruled(event: Ruled, context: Given) -> Rule | SecondRuling:
    """A ruling is an input together with what it orders: carried out at once, or pending before."""
    by, order = _by(context), context.order
    if order is None:
        raise NotGiven(ORPHAN)
    if context.match.rulings.waiting(order.id) is not None:
        return SecondRuling(order.id, by, _past_of_pending(order.id, context))
    return _rule(event, order, context)


def _rule(
    event: Ruled | RulingProposed, order: RulingOrdered | RulingProposed, context: Given
) -> Rule:
    return Rule(
        id=order.id,
        ruling=order.ruling,
        reason=event.reason,
        actor=_by(context),
        rule=event.rule,
        appeals=event.appeals,
        case=order.case,
        ask_seats=isinstance(order, RulingProposed) and order.ask_seats,
        past=_past_of(order.ruling, context),
    )


def _consented(event: RulingConsented, context: Given) -> ConsentToRuling:
    return ConsentToRuling(event.id, event.giver, _past_of_pending(event.id, context))


def _past_of(ruling: AnyRuling, context: Given) -> Past | None:
    """What a ruling looks back on; None for those that do not."""
    return context.look_back(ruling) if isinstance(ruling, Rewind) else None


def _past_of_pending(ruling: str, context: Given) -> Past | None:
    waiting = context.match.rulings.waiting(ruling)
    return None if waiting is None else _past_of(waiting.ruling, context)


def _named(event: SeatNamed, context: Given) -> NameSeat | RenameSeat:
    """The name of a seat that has none yet, or another one."""
    command = NameSeat if context.match.unnamed else RenameSeat
    return command(event.seat, event.name, event.blind)


def _moved(event: DeadlineSet, _given: Given) -> Command:
    """A deadline moved by a ruling is no input."""
    if event.because != "absence":
        raise NotGiven(ORPHAN)
    return MoveDeadline(Absence(event.begun, event.ended))


_COMMANDS: Mapping[type[Event], Callable[[Any, Given], Command]] = {
    SeedCommitted: lambda event, context: CommitSeed(event, context.salts),
    SeatNamed: _named,
    ClientSeedGiven: lambda event, _: GiveClientSeed(event.seat, event.seed),
    SeedRevealed: lambda event, _: RevealSeed(event.epoch, event.seed),
    SealedSeedRevealed: lambda event, _: RevealSeed(event.epoch, event.seed),
    DeadlinePassed: lambda _event, _given: PassDeadline(),
    DeadlineSet: _moved,
    MatchConfirmed: lambda _event, _given: EndProtests(),
    RulingLapsed: lambda event, _: LapseRuling(event.id),
    SeatReady: lambda event, _: BeReady(event.seat),
    MatchStarted: lambda _, context: Start(_by(context)),
    ActionReceived: _action,
    DrawSettled: _settled,
    SealedDrawSettled: _settled,
    DrawRefused: _entered,
    PhaseClosed: lambda event, context: ClosePhase(event.phase, _by(context)),
    SeatKeyIssued: lambda event, context: _issued(event, event.seat, None, context),
    SeatKeyEnded: lambda event, context: EndKey(event.key_id, event.seat, _by(context)),
    ModeratorKeyIssued: lambda event, context: _issued(event, None, event.name, context),
    ModeratorKeyEnded: lambda event, context: EndKey(event.key_id, None, _by(context)),
    MatchCaseOpened: _case_opened,
    MatchCaseClosed: _case_closed,
    MatchRuled: _ruled,
    SeatRuled: _ruled,
    SealedRuled: _ruled,
    RulingProposed: lambda event, context: _rule(event, event, context),
    RulingWithdrawn: lambda event, context: WithdrawRuling(event.id, _by(context)),
    RulingConsented: _consented,
}


_ALWAYS = (
    MatchStarted,
    DrawRefused,
    PhaseClosed,
    RulingProposed,
    RulingWithdrawn,
    *get_args(KeyEvent),
    *get_args(Ruled),
)


def is_order(record: Record[Event]) -> bool:
    """Whether the event is an input right behind which stands who gave it."""
    event = record.event
    if record.back:
        return False
    if isinstance(event, DrawSettled | SealedDrawSettled):
        return event.by == "manual"
    if isinstance(event, MatchCaseOpened):
        return not event.by_seat
    if isinstance(event, MatchCaseClosed):
        return event.ruling is None
    return isinstance(event, _ALWAYS)


def undirected(records: Sequence[Record[Event] | None]) -> int | None:
    """The index of the first order after which no one is named. In place of what cannot be read
    stands None: it may name someone."""
    for index, record in enumerate(records):
        if record is not None and is_order(record):
            behind = records[index + 1 : index + 2]
            if not behind or not _may_direct(behind[0], record.event):
                return index
    return None


def _may_direct(record: Record[Event] | None, order: Event) -> bool:
    """Whether a record may name who gave an order: a seat only asks for rulings."""
    if record is None:
        return True
    if record.back != 1 or not isinstance(record.event, Directed):
        return False
    return record.event.giver is UNSET or isinstance(order, RulingProposed | RulingWithdrawn)
