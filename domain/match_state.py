"""The state of a match of any game, folded from its events."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.draws import Draw
from domain.events import Event
from domain.game import Game, Result
from domain.key_events import (
    KeyEvent,
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    RecordedKeys,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.match_events import (
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
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
    SubmissionInvalid,
)
from domain.match_rulings import NO_RULINGS, MatchRulings, directed, folded
from domain.people import Actor
from domain.recorded import Recorded, Tally, nothing
from domain.ruling_events import MatchVoided, RulingEvent

AnyGame = Game[Any, Any, Any, Any]
Status = Literal["created", "running", "paused", "ended", "void"]

AWAITING_NOBODY = AwaitingChanged()


class Epoch(Struct, frozen=True):
    """The chance of a match from its start, or from a rewind, on: what the service has committed
    itself to, how many seats have got their salt, what each has added, and the transcript once it
    is sealed."""

    committed: SeedCommitted
    seeds: tuple[str | None, ...]
    salted: int = 0
    transcript: bytes | None = None
    revealed: bool = False


class Match(Struct, frozen=True):
    """The state of a match. `id` is part of its chance; a match whose draws are entered by hand has
    no epoch. `asked` is the id of the last sealed draw that was asked for; `left` is what remained
    of the deadline when the match was paused; `counted_from` is the instant that the deadline in
    force had before it was moved, None for one that was not; `recorded` is what each seat's inputs
    have put on the record; `keys` are those on record as issued and ended; `rulings` says who ruled
    what."""

    id: str
    created: MatchCreated
    options: Any
    status: Status = "created"
    game: Any = None
    awaiting: AwaitingChanged = AWAITING_NOBODY
    asked: str | None = None
    left: int | None = None
    counted_from: int | None = None
    epoch: Epoch | None = None
    result: Result | None = None
    recorded: Recorded = Recorded((), ())
    keys: RecordedKeys = RecordedKeys()
    rulings: MatchRulings = NO_RULINGS


def create(game: AnyGame, match_id: str, created: MatchCreated, options: Any) -> Match:
    """A match that has just been created; `options` are those of `created`, as the game's type."""
    assert created.game == game.id
    return Match(match_id, created, options, recorded=nothing(len(created.seats)))


def awaited_draw(game: AnyGame, match: Match) -> Draw | None:
    """The draw that the match waits for, with id and parts."""
    return None if match.status != "running" else game.awaits(match.game).draw


def evolve(game: AnyGame, match: Match, event: Event) -> Match:
    """The match after `event`; never refuses."""
    return fold(game, match, (event,))


def fold(game: AnyGame, match: Match, events: Iterable[Event]) -> Match:
    """The match after all of `events`. The game's state is replaced once, at the end."""
    state, tally = match.game, Tally(match.recorded)
    for event in events:
        tally.count(event)
        handler = _EVOLVERS.get(type(event))
        if handler is None:
            state = game.evolve(state, event)
        elif handler is _started:
            state = game.initial(match.options, len(match.created.seats))
            match = _started(match, event)
        elif handler is not _unmoved:
            match = handler(match, event)
    recorded = tally.after()
    if state is match.game and recorded is match.recorded:
        return match
    return replace(match, game=state, recorded=recorded)


def _unmoved(match: Match, event: Event) -> Match:
    return match


def _seed_committed(match: Match, event: SeedCommitted) -> Match:
    return replace(match, epoch=Epoch(event, (None,) * len(match.created.seats)))


def _name_salted(match: Match, event: NameSalted) -> Match:
    epoch = match.epoch
    return match if epoch is None else _with(match, replace(epoch, salted=epoch.salted + 1))


def _client_seed_given(match: Match, event: ClientSeedGiven) -> Match:
    epoch = match.epoch
    if epoch is None:
        return match
    seeds = (*epoch.seeds[: event.seat], event.seed, *epoch.seeds[event.seat + 1 :])
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
    before = match.awaiting
    same = (event.phase, event.deadline) == (before.phase, before.deadline)
    if same or match.counted_from is None:
        return replace(match, awaiting=event)
    return replace(match, awaiting=event, counted_from=None)


def _deadline_set(match: Match, event: DeadlineSet) -> Match:
    """Moved again, a deadline still counts as what it was at first."""
    awaiting, first = match.awaiting, match.counted_from
    counted_from = awaiting.deadline if first is None else first
    awaiting = replace(awaiting, deadline=event.deadline)
    return replace(match, awaiting=awaiting, counted_from=counted_from)


def _draw_asked(match: Match, event: DrawAsked) -> Match:
    return replace(match, asked=event.id)


def _key_event(match: Match, event: KeyEvent) -> Match:
    return replace(match, keys=match.keys.after(event))


def _paused(match: Match, event: MatchPaused) -> Match:
    return replace(match, status="paused", left=event.left)


def _resumed(match: Match, event: MatchResumed) -> Match:
    return replace(match, status="running", left=None)


def _ended(match: Match, event: MatchEnded) -> Match:
    return _over(replace(match, status="ended", result=event.result))


def _voided(match: Match, event: MatchVoided) -> Match:
    return _over(replace(match, status="void"))


def _over(match: Match) -> Match:
    """A match that is over waits for nobody and nothing."""
    return replace(match, awaiting=AWAITING_NOBODY, left=None, counted_from=None)


def _directed(match: Match, event: Directed) -> Match:
    return replace(match, rulings=directed(match.rulings, Actor(event.by, event.key_id)))


def _ruling(match: Match, event: RulingEvent) -> Match:
    rulings = folded(match.rulings, event)
    return match if rulings is match.rulings else replace(match, rulings=rulings)


_EVOLVERS: dict[type[Event], Callable[[Match, Any], Match]] = {
    MatchCreated: _unmoved,
    SeedCommitted: _seed_committed,
    NameSalted: _name_salted,
    ClientSeedGiven: _client_seed_given,
    SeedSealed: _seed_sealed,
    SeedRevealed: _seed_revealed,
    SealedSeedRevealed: _seed_revealed,
    MatchStarted: _started,
    ActionReceived: _unmoved,
    ActionRefused: _unmoved,
    SubmissionInvalid: _unmoved,
    AwaitingChanged: _awaiting,
    DrawAsked: _draw_asked,
    DrawSettled: _unmoved,
    SealedDrawSettled: _unmoved,
    DrawRefused: _unmoved,
    DeadlinePassed: _unmoved,
    DeadlineSet: _deadline_set,
    Directed: _directed,
    PhaseClosed: _unmoved,
    SeatKeyIssued: _key_event,
    SeatKeyEnded: _key_event,
    ModeratorKeyIssued: _key_event,
    ModeratorKeyEnded: _key_event,
    MatchPaused: _paused,
    MatchResumed: _resumed,
    MatchEnded: _ended,
    **dict.fromkeys(get_args(RulingEvent), _ruling),
    MatchVoided: _voided,
}
