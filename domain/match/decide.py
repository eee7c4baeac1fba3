"""A match of any game: created, started, paused, ended; it wraps the game's own decider.

Every input is an event and its consequences follow at once, so the record can be judged again from
its inputs alone and must give the same events.
"""

from collections.abc import Callable
from typing import Any, get_args

from msgspec import UNSET
from msgspec.structs import replace

from domain.cases import on_record as match_cases
from domain.chance import seeds
from domain.chance.draws import fits
from domain.events import Event, later
from domain.game import Refused
from domain.match.commands import (
    Act,
    BeReady,
    CaseCommand,
    ClosePhase,
    Command,
    CommitSeed,
    Conflict,
    Directable,
    EndKey,
    EndProtests,
    EnterDraw,
    GiveClientSeed,
    IssueKey,
    MoveDeadline,
    NameSeat,
    PassDeadline,
    RenameSeat,
    RevealSeed,
    SettleDraw,
    Start,
    judges,
)
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawRefused,
    MatchStarted,
    NameSalted,
    PhaseClosed,
    SealedSeedRevealed,
    SeatNamed,
    SeatReady,
    SeedRevealed,
    SubmissionInvalid,
)
from domain.match.key_events import (
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.match.play import (
    check_running,
    draw_settled,
    expire_phase,
    follow,
    sealing,
    settle_draw,
    window_end,
)
from domain.match.replay import after_command
from domain.match.seat_holders import free_seats, names_had, tenure
from domain.match.state import AnyGame, Match, awaited_draw
from domain.match.submissions import Invalid
from domain.names import fault_in, is_of
from domain.rulings import decide as rulings
from domain.rulings.commands import Rule, RulingCommand, WithdrawRuling
from domain.rulings.events import MatchConfirmed
from domain.rulings.kinds import ReplaceSeat


def decide(game: AnyGame, match: Match, command: Command, at: int) -> list[Event]:
    """The events that `command`, received at `at`, gives; the input itself first.

    Pending rulings that cannot be carried out after it are given up at the end.

    Raises Conflict if the match does not allow it in its present state. A refusal by the rules is
    recorded: it is among the events. Who directed the match stands right after the input.
    """
    events = _DECIDERS[type(command)](game, match, command, at)
    if isinstance(command, Directable) and command.actor is not None:
        assert command.actor.seat is UNSET or isinstance(command, Rule | WithdrawRuling)
        directed = Directed(**command.actor.record_fields(judges=judges(command)))
        events = [events[0], directed, *events[1:]]
    if not match.rulings.pending:
        return events
    after = after_command(game, match, command, events)
    # Once the match is over no one is told anything: nothing of it is pending any more.
    return events if after.over else [*events, *rulings.outrun(game, match, after, events, at)]


def _commit_seed(game: AnyGame, match: Match, command: CommitSeed, at: int) -> list[Event]:
    before = -1 if match.epoch is None else match.epoch.committed.epoch
    assert match.created.chance == "server" and command.committed.epoch == before + 1
    assert match.status == ("created" if before < 0 else "paused")
    assert len(command.salts) == (match.created.seats if before < 0 else 0)
    salted = (NameSalted(seat, salt) for seat, salt in enumerate(command.salts))
    return [command.committed, *salted]


def _name_seat(game: AnyGame, match: Match, command: NameSeat, at: int) -> list[Event]:
    assert match.unnamed and match.unnamed[0] == command.seat
    return [SeatNamed(command.seat, command.name, command.blind)]


def _rename_seat(game: AnyGame, match: Match, command: RenameSeat, at: int) -> list[Event]:
    _check_not_over(match)
    _check_holder(match, command.seat, 0)
    if match.created.table:
        _check_takes(match, command)
    return [SeatNamed(command.seat, command.name, command.blind)]


def _check_takes(match: Match, command: RenameSeat) -> None:
    """Raises Conflict if the seat of an open table is taken already, or if the name is not a good
    one or belongs to somebody else at the table."""
    if command.seat not in free_seats(match):
        raise Conflict("seat_taken")
    others = (name for seat, name in match.names if seat != command.seat)
    if fault_in(command.name, others) is not None:
        raise Conflict("name_not_allowed")


def _give_client_seed(game: AnyGame, match: Match, command: GiveClientSeed, at: int) -> list[Event]:
    if match.created.chance == "manual":
        raise Conflict("chance_is_manual")
    if match.over or match.epoch is None or match.epoch.transcript is not None:
        raise Conflict("seed_sealed")
    assert 0 < len(command.seed.encode()) <= seeds.LONGEST_SEED
    return [ClientSeedGiven(command.seat, command.seed)]


def _reveal_seed(game: AnyGame, match: Match, command: RevealSeed, at: int) -> list[Event]:
    assert match.over
    is_hidden = match.created.record == "closed" and game.hides_draws
    return [(SealedSeedRevealed if is_hidden else SeedRevealed)(command.epoch, command.seed)]


def _be_ready(game: AnyGame, match: Match, command: BeReady, at: int) -> list[Event]:
    if not match.created.table:
        raise Conflict("no_open_table")
    if match.status != "created":
        raise Conflict("already_started")
    if command.seat in match.ready:
        raise Conflict("already_ready")
    all_are = len(match.ready) + 1 == match.created.seats
    return [SeatReady(command.seat), *(_started(game, match, at) if all_are else ())]


def _start(game: AnyGame, match: Match, command: Start, at: int) -> list[Event]:
    if match.created.table:
        raise Conflict("starts_by_itself")
    if match.status != "created":
        raise Conflict("already_started")
    return _started(game, match, at)


def _started(game: AnyGame, match: Match, at: int) -> list[Event]:
    """A match that starts now."""
    count = match.created.seats
    before = replace(match, game=game.initial(match.options, count))
    own_events = game.open(match.options, count)
    started, *rest = follow(game, before, [MatchStarted()], own_events, at)
    return [started, *sealing(match), *rest]


def _act(game: AnyGame, match: Match, command: Act, at: int) -> list[Event]:
    _check_holder(match, command.seat, command.tenure)
    check_running(match)
    seat = command.seat
    recorded_at = UNSET if command.recorded is None else command.recorded
    key_id = UNSET if command.key_id is None else command.key_id
    received = ActionReceived(
        seat, command.sent_fields, command.key, command.fingerprint, recorded_at, key_id
    )
    if command.refuse is not None:
        return [received, ActionRefused(seat, command.refuse)]
    try:
        own_events = game.decide(match.game, seat, command.action)
    except Invalid as invalid:
        return [received, SubmissionInvalid(seat, invalid.code)]
    except Refused as refused:
        return [received, ActionRefused(seat, refused.code)]
    return follow(game, match, [received], own_events, at)


def _settle_draw(game: AnyGame, match: Match, command: SettleDraw, at: int) -> list[Event]:
    draw = awaited_draw(game, match)
    assert draw is not None and fits(draw, command.outcome)
    cause = draw_settled(draw, command.outcome, match.created.chance, command.key_commit)
    return settle_draw(game, match, [cause], command.outcome, at)


def _enter_draw(game: AnyGame, match: Match, command: EnterDraw, at: int) -> list[Event]:
    check_running(match)
    if match.created.chance != "manual":
        raise Conflict("chance_is_server")
    draw = awaited_draw(game, match)
    if draw is None or draw.id != command.id:
        raise Conflict("no_draw_awaited")
    if not fits(draw, command.outcome):
        return [DrawRefused(command.id, command.outcome, "outcome_does_not_fit")]
    cause = draw_settled(draw, command.outcome, match.created.chance)
    return settle_draw(game, match, [cause], command.outcome, at)


def _pass_deadline(game: AnyGame, match: Match, command: PassDeadline, at: int) -> list[Event]:
    if match.awaiting.deadline is None or at < match.awaiting.deadline:
        raise Conflict("nothing_to_close")
    phase = match.awaiting.phase
    assert phase is not None, "a deadline is that of a phase"
    return expire_phase(game, match, DeadlinePassed(phase), at)


def _move_deadline(game: AnyGame, match: Match, command: MoveDeadline, at: int) -> list[Event]:
    due, phase = match.awaiting.deadline, match.awaiting.phase
    begun, ended = command.absence.begun, command.absence.ended
    assert due is not None and phase is not None and begun < min(due, ended) and ended == at
    due_then = later(due, ended - begun)
    announced = replace(match.awaiting, deadline=due_then)
    return [DeadlineSet(phase, due_then, "absence", begun, ended), announced]


def _end_protests(game: AnyGame, match: Match, command: EndProtests, at: int) -> list[Event]:
    end = window_end(match)
    assert end is not None and at >= end
    return [MatchConfirmed()]


def _close_phase(game: AnyGame, match: Match, command: ClosePhase, at: int) -> list[Event]:
    check_running(match)
    phase = match.awaiting.phase
    if phase is None or command.phase not in (None, phase):
        raise Conflict("nothing_to_close")
    return expire_phase(game, match, PhaseClosed(phase), at)


def _issue_key(game: AnyGame, match: Match, command: IssueKey, at: int) -> list[Event]:
    _check_not_over(match)
    if command.key_id in match.keys.issued or command.renews in match.keys.ended:
        raise Conflict("key_on_record")
    if command.seat is None:
        return [_moderator(match, command)]
    _check_holder(match, command.seat, command.tenure)
    return [SeatKeyIssued(command.seat, command.key_id, command.renews)]


def _moderator(match: Match, command: IssueKey) -> Event:
    """Raises Conflict for the name of someone who plays, or who is to take over a seat."""
    names = names_had(match)
    pending = (waiting.ruling for waiting in match.rulings.pending)
    names += [ruling.name for ruling in pending if isinstance(ruling, ReplaceSeat)]
    if command.name is not None and is_of(command.name, names):
        raise Conflict("moderator_plays")
    return ModeratorKeyIssued(command.key_id, command.name, command.renews)


def _end_key(game: AnyGame, match: Match, command: EndKey, at: int) -> list[Event]:
    _check_not_over(match)
    if command.key_id in match.keys.ended:
        raise Conflict("key_on_record")
    if command.seat is None:
        return [ModeratorKeyEnded(command.key_id)]
    return [SeatKeyEnded(command.seat, command.key_id)]


_DECIDERS: dict[type[Command], Callable[[AnyGame, Match, Any, int], list[Event]]] = {
    CommitSeed: _commit_seed,
    NameSeat: _name_seat,
    RenameSeat: _rename_seat,
    GiveClientSeed: _give_client_seed,
    BeReady: _be_ready,
    Start: _start,
    Act: _act,
    SettleDraw: _settle_draw,
    EnterDraw: _enter_draw,
    PassDeadline: _pass_deadline,
    MoveDeadline: _move_deadline,
    EndProtests: _end_protests,
    ClosePhase: _close_phase,
    IssueKey: _issue_key,
    EndKey: _end_key,
    **dict.fromkeys(get_args(CaseCommand), match_cases.decide),
    RevealSeed: _reveal_seed,
    **dict.fromkeys(get_args(RulingCommand), rulings.decide),
}


def _check_holder(match: Match, seat: int, holder: int | None) -> None:
    """Raises Conflict if the seat has another holder by now than the one with this number."""
    if holder not in (None, tenure(match, seat)):
        raise Conflict("seat_replaced")


def _check_not_over(match: Match) -> None:
    if match.over:
        raise Conflict("match_over")
