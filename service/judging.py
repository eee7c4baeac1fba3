"""A draft: what the commands that wait for a match would put on its record, not yet committed."""

from domain.events import Event, Record
from domain.match import REUSED_KEY, Act, Command, Conflict, PassDeadline, decide
from domain.match_events import ActionRefused, DrawRefused, SubmissionInvalid
from domain.match_state import AnyGame, Match, awaited_draw, create, fold
from projections.answers import Answered, Answers
from projections.disclosure import Viewer, may_see
from service import logs
from service.dealer import deal
from service.open_match import OpenMatch
from service.pending import AlreadyThere, Create, Pending, Stale, Verdict
from service.storage.store import Row, rows

_TURNED_DOWN = (ActionRefused, DrawRefused, SubmissionInvalid)


class Draft:
    """Judges commands one after another, each on what those before it would have changed.

    At most `room` deadlines pass on it. The command before which more are due is left in `waits`,
    alone: it is to be judged on the next draft, when these are on record.
    """

    def __init__(self, opened: OpenMatch, room: int) -> None:
        self.opened = opened
        self.room = room
        self.waits: list[Pending] = []
        self.game = opened.game
        self.match = opened.match
        self.master = opened.master
        self.at = opened.at
        self.length = opened.length
        self.records: list[Record[Event]] = []
        self.rows: list[Row] = []
        self.answers: Answers = {}
        self.judged: list[Pending] = []

    @property
    def deadline(self) -> int | None:
        """The deadline in force after all that has been judged."""
        return self._match.awaiting.deadline

    @property
    def ended(self) -> bool:
        """Whether it is a tournament's match, and over."""
        match = self._match
        return match.created.tournament is not None and match.status in ("ended", "void")

    @property
    def taken(self) -> list[Pending]:
        """All commands that came to this draft, in order: those judged, and the one that waits."""
        return [*self.judged, *self.waits]

    def take(self, pending: Pending) -> None:
        """Judges a command and keeps the verdict with it, or leaves the command in `waits`."""
        at = max(pending.at, self.at)
        before = self.match, self.length, self.at
        counts = len(self.records), len(self.rows)
        try:
            if not isinstance(pending.command, Create) and not self._pass_deadlines(at):
                self.waits.append(pending)
                return
            pending.verdict = self._judge(pending.command, at, pending.viewer, pending.expected)
        except (Conflict, Stale, AlreadyThere) as none:
            pending.verdict = none
        except Exception as fault:  # noqa: BLE001  a fault in a game must not stop the others
            pending.verdict = fault
            self.match, self.length, self.at = before
            del self.records[counts[0] :], self.rows[counts[1] :]
            logs.failed("judging_failed", fault, match=self.opened.name)
        self.judged.append(pending)

    def _judge(
        self, command: Command | Create, at: int, viewer: Viewer, expected: frozenset[int] | None
    ) -> Verdict:
        """Puts the command and its consequences on the draft, on which no deadline is overdue.

        Raises Conflict, Stale or AlreadyThere: then the command leaves nothing on the record.
        """
        if isinstance(command, Create):
            return self._create(command, at)
        if isinstance(command, Act) and command.key is not None:
            known = self._answered(command.seat, command.key)
            if known is not None:
                if known.fingerprint == command.fingerprint:
                    return Verdict(
                        known.at, known.position, known.end, known.code, known.refused, True
                    )
                return self._record(refuse(command, REUSED_KEY), at)
        if expected is not None and self._count(viewer) not in expected:
            raise Stale
        return self._record(command, at)

    def _create(self, command: Create, at: int) -> Verdict:
        if self.length:
            raise AlreadyThere
        self.game, self.master = command.game, command.master
        self.match = create(command.game, command.created, command.options)
        self.rows += command.beside
        self._append([command.created], at)
        return Verdict(at, 1, 1)

    def _pass_deadlines(self, at: int) -> bool:
        """Lets what is due by `at` pass, as far as there is room. Whether that is all."""
        while (due := self._match.awaiting.deadline) is not None and due <= at:
            if self.room == 0:
                return False
            self.room -= 1
            self._record(PassDeadline(), due)
        return True

    def _record(self, command: Command, at: int) -> Verdict:
        position = self.length + 1
        events = decide(self._game, self._match, command, at)
        self._put(events, at)
        self._answer_draws(at)
        last = events[-1]
        refused = isinstance(last, ActionRefused | DrawRefused)
        code = last.code if isinstance(last, _TURNED_DOWN) else None
        verdict = Verdict(at, position, self.length, code, refused)
        if (
            isinstance(command, Act)
            and command.key is not None
            and self._answered(command.seat, command.key) is None
        ):
            self.answers[command.seat, command.key] = Answered(
                at, command.fingerprint, position, verdict.end, code, refused
            )
        return verdict

    def _answer_draws(self, at: int) -> None:
        if self._match.created.chance != "server":
            return
        while (draw := awaited_draw(self._game, self._match)) is not None:
            assert self.master is not None
            self._put(decide(self._game, self._match, deal(self.master, draw), at), at)

    def _put(self, events: list[Event], at: int) -> None:
        self.match = fold(self._game, self._match, events)
        self._append(events, at)

    def _append(self, events: list[Event], at: int) -> None:
        records = [Record(at, event) for event in events]
        self.rows += rows(self.opened.id, self.length, records)
        self.records += records
        self.length += len(events)
        self.at = at

    def _answered(self, seat: int, key: str) -> Answered | None:
        return self.opened.answers.get((seat, key)) or self.answers.get((seat, key))

    def _count(self, viewer: Viewer) -> int:
        reader = self.opened.reader(viewer)
        assert reader is not None
        drafted = sum(may_see(viewer, record.event) for record in self.records)
        return self.opened.seen(reader) + drafted

    @property
    def _game(self) -> AnyGame:
        assert self.game is not None
        return self.game

    @property
    def _match(self) -> Match:
        assert self.match is not None
        return self.match


def refuse(command: Act, code: str) -> Act:
    """The same action, refused by the service before the rules are asked."""
    return Act(
        command.seat, command.action, command.sent, command.key, command.fingerprint, refuse=code
    )
