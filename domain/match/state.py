"""The state of a match of any game, folded from its events."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.cases.match_events import (
    CaseEvent,
    MatchCaseClosed,
    RecordedCases,
    after_case_event,
    after_directed,
)
from domain.chance.draws import Draw
from domain.events import Event, Instant
from domain.game import Awaits, Game, Result
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
    RecordedKeys,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.match.recorded import Recorded, nothing
from domain.match.seats import set_seat
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
from domain.rulings.state import MatchRulings, directed, fold_rulings

AnyGame = Game[Any, Any, Any, Any]
Status = Literal["created", "running", "paused", "ended", "void"]

AWAITING_NOBODY = AwaitingChanged()


class Epoch(Struct, frozen=True):
    """The chance of a match from its start, or from a rewind, on: what the service has committed
    itself to, what each seat has added, and the transcript once it is sealed. It has `ended` with a
    rewind: the next one begins."""

    committed: SeedCommitted
    seeds: tuple[str | None, ...]
    transcript: bytes | None = None
    revealed: bool = False
    ended: bool = False


class Match(Struct, frozen=True):
    """The state of a match. `id` is part of its chance; a match whose draws are entered by hand has
    no epoch. `asked_draw` is the id of the last sealed draw asked for; `time_left` is what remained
    of the deadline when the match was paused; `first_due` is the instant that the deadline of the
    open phase had before it was first moved, None for one that was not; `counted_from` is that
    instant of a deadline that has passed, while a draw is awaited before the next phase; `recorded`
    is what each seat's inputs have put on the record; `keys` are those on record as issued and
    ended; `rulings` says who ruled what, `cases` which cases are open; `undone` are the positions
    of undone actions with an idempotency key, each with the ruling that undid it. `protests_until`
    is the end of the protest window of a result that is provisional. `names` are all that seats
    have had, in order; `unnamed`
    are the seats that get theirs next, `ready` those of an open table that are."""

    id: str
    created: MatchCreated
    options: Any
    status: Status = "created"
    game: Any = None
    awaiting: AwaitingChanged = AWAITING_NOBODY
    asked_draw: str | None = None
    time_left: int | None = None
    first_due: Instant | None = None
    counted_from: Instant | None = None
    epoch: Epoch | None = None
    result: Result | None = None
    recorded: Recorded = Recorded((), ())
    keys: RecordedKeys = RecordedKeys()
    rulings: MatchRulings = MatchRulings()
    undone: tuple[tuple[int, str], ...] = ()
    cases: RecordedCases = ()
    protests_until: Instant | None = None
    names: tuple[tuple[int, str], ...] = ()
    unnamed: tuple[int, ...] = ()
    ready: tuple[int, ...] = ()

    @property
    def unmoved(self) -> Instant | None:
        """The instant of the deadline of the open phase as it was before anything moved it."""
        return self.awaiting.deadline if self.first_due is None else self.first_due

    @property
    def over(self) -> bool:
        """Whether the result is final, or the match is void: no one is told anything afterwards."""
        return self.status == "void" or (self.status == "ended" and self.protests_until is None)


def convert_action(game: AnyGame, fields: Mapping[str, Any]) -> Any:
    """The action as the game's type. Raises msgspec.ValidationError if it is not one."""
    check_tagged(fields)
    return msgspec.convert(fields, game.Action)


def check_tagged(fields: Mapping[str, Any]) -> None:
    """Raises msgspec.ValidationError for an action without a `type`. msgspec requires it only where
    there are several kinds; a game with one kind of action requires it, too."""
    if "type" not in fields:
        raise msgspec.ValidationError("Object missing required field `type`")


def create(game: AnyGame, match_id: str, created: MatchCreated, options: Any) -> Match:
    """A match that has just been created; `options` are those of `created`, as the game's type."""
    assert created.game == game.id
    seats = created.seats
    return Match(match_id, created, options, recorded=nothing(seats), unnamed=tuple(range(seats)))


def awaits(game: AnyGame, match: Match, state: Any) -> Awaits:
    """What the rules wait for in a state of the game. Behind a rewind the id of a draw by hand
    names the branch, so that it can be entered again; the rules know it without."""
    waits = game.awaits(state)
    branch = match.rulings.branch
    if waits.draw is None or branch == 0 or match.created.chance != "manual":
        return waits
    return replace(waits, draw=replace(waits.draw, id=f"b{branch}/{waits.draw.id}"))


def awaited_draw(game: AnyGame, match: Match) -> Draw | None:
    """The draw that the match waits for, with id and parts."""
    if match.status != "running" or match.awaiting.draw is None:
        return None
    return awaits(game, match, match.game).draw


def lacks_seed(match: Match) -> bool:
    """Whether the service has to commit itself to the seed of a new epoch: each rewind begins
    one."""
    return match.epoch is not None and match.epoch.ended and match.status == "paused"


def evolve(game: AnyGame, match: Match, event: Event) -> Match:
    """The match after `event`; never refuses."""
    return fold(game, match, (event,))


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
    return _with(match, replace(epoch, seeds=seeds))


def _seed_sealed(match: Match, event: SeedSealed) -> Match:
    epoch = match.epoch
    return match if epoch is None else _with(match, replace(epoch, transcript=event.transcript))


def _seed_revealed(match: Match, event: SeedRevealed | SealedSeedRevealed) -> Match:
    """Of several epochs the last is revealed last."""
    epoch = match.epoch
    last = epoch is not None and epoch.committed.epoch == event.epoch
    return _with(match, replace(epoch, revealed=True)) if epoch and last else match


def _with(match: Match, epoch: Epoch) -> Match:
    return replace(match, epoch=epoch)


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
