"""A draft: what the commands that wait for a match would put on its record, not yet committed."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain import commitments
from domain.commands import REUSED_KEY, Act, Command, Conflict, GiveClientSeed, PassDeadline
from domain.commitments import NO_SALT
from domain.deadlines import SECOND
from domain.events import Event, Record
from domain.match import decide
from domain.match_events import (
    ActionRefused,
    DrawRefused,
    DrawSettled,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.match_state import AnyGame, Match, awaited_draw, fold
from projections.answers import Answered, Answers
from projections.disclosure import Viewer, may_see
from service import logs
from service.door.dealer import Hidden, commit_seed, deal, revealed
from service.door.open_match import OpenMatch, as_created, draw_name
from service.door.pending import AlreadyThere, Committed, Create, Pending, Stale, Verdict
from service.storage.store import Length, Row, rows

_TURNED_DOWN = (ActionRefused, DrawRefused, SubmissionInvalid)


class DrawnBefore(Exception):
    """The rules ask for a draw under an id that they have used already: it would come out alike."""


class Draft:
    """Judges commands one after another, each on what those before it would have changed.

    It is made at `now`. At most `room` deadlines pass on it. The command before which more are due
    is left in `waits`, alone: it is to be judged on the next draft, when these are on record.
    """

    def __init__(self, opened: OpenMatch, room: int, now: int) -> None:
        self.opened = opened
        self.room = room
        self.now = now
        self.waits: list[Pending] = []
        self.game = opened.game
        self.match = opened.match
        self.hidden = opened.hidden
        self.at = opened.at
        self.length = opened.length
        self.records: list[Record[Event]] = []
        self.rows: list[Row] = []
        self.answers: Answers = {}
        self.drawn: set[str] = set()
        self.judged: list[Pending] = []

    @property
    def deadline(self) -> int | None:
        """The deadline in force after all that has been judged."""
        return self._match.awaiting.deadline

    @property
    def ended(self) -> bool:
        """Whether the match is over."""
        return self._match.status in ("ended", "void")

    @property
    def in_tournament(self) -> bool:
        """Whether it is a tournament's match."""
        return self._match.created.tournament is not None

    @property
    def taken(self) -> list[Pending]:
        """All commands that came to this draft, in order: those judged, and the one that waits."""
        return [*self.judged, *self.waits]

    def take(self, pending: Pending) -> None:
        """Judges a command and keeps the verdict with it, or leaves the command in `waits`."""
        at = max(pending.at, self.at)
        before = self.match, self.length, self.at
        counts, drawn = (len(self.records), len(self.rows)), self.drawn.copy()
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
            self.drawn = drawn
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
                    return repeated(known)
                return self._record(refuse(command, REUSED_KEY), at)
        if expected is not None and self._count(viewer) not in expected:
            raise Stale
        return self._record(command, at)

    def _create(self, command: Create, at: int) -> Verdict:
        if self.length:
            raise AlreadyThere
        created, self.hidden = command.created, command.hidden
        self.game, self.match = as_created(self.opened.name, created)
        self.rows += command.beside
        self._append([created], at)
        if created.chance == "server":
            commit = commit_seed(self.opened.name, created, self._hidden.seeds[0])
            self._put(decide(self._game, self._match, commit, at), at)
        return Verdict(at, 1, self.length)

    def _pass_deadlines(self, at: int) -> bool:
        """Lets what is due by `at` pass, as far as there is room. Whether that is all."""
        while (due := self._match.awaiting.deadline) is not None and due <= at:
            if self.room == 0:
                return False
            self.room -= 1
            self._record(PassDeadline(), due)
        return True

    def _record(self, command: Command, at: int) -> Verdict:
        position, first = self.length + 1, len(self.rows)
        phase = self._match.awaiting.phase
        if isinstance(command, Act):
            command = stamped(command, at, self.now)
        events = decide(self._game, self._match, command, at)
        self._put(events, at)
        self._answer_draws(at)
        self._reveal_seeds(at)
        last = events[-1]
        refused = isinstance(last, ActionRefused | DrawRefused)
        code = last.code if isinstance(last, _TURNED_DOWN) else None
        recorded = command.recorded if isinstance(command, Act) else None
        committed = None
        if isinstance(command, Act | GiveClientSeed):
            public = isinstance(command, GiveClientSeed)
            committed = commit_to(self._hidden, position, self.rows[first][3], public=public)
        if (
            isinstance(command, Act)
            and command.key is not None
            and self._answered(command.seat, command.key) is None
        ):
            self.answers[command.seat, command.key] = Answered(
                at, command.fingerprint, position, self.length, code, refused, phase
            )
        end = self.length
        return Verdict(at, position, end, code, refused, False, phase, recorded, committed)

    def _answer_draws(self, at: int) -> None:
        if self._match.created.chance != "server":
            return
        while (draw := awaited_draw(self._game, self._match)) is not None:
            command = deal(self._hidden, self._match, draw)
            self._put(decide(self._game, self._match, command, at), at)

    def _reveal_seeds(self, at: int) -> None:
        if self._match.status == "running":
            return
        for command in revealed(self._hidden, self._match):
            self._put(decide(self._game, self._match, command, at), at)

    def _put(self, events: list[Event], at: int) -> None:
        for event in events:
            if isinstance(event, DrawSettled | SealedDrawSettled):
                self._note_draw(event.id)
        self.match = fold(self._game, self._match, events)
        self._append(events, at)

    def _note_draw(self, draw_id: str) -> None:
        name = draw_name(self._match, draw_id)
        if name in self.drawn or name in self.opened.drawn:
            raise DrawnBefore(name)
        self.drawn.add(name)

    def _append(self, events: list[Event], at: int) -> None:
        records = [Record(at, event) for event in events]
        self.rows += rows(self.opened.id, self.length, records)
        self.records += records
        self.length += len(events)
        self.at = at

    def _answered(self, seat: int, key: str) -> Answered | None:
        return self.opened.answered(seat, key) or self.answers.get((seat, key))

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

    @property
    def _hidden(self) -> Hidden:
        assert self.hidden is not None
        return self.hidden


def judged_on(drafts: Sequence[Draft]) -> list[Length]:
    """How long the records were on which commands were judged that leave nothing: what such a
    command is told must be true as well. Whatever is recorded is checked by its version."""
    return [(draft.opened.id.hex, draft.opened.length) for draft in drafts if not draft.records]


def stamped(command: Act, at: int, now: int) -> Act:
    """The action, received at `at`, with the time of its record if that is noticeably later.

    In whole seconds: anything finer would tell its sender that somebody else was being served.
    """
    late = (now - at) // SECOND * SECOND
    return replace(command, recorded=at + late) if late > 0 else command


def commit_to(hidden: Hidden, position: int, stored: bytes, *, public: bool = False) -> Committed:
    """What the receipt for the submission at a position of the record commits to."""
    salt = NO_SALT if public else commitments.salt(hidden.log_key, position - 1)
    return Committed(commitments.commitment(salt, stored), salt)


def repeated(known: Answered) -> Verdict:
    """What became of an action that came before under the same key."""
    return Verdict(
        known.at, known.position, known.end, known.code, known.refused, True, known.phase
    )


def refuse(command: Act, code: str) -> Act:
    """The same action, refused by the service before the rules are asked."""
    return replace(command, refuse=code)
