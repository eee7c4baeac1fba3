"""A match of any game: created, started, paused, ended; it wraps the game's own decider.

Every input is an event and its consequences follow at once, so the record can be judged again from
its inputs alone and must give the same events.
"""

from collections.abc import Callable, Sequence
from typing import Any, get_args

from msgspec import UNSET
from msgspec.structs import replace

from domain import deadlines, rulings
from domain.chance import seeds
from domain.commands import (
    Act,
    ClosePhase,
    Command,
    CommitSeed,
    Conflict,
    Directable,
    EndKey,
    EnterDraw,
    GiveClientSeed,
    IssueKey,
    MoveDeadline,
    PassDeadline,
    Pause,
    Resume,
    RevealSeed,
    SaltName,
    SettleDraw,
    Start,
)
from domain.draws import Draw, Outcome, fits
from domain.events import PUBLIC, Event
from domain.game import Awaits, Refused
from domain.key_events import ModeratorKeyEnded, ModeratorKeyIssued, SeatKeyEnded, SeatKeyIssued
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
    DrawShown,
    MatchEnded,
    MatchStarted,
    NameSalted,
    PhaseClosed,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeedRevealed,
    SubmissionInvalid,
)
from domain.match_state import AnyGame, Match, awaited_draw
from domain.pauses import paused, resumed, sealing
from domain.ruling_commands import RulingCommand
from domain.submissions import Invalid


def decide(game: AnyGame, match: Match, command: Command, at: int) -> list[Event]:
    """The events that `command`, received at `at`, gives; the input itself first.

    Raises Conflict if the match does not allow it in its present state. A refusal by the rules is
    recorded: it is among the events. Who directed the match stands right behind the input.
    """
    events = _DECIDERS[type(command)](game, match, command, at)
    if not isinstance(command, Directable) or command.actor is None:
        return events
    return [events[0], Directed(command.actor.by, command.actor.key_id), *events[1:]]


def _commit_seed(game: AnyGame, match: Match, command: CommitSeed, at: int) -> list[Event]:
    before = -1 if match.epoch is None else match.epoch.committed.epoch
    assert match.created.chance == "server" and command.committed.epoch == before + 1
    assert match.status == ("created" if before < 0 else "paused")
    salted = (NameSalted(seat, salt) for seat, salt in enumerate(command.salts))
    return [command.committed, *salted]


def _salt_name(game: AnyGame, match: Match, command: SaltName, at: int) -> list[Event]:
    assert match.epoch is not None and match.epoch.salted == command.seat
    return [NameSalted(command.seat, command.salt)]


def _give_client_seed(game: AnyGame, match: Match, command: GiveClientSeed, at: int) -> list[Event]:
    if match.created.chance == "manual":
        raise Conflict("chance_is_manual")
    if match.epoch is None or match.epoch.transcript is not None:
        raise Conflict("seed_sealed")
    assert 0 < len(command.seed.encode()) <= seeds.LONGEST_SEED
    return [ClientSeedGiven(command.seat, command.seed)]


def _reveal_seed(game: AnyGame, match: Match, command: RevealSeed, at: int) -> list[Event]:
    assert match.status in ("ended", "void")
    hidden = match.created.record == "closed" and game.hides_draws
    return [(SealedSeedRevealed if hidden else SeedRevealed)(command.epoch, command.seed)]


def _start(game: AnyGame, match: Match, command: Start, at: int) -> list[Event]:
    if match.status != "created":
        raise Conflict("already_started")
    count = len(match.created.seats)
    begun = replace(match, game=game.initial(match.options, count))
    decided = game.open(match.options, count)
    started, *rest = _follow(game, begun, MatchStarted(), decided, at)
    return [started, *sealing(match), *rest]


def _act(game: AnyGame, match: Match, command: Act, at: int) -> list[Event]:
    _check_running(match)
    seat = command.seat
    recorded = UNSET if command.recorded is None else command.recorded
    key_id = UNSET if command.key_id is None else command.key_id
    received = ActionReceived(
        seat, command.sent, command.key, command.fingerprint, recorded, key_id
    )
    if command.refuse is not None:
        return [received, ActionRefused(seat, command.refuse)]
    try:
        decided = game.decide(match.game, seat, command.action)
    except Invalid as invalid:
        return [received, SubmissionInvalid(seat, invalid.code)]
    except Refused as refused:
        return [received, ActionRefused(seat, refused.code)]
    return _follow(game, match, received, decided, at)


def _settle_draw(game: AnyGame, match: Match, command: SettleDraw, at: int) -> list[Event]:
    draw = awaited_draw(game, match)
    assert draw is not None and fits(draw, command.outcome)
    return _settled(game, match, draw, command.outcome, command.key_commit, at)


def _enter_draw(game: AnyGame, match: Match, command: EnterDraw, at: int) -> list[Event]:
    _check_running(match)
    if match.created.chance != "manual":
        raise Conflict("chance_is_server")
    draw = awaited_draw(game, match)
    if draw is None or draw.id != command.id:
        raise Conflict("no_draw_awaited")
    if not fits(draw, command.outcome):
        return [DrawRefused(command.id, command.outcome, "outcome_does_not_fit")]
    return _settled(game, match, draw, command.outcome, None, at)


def _settled(
    game: AnyGame, match: Match, draw: Draw, outcome: Outcome, key_commit: bytes | None, at: int
) -> list[Event]:
    settled = DrawSettled if draw.audience == PUBLIC else SealedDrawSettled
    cause = settled(draw.id, outcome, match.created.chance, key_commit)
    return _follow(game, match, cause, game.settle(match.game, draw, outcome), at)


