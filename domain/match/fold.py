"""What the events of a match make of it: the fold of its state."""

from collections.abc import Callable, Iterable
from typing import Any, get_args

from msgspec import UNSET
from msgspec.structs import replace

from domain.cases.match_events import CaseEvent, MatchCaseClosed, after_case_event, after_directed
from domain.events import Event
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawAsked,
    DrawRefused,
    DrawSettled,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    NameSalted,
    PhaseClosed,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeatNamed,
    SeatReady,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
    SubmissionInvalid,
)
from domain.match.key_events import (
    KeyEvent,
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.match.seats import set_seat
from domain.match.state import AWAITING_NOBODY, AnyGame, Epoch, Match
from domain.people import Actor
from domain.rulings.events import (
    ActionAdmitted,
    MatchConfirmed,
    MatchRewound,
    MatchVoided,
    RewindEvent,
    RulingEvent,
    SeatReapplied,
    SeatReplaced,
)
from domain.rulings.state import directed, fold_rulings


def fold(game: AnyGame, match: Match, events: Iterable[Event]) -> Match:
    """The match after all of `events`, none of which undoes an earlier one that was folded before.
    The game's state is replaced once, at the end. What the seats have recorded is counted apart,
    from the records (`domain.match.recorded`)."""
    state = match.game
    for event in events:
        handler = _EVOLVERS.get(type(event))
        if handler is None:
            state = game.evolve(state, event)
        elif handler is _started:
            state = game.initial(match.options, match.created.seats)
            match = _started(match, event)
        elif handler is _rewound:
            phase = match.awaiting.phase
            if phase is not None and game.sealed_phase(phase):
                state = game.reopened(state)
            match = _rewound(match, event)
        elif handler is not _unmoved:
            match = handler(match, event)
    return match if state is match.game else replace(match, game=state)


def _unmoved(match: Match, event: Event) -> Match:
    return match


def _seed_committed(match: Match, event: SeedCommitted) -> Match:
    return replace(match, epoch=Epoch(event, (None,) * match.created.seats))


def _seat_named(match: Match, event: SeatNamed) -> Match:
    unnamed = tuple(seat for seat in match.unnamed if seat != event.seat)
    return replace(match, names=(*match.names, (event.seat, event.name)), unnamed=unnamed)


def _client_seed_given(match: Match, event: ClientSeedGiven) -> Match:
    epoch = match.epoch
    if epoch is None:
        return match
    seeds = set_seat(epoch.seeds, event.seat, event.seed)
    return replace(match, epoch=replace(epoch, seeds=seeds))


def _seed_sealed(match: Match, event: SeedSealed) -> Match:
    epoch = match.epoch and replace(match.epoch, transcript=event.transcript)
    return replace(match, epoch=epoch)


def _seed_revealed(match: Match, event: SeedRevealed | SealedSeedRevealed) -> Match:
    """Of several epochs the last is revealed last."""
    epoch = match.epoch
    last = epoch is not None and epoch.committed.epoch == event.epoch
    return replace(match, epoch=replace(epoch, revealed=True)) if epoch and last else match


def _started(match: Match, event: Any) -> Match:
    return replace(match, status="running")


def _awaiting(match: Match, event: AwaitingChanged) -> Match:
    """Another phase has a deadline of its own. In a match that is paused `match.paused.1` has said
    when it would have passed."""
    keeps = event.phase == match.awaiting.phase or match.status == "paused"
    first_due = match.first_due if keeps else None
    counted_from = match.counted_from if event.phase is None else None
    return replace(match, awaiting=event, first_due=first_due, counted_from=counted_from)


def _deadline_set(match: Match, event: DeadlineSet) -> Match:
    """Moved again, a deadline still counts as what it was at first."""
    awaiting = replace(match.awaiting, deadline=event.deadline)
    return replace(match, awaiting=awaiting, first_due=match.unmoved)


def _key_event(match: Match, event: KeyEvent) -> Match:
    return replace(match, keys=match.keys.after(event))


def _paused(match: Match, event: MatchPaused) -> Match:
    first_due = match.unmoved if event.first_due is UNSET else event.first_due
    if event.left is None:
        first_due = None
    return replace(match, status="paused", time_left=event.left, first_due=first_due)


def _again(match: Match, event: SeatReapplied | ActionAdmitted) -> Match:
    """An action that counts again is not undone any more."""
    actions = tuple(action for action in match.undone if action[0] != event.of)
    return replace(match, undone=actions)


def _rewound(match: Match, event: Any) -> Match:
    """The events before are the live ones, without what is undone (`domain.match.live`)."""
    epoch = None if match.epoch is None else replace(match.epoch, ended=True)
    return replace(match, rulings=replace(match.rulings, branch=event.branch), epoch=epoch)


def _ended(match: Match, event: MatchEnded) -> Match:
    until = None if event.protests_until is UNSET else event.protests_until
    after = replace(match, status="ended", result=event.result, protests_until=until)
    return _awaiting_nobody(after)


def _voided(match: Match, event: MatchVoided) -> Match:
    """What was a provisional result counts for nothing, too."""
    return _awaiting_nobody(replace(match, status="void", result=None, protests_until=None))


def _awaiting_nobody(match: Match) -> Match:
    """A match that was played out, or is void, waits for no one and nothing."""
    return replace(
        match, awaiting=AWAITING_NOBODY, time_left=None, first_due=None, counted_from=None
    )


def _directed(match: Match, event: Directed) -> Match:
    actor = Actor.of(event)
    cases = after_directed(match.cases, actor.person)
    return replace(match, rulings=directed(match.rulings, actor), cases=cases)


def _case(match: Match, event: CaseEvent) -> Match:
    ruling = event.ruling if isinstance(event, MatchCaseClosed) else None
    people = match.rulings.people(ruling)
    return replace(match, cases=after_case_event(match.cases, event, people))


def _ruling(match: Match, event: RulingEvent) -> Match:
    rulings = fold_rulings(match.rulings, event)
    return match if rulings is match.rulings else replace(match, rulings=rulings)


def _seat_replaced(match: Match, event: SeatReplaced) -> Match:
    return replace(_ruling(match, event), unnamed=(*match.unnamed, event.seat))


_EVOLVERS: dict[type[Event], Callable[[Match, Any], Match]] = {
    MatchCreated: _unmoved,
    SeedCommitted: _seed_committed,
    NameSalted: _unmoved,
    SeatNamed: _seat_named,
    ClientSeedGiven: _client_seed_given,
    SeedSealed: _seed_sealed,
    SeedRevealed: _seed_revealed,
    SealedSeedRevealed: _seed_revealed,
    SeatReady: lambda match, event: replace(match, ready=(*match.ready, event.seat)),
    MatchStarted: _started,
    ActionReceived: _unmoved,
    ActionRefused: _unmoved,
    SubmissionInvalid: _unmoved,
    AwaitingChanged: _awaiting,
    DrawAsked: lambda match, event: replace(match, asked_draw=event.id),
    DrawSettled: _unmoved,
    SealedDrawSettled: _unmoved,
    DrawRefused: _unmoved,
    DeadlinePassed: lambda match, _: replace(match, first_due=None, counted_from=match.unmoved),
    DeadlineSet: _deadline_set,
    Directed: _directed,
    PhaseClosed: lambda match, _: replace(match, first_due=None),
    SeatKeyIssued: _key_event,
    SeatKeyEnded: _key_event,
    ModeratorKeyIssued: _key_event,
    ModeratorKeyEnded: _key_event,
    **dict.fromkeys(get_args(CaseEvent), _case),
    MatchPaused: _paused,
    MatchResumed: lambda match, _: replace(match, status="running", time_left=None),
    MatchEnded: _ended,
    **dict.fromkeys(get_args(RulingEvent), _ruling),
    **dict.fromkeys(get_args(RewindEvent), _unmoved),
    SeatReplaced: _seat_replaced,
    SeatReapplied: _again,
    ActionAdmitted: _again,
    MatchRewound: _rewound,
    MatchVoided: _voided,
    MatchConfirmed: lambda match, _: replace(match, protests_until=None),
}
