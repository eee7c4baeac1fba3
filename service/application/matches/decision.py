"""Decides queued commands of a match; the events that follow are not committed yet."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from domain.cases.match_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Event
from domain.match.commands import (
    REUSED_KEY,
    Act,
    Command,
    Conflict,
    GiveClientSeed,
    MoveDeadline,
    RenameSeat,
)
from domain.match.deadlines import APART, SECOND, UNSEEN, Absence
from domain.match.decide import decide
from domain.match.replay import after_command
from domain.match.state import Match
from domain.proof.commitments import blind
from domain.proof.creation_notes import beginning_of
from domain.rulings.commands import LooksBack, Rule
from domain.rulings.decide import DueCommand, new_holders, next_due, next_unmoved
from projections.audience.disclosure import Viewer, may_see
from projections.audience.submissions import (
    AnsweredAction,
    Answers,
    game_note,
    turned_down,
    with_more,
)
from service.application.matches.chance import commit_seed, seeds_to_reveal
from service.application.matches.command_queue import (
    AlreadyExists,
    CommandResult,
    CreateMatch,
    PreconditionFailed,
    QueuedCommand,
)
from service.application.matches.growing_record import GrowingRecord
from service.application.matches.match_session import MatchSession
from service.application.matches.seat_limits import LimitReached, check_limits
from service.event_store.alongside import Alongside
from service.event_store.errors import ConcurrencyConflict
from service.observability import logs

_OF_CASES = frozenset({MatchCaseOpened, MatchCaseClosed})


class PastChanged(Exception):
    """The record has grown since it was looked back on for a rewind."""


class UndoneByRuling(Conflict):
    """The action under this idempotency key was undone by the ruling of this id."""

    def __init__(self, ruling: str) -> None:
        super().__init__("undone_by_ruling")
        self.ruling = ruling


class Decision(GrowingRecord):
    """Decides commands of a match in order, each on the state that those before it lead to.

    `now` is when it is made. Before a command the deadline is moved by those of the `absences`,
    known in order, that the match has not had yet. At most `deadlines_left` overdue deadlines are
    moved or pass in it. If there are more before a command, that command stays alone in `waiting`
    and is decided after the commit.
    """

    def __init__(
        self,
        session: MatchSession,
        deadlines_left: int,
        now: int,
        seat_bytes: int,
        absences: Sequence[Absence] = (),
    ) -> None:
        """The session's next command must be decidable; `seat_bytes` is how much one seat may put
        on the record."""
        super().__init__(session)
        self.deadlines_left = deadlines_left
        self.now = now
        self.seat_bytes = seat_bytes
        self.absences = absences
        self.alongside = Alongside()
        self.answers: Answers = {}
        self.decided: list[QueuedCommand] = []
        self.waiting: list[QueuedCommand] = []

    @property
    def deadline(self) -> int | None:
        """The deadline in force after everything decided so far."""
        return self.match.awaiting.deadline

    @property
    def commands(self) -> list[QueuedCommand]:
        """All commands added, in order: those decided, then the one that waits."""
        return [*self.decided, *self.waiting]

    def add(self, queued: QueuedCommand) -> None:
        """Decides a command and sets its result, or leaves the command in `waiting`."""
        at = max(self._received_at(queued.at), self.at)
        before, alongside = (self.match, self.length, self.at), self.alongside
        count, drawn = len(self.records), self.drawn.copy()
        try:
            if not isinstance(queued.command, CreateMatch) and not self._settle_time(at):
                self.waiting.append(queued)
                return
            at = max(at, self.at)
            queued.result = self._decide(queued, at)
        except (
            Conflict, PreconditionFailed, AlreadyExists, LimitReached, ConcurrencyConflict,
            PastChanged,
        ) as nothing_recorded:  # fmt: skip
            queued.result = nothing_recorded
        except Exception as fault:  # noqa: BLE001  a fault in a game must not stop the others
            queued.result = fault
            self.match, self.length, self.at = before
            self.drawn, self.alongside = drawn, alongside
            del self.records[count:], self.rows[count:]
            logs.failure("judging_failed", fault, match=self.session.name)
        self.decided.append(queued)

    def adopt(self) -> None:
        """Replaces the state in memory by the committed one. Does nothing if the match has been
        read or forgotten meanwhile."""
        if self.session.loaded is None and self.begins_at == 0:
            self.session.loaded = self.base
        loaded = self.session.loaded
        if self.match.rulings.branch != self.base.match.rulings.branch:
            # Every audience's board goes back: the match is read again, from its first event.
            self.session.forget()
        elif loaded is not None and loaded.length == self.begins_at:
            states = [row.state for row in self.rows]
            loaded.beginning = self.beginning
            loaded.extend(self.match, self.records, states, self.answers, self.drawn, self.digest)

    def _decide(self, queued: QueuedCommand, at: int) -> CommandResult:
        """Adds the command and its consequences, once no deadline is overdue before it.

        Raises Conflict, PreconditionFailed, AlreadyExists, LimitReached or ConcurrencyConflict;
        then nothing of it is recorded.
        """
        command, expected = queued.command, queued.expected
        if isinstance(command, CreateMatch):
            return self._create(command, at, queued.alongside or Alongside())
        if isinstance(command, Act) and command.key is not None:
            answer = self._find_answer(command.seat, command.key)
            if answer is not None:
                if answer.fingerprint == command.fingerprint:
                    self._check_not_undone(answer)
                    return with_more(CommandResult, answer, replayed=True)
                return self._record(replace(command, refuse=REUSED_KEY), at)
        if isinstance(command, Rule) and self.match.rulings.knows(command.id):
            raise AlreadyExists
        if expected is not None and self._count(queued.viewer) not in expected:
            raise PreconditionFailed
        return self._record(command, at, queued.alongside)

    def _check_not_undone(self, answer: AnsweredAction) -> None:
        """Raises UndoneByRuling for an action that a rewind has undone: its answer holds no
        more."""
        for position, ruling in self.match.undone:
            if position == answer.position:
                raise UndoneByRuling(ruling)

    def _create(self, command: CreateMatch, at: int, alongside: Alongside) -> CommandResult:
        if self.length:
            raise AlreadyExists
        created = command.created
        self.alongside = self.alongside.joined(alongside)
        self.put([created], at, self.match)
        if created.chance == "server":
            seed = self.base.secrets.seeds[0]
            self.put_decided(commit_seed(self.session.name, created, command.names, seed), at)
        self.name_seats(command.names, at)
        self.beginning = beginning_of([row.state for row in self.rows])
        return CommandResult(at, 1, self.length, beginning=self.beginning)

    def _received_at(self, at: int) -> int:
        """When an input that came in at `at` counts as received: if no one served then, when the
        service did again. What began a deadline before that would be judged as if someone had.
        """
        for absence in self.absences:
            unserved = absence.begun + UNSEEN + APART < at < absence.ended
            if unserved and absence.ended <= self.now + APART:
                at = absence.ended
        return at

    def _settle_time(self, at: int) -> bool:
        """Moves the deadline by each absence since the last record, then lets pass what is due by
        `at`. Returns whether that is all, within the limit.

        A match with a record at the end of an absence, or later, has been moved by it already:
        nothing was judged before. During an absence rulings lapse and protest windows end, too.
        """
        for absence in self.absences:
            if absence.ended > self.at:
                is_settled = self._pass_due(absence.begun)
                if not (is_settled and self._pass_due(absence.ended - 1, next_unmoved)):
                    return False
                if self.deadline is not None and self.deadlines_left == 0:
                    return False
                self._move_deadline(absence)
        return self._pass_due(at)

    def _move_deadline(self, absence: Absence) -> None:
        """Moves the deadline in force, if any."""
        if self.deadline is not None:
            self.deadlines_left -= 1
            self._record(MoveDeadline(absence), absence.ended)

    def _pass_due(
        self, at: int, following: Callable[[Match], DueCommand | None] = next_due
    ) -> bool:
        """Gives what the clock gives by `at`, up to the limit. Returns whether that is all."""
        while (due := following(self.match)) is not None and due.at <= at:
            if self.deadlines_left == 0:
                return False
            self.deadlines_left -= 1
            self._record(due.command, max(due.at, self.at))
        return True

    def _record(
        self, command: Command, at: int, alongside: Alongside | None = None
    ) -> CommandResult:
        position = self.length + 1
        self.input = self.length
        phase = self.match.awaiting.phase
        if isinstance(command, Act):
            command = stamp(command, at, self.now)
        if isinstance(command, RenameSeat):
            command = replace(command, blind=blind(self.base.secrets.log_key, self.length))
        past = command.past if isinstance(command, LooksBack) else None
        if past is not None and past.length != self.length:
            raise PastChanged
        events = decide(self.game, self.match, command, at)
        self._put_alongside(events, alongside)
        if isinstance(command, Act | GiveClientSeed):
            check_limits(self.game, self.match, command, events, at, self.seat_bytes)
        self.put(events, at, after_command(self.game, self.match, command, events))
        self.name_seats(new_holders(events), at)
        self.commit_seed(at)
        self.answer_draws(at)
        for seed in seeds_to_reveal(self.base.secrets, self.match):
            self.put_decided(seed, at)
        code, is_refusal = turned_down(events[:2])
        result = CommandResult(at, position, self.length, code, is_refusal, phase)
        if isinstance(command, Act):
            result.game_note = game_note(events[:2])
            result.recorded = command.recorded
            self._remember(command, result)
        return result

    def _remember(self, command: Act, result: CommandResult) -> None:
        """Stores the answer under the action's key, unless that key has one already."""
        key = command.key
        if key is None or self._find_answer(command.seat, key) is not None:
            return
        self.answers[command.seat, key] = with_more(
            AnsweredAction, result, fingerprint=command.fingerprint
        )

    def _put_alongside(self, events: Sequence[Event], alongside: Alongside | None) -> None:
        """Adds the rows of the case that is opened or closed. Raises ConcurrencyConflict without
        them: when they were read there was nothing to open or close."""
        if not _OF_CASES.isdisjoint(map(type, events)):
            if alongside is None:
                raise ConcurrencyConflict
            self.alongside = self.alongside.joined(alongside)

    def _find_answer(self, seat: int, key: str) -> AnsweredAction | None:
        return self.base.find_answer(seat, key) or self.answers.get((seat, key))

    def _count(self, viewer: Viewer) -> int:
        """The number of events that the audience may see, including those decided so far."""
        projection = self.base.projections.find(viewer)
        assert projection is not None, "the command was decidable"
        return projection.seq + sum(may_see(viewer, record.event) for record in self.records)


def stamp(command: Act, at: int, now: int) -> Act:
    """The action received at `at`, with the time it is recorded if that is noticeably later.

    The delay is in whole seconds: a finer time would show the sender whether others were being
    served.
    """
    late = (now - at) // SECOND * SECOND
    return replace(command, recorded=at + late) if late > 0 else command