def _pass_deadline(game: AnyGame, match: Match, command: PassDeadline, at: int) -> list[Event]:
    if match.awaiting.deadline is None or at < match.awaiting.deadline:
        raise Conflict("nothing_to_close")
    return _expired(game, match, DeadlinePassed, at)


def _move_deadline(game: AnyGame, match: Match, command: MoveDeadline, at: int) -> list[Event]:
    due, phase = match.awaiting.deadline, match.awaiting.phase
    begun, ended = command.absence.begun, command.absence.ended
    assert due is not None and phase is not None and begun < min(due, ended) and ended == at
    moved = due + ended - begun
    announced = replace(match.awaiting, deadline=moved)
    return [DeadlineSet(phase, moved, "absence", begun, ended), announced]


def _close_phase(game: AnyGame, match: Match, command: ClosePhase, at: int) -> list[Event]:
    _check_running(match)
    phase = match.awaiting.phase
    if phase is None or command.phase not in (None, phase):
        raise Conflict("nothing_to_close")
    return _expired(game, match, PhaseClosed, at)


def _expired(
    game: AnyGame, match: Match, kind: type[DeadlinePassed] | type[PhaseClosed], at: int
) -> list[Event]:
    deadline = game.awaits(match.game).deadline
    assert deadline is not None and deadline.id == match.awaiting.phase
    decided = game.expire(match.game, deadline)
    return _follow(game, match, kind(deadline.id), decided, at, spent=True)


def _issue_key(game: AnyGame, match: Match, command: IssueKey, at: int) -> list[Event]:
    _check_not_over(match)
    if command.key_id in match.keys.issued:
        raise Conflict("key_on_record")
    if command.seat is None:
        return [ModeratorKeyIssued(command.key_id, command.name)]
    return [SeatKeyIssued(command.seat, command.key_id)]


def _end_key(game: AnyGame, match: Match, command: EndKey, at: int) -> list[Event]:
    _check_not_over(match)
    if command.key_id in match.keys.ended:
        raise Conflict("key_on_record")
    if command.seat is None:
        return [ModeratorKeyEnded(command.key_id)]
    return [SeatKeyEnded(command.seat, command.key_id)]


def _pause(game: AnyGame, match: Match, command: Pause, at: int) -> list[Event]:
    return paused(match, at)


def _resume(game: AnyGame, match: Match, command: Resume, at: int) -> list[Event]:
    return resumed(match, at)


def _ruling(game: AnyGame, match: Match, command: RulingCommand, at: int) -> list[Event]:
    return rulings.decide(match, command, at)


_DECIDERS: dict[type[Command], Callable[[AnyGame, Match, Any, int], list[Event]]] = {
    CommitSeed: _commit_seed,
    SaltName: _salt_name,
    GiveClientSeed: _give_client_seed,
    Start: _start,
    Act: _act,
    SettleDraw: _settle_draw,
    EnterDraw: _enter_draw,
    PassDeadline: _pass_deadline,
    MoveDeadline: _move_deadline,
    ClosePhase: _close_phase,
    IssueKey: _issue_key,
    EndKey: _end_key,
    Pause: _pause,
    Resume: _resume,
    RevealSeed: _reveal_seed,
    **dict.fromkeys(get_args(RulingCommand), _ruling),
}


def _check_running(match: Match) -> None:
    if match.status != "running":
        raise Conflict("match_not_running")


def _check_not_over(match: Match) -> None:
    if match.status in ("ended", "void"):
        raise Conflict("match_over")


def _follow(
    game: AnyGame,
    match: Match,
    cause: Event,
    decided: Sequence[Event],
    at: int,
    *,
    spent: bool = False,
) -> list[Event]:
    """The input, what the game decides on it, and then whom the match waits for. `spent`: the
    deadline in force is over, so a deadline with the same id is a new one."""
    state = match.game
    for event in decided:
        state = game.evolve(state, event)
    events = [cause, *decided]
    result = game.result(state)
    if result is not None:
        return [*events, MatchEnded(result)]
    awaits = game.awaits(state)
    draw = awaits.draw
    if draw is not None and draw.audience != PUBLIC and draw.id != match.asked:
        events.append(DrawAsked(draw.id, draw.parts))
    phase = None if spent else match.awaiting.phase
    moved = match.counted_from if isinstance(cause, DeadlinePassed) else None
    counted_from = at if moved is None else moved
    awaiting = _announced(match, awaits, counted_from, at, phase)
    if awaiting != match.awaiting:
        events.append(awaiting)
    return events


def _announced(
    match: Match, awaits: Awaits, counted_from: int, at: int, phase: str | None
) -> AwaitingChanged:
    draw, deadline = awaits.draw, awaits.deadline
    shown = None
    if draw is not None:
        shown = DrawShown(draw.id, draw.parts) if draw.audience == PUBLIC else DrawShown()
    if deadline is None:
        return AwaitingChanged(awaits.seats, shown)
    if deadline.id == phase:
        return AwaitingChanged(awaits.seats, shown, deadline.id, match.awaiting.deadline)
    runs = match.created.clock == "rules" and deadline.wait is not None
    due = deadlines.due_after(deadline.wait, counted_from, at) if runs and deadline.wait else None
    return AwaitingChanged(awaits.seats, shown, deadline.id, due)
