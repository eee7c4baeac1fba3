"""Inputs as they stand on the record, and the commands that they were."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.actions import understood
from domain.case_commands import CloseCase, OpenCase
from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.commands import (
    REUSED_KEY,
    Act,
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
    PassDeadline,
    RevealSeed,
    SaltName,
    SettleDraw,
    Start,
)
from domain.deadlines import Absence
from domain.events import Event, Record
from domain.key_events import ModeratorKeyEnded, ModeratorKeyIssued, SeatKeyEnded, SeatKeyIssued
from domain.match_events import (
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
    SeedCommitted,
    SeedRevealed,
)
from domain.match_state import AnyGame, Match
from domain.orders import UNDIRECTED
from domain.past import Past
from domain.people import Actor
from domain.ruling_commands import LapseRuling, Rule, SecondRuling, WithdrawRuling
from domain.ruling_events import (
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
from domain.ruling_inputs import LookBack, carried_out, consented, proposed
from domain.ruling_kinds import Rewind

ORPHAN = "it is no input, and follows from none that stands before it"

Keys = set[tuple[int, str]]
"""The seats' idempotency keys that have been used."""


class NotGiven(Exception):
    """The event is no input, but the consequence of one that does not stand before it, or it is
    incomplete; the message says which."""


def no_record(ruling: Rewind) -> Past:
    """Without a record nothing can be looked back on. Raises NotGiven."""
    raise NotGiven("there is no record to look back on")


class Given(Struct, frozen=True):
    """Where an input was given: in a match before it, by an `actor`, after these keys. `ordered` is
    the ruling that it carries out; `look_back` gives what a rewind looks back on."""

    game: AnyGame
    match: Match
    keys: Keys
    actor: Actor | None
    ordered: RulingOrdered | None = None
    look_back: LookBack = no_record


def given_in(
    batch: Sequence[Record[Event]], game: AnyGame, match: Match, keys: Keys, look_back: LookBack
) -> Given:
    """Where the input of a batch was given."""
    events = [record.event for record in batch]
    directed = next((event for event in events if isinstance(event, Directed)), None)
    ordered = next((event for event in events if isinstance(event, RulingOrdered)), None)
    actor = None if directed is None else Actor.of(directed)
    return Given(game, match, keys, actor, ordered, look_back)


def command_of(event: Event, given: Given) -> Command:
    """The command of which this is the first event. Raises NotGiven if it is of none."""
    alone, there = _ALONE.get(type(event)), _GIVEN.get(type(event))
    if alone is not None:
        return alone(event)
    if there is not None:
        return there(event, given)
    raise NotGiven(ORPHAN)


def _action(event: ActionReceived, given: Given) -> Act:
    """The action; under an idempotency key only the first counts."""
    refuse = None
    if event.key is not None:
        used = event.seat, event.key
        refuse = REUSED_KEY if used in given.keys else None
        given.keys.add(used)
    action = understood(given.game, event.action)
    recorded = event.recorded if isinstance(event.recorded, int) else None
    key_id = event.key_id if isinstance(event.key_id, str) else None
    return Act(
        seat=event.seat,
        action=action,
        sent=event.action,
        key=event.key,
        fingerprint=event.fingerprint,
        refuse=refuse,
        recorded=recorded,
        key_id=key_id,
    )


def _settled(event: DrawSettled | SealedDrawSettled, given: Given) -> Command:
    if event.by == "manual":
        return _entered(event, given)
    assert event.key_commit is not None and given.match.created.chance == "server"
    return SettleDraw(event.outcome, event.key_commit)


def _entered(event: DrawSettled | SealedDrawSettled | DrawRefused, given: Given) -> Command:
    """An outcome as it was sent: a refused one is recorded with orders as lists."""
    sent = tuple(tuple(part) if isinstance(part, list) else part for part in event.outcome)
    return EnterDraw(event.id, sent, _by(given))


def _by(given: Given) -> Actor:
    """Who gave an order: its record names them (/docs/api#people-and-keys)."""
    if given.actor is None:
        raise NotGiven(UNDIRECTED)
    return given.actor


def _issued(
    event: SeatKeyIssued | ModeratorKeyIssued, seat: int | None, name: str | None, given: Given
) -> IssueKey:
    return IssueKey(event.key_id, seat, name, _by(given), renews=event.renews)


def _case_opened(event: MatchCaseOpened, given: Given) -> Command:
    """A case opened by a seat, or by one who is named."""
    return OpenCase(event.case, None if event.by_seat else _by(given))


def _case_closed(event: MatchCaseClosed, given: Given) -> Command:
    """A case closed by a ruling is no input."""
    if event.ruling is not None:
        raise NotGiven(ORPHAN)
    return CloseCase(event.case, _by(given))


def _ruled(event: Ruled, given: Given) -> Rule | SecondRuling:
    """A ruling is an input together with what it orders."""
    by = _by(given)
    if given.ordered is None:
        raise NotGiven(ORPHAN)
    return carried_out(event, given.match, by, given.ordered, given.look_back)


def _moved(event: DeadlineSet) -> Command:
    """A deadline moved by a ruling is no input."""
    if event.because != "absence":
        raise NotGiven(ORPHAN)
    return MoveDeadline(Absence(event.begun, event.ended))


_ALONE: Mapping[type[Event], Callable[[Any], Command]] = {
    SeedCommitted: CommitSeed,
    NameSalted: lambda event: SaltName(event.seat, event.salt),
    SeatNamed: lambda event: NameSeat(event.seat, event.name, event.blind),
    ClientSeedGiven: lambda event: GiveClientSeed(event.seat, event.seed),
    SeedRevealed: lambda event: RevealSeed(event.epoch, event.seed),
    SealedSeedRevealed: lambda event: RevealSeed(event.epoch, event.seed),
    DeadlinePassed: lambda _: PassDeadline(),
    DeadlineSet: _moved,
    MatchConfirmed: lambda _: EndProtests(),
    RulingLapsed: lambda event: LapseRuling(event.id),
}
"""Commands that can be told from their event alone."""

_GIVEN: Mapping[type[Event], Callable[[Any, Given], Command]] = {
    MatchStarted: lambda _, given: Start(_by(given)),
    ActionReceived: _action,
    DrawSettled: _settled,
    SealedDrawSettled: _settled,
    DrawRefused: _entered,
    PhaseClosed: lambda event, given: ClosePhase(event.phase, _by(given)),
    SeatKeyIssued: lambda event, given: _issued(event, event.seat, None, given),
    SeatKeyEnded: lambda event, given: EndKey(event.key_id, event.seat, _by(given)),
    ModeratorKeyIssued: lambda event, given: _issued(event, None, event.name, given),
    ModeratorKeyEnded: lambda event, given: EndKey(event.key_id, None, _by(given)),
    MatchCaseOpened: _case_opened,
    MatchCaseClosed: _case_closed,
    MatchRuled: _ruled,
    SeatRuled: _ruled,
    SealedRuled: _ruled,
    RulingProposed: lambda event, given: proposed(event, _by(given), given.look_back),
    RulingWithdrawn: lambda event, given: WithdrawRuling(event.id, _by(given)),
    RulingConsented: lambda event, given: consented(event, given.match, given.look_back),
}
"""Commands that depend on where they were given, too."""
