"""A command on its way through the door, and what becomes of it."""

import asyncio

from msgspec import Struct

from domain.commands import Command
from domain.match_events import MatchCreated
from projections.disclosure import Viewer
from service.door.dealer import Hidden
from service.door.open_match import OpenMatch
from service.storage.store import Row


class Create(Struct, frozen=True):
    """The first command of a match. `beside` is what else is recorded with it or not at all."""

    created: MatchCreated
    hidden: Hidden | None = None
    beside: tuple[Row, ...] = ()


class AlreadyThere(Exception):
    """What is to be created is on record under its id."""


class Stale(Exception):
    """The sender has not seen the position that it acts upon."""


class Overtaken(Exception):
    """What was to be recorded beside the command was decided on a state that is not the latest."""


class Committed(Struct, frozen=True):
    """What commits to the stored bytes of a submission, and the salt that opens it."""

    commitment: bytes
    salt: bytes


class Verdict(Struct):
    """What became of a command: where its input and the last of its consequences stand in the
    match's stream, under which time, the code by which it does not count, if it does not, and
    whether it was refused or is an invalid submission. For a receipt: the phase in which it came,
    when it was recorded, and what commits to it, unless that has to be read again."""

    at: int
    position: int
    end: int
    code: str | None = None
    refused: bool = False
    replayed: bool = False
    phase: str | None = None
    recorded: int | None = None
    committed: Committed | None = None


class Answer(Struct, frozen=True):
    """What a command came to: its verdict, its number in the sender's own count, and the sender's
    view, as JSON, right after it, with the number of that view."""

    verdict: Verdict
    seq: int
    view: bytes
    view_seq: int


class Pending:
    """A command on its way: received at `at` from `viewer`, meant for views `expected`."""

    __slots__ = (
        "at",
        "command",
        "expected",
        "future",
        "seq",
        "tries",
        "verdict",
        "view",
        "view_seq",
        "viewer",
    )

    def __init__(
        self, command: Command | Create, at: int, viewer: Viewer, expected: frozenset[int] | None
    ) -> None:
        self.command = command
        self.at = at
        self.viewer = viewer
        self.expected = expected
        self.tries = 0
        self.verdict: Verdict | Exception | None = None
        self.future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.seq = 0
        self.view_seq = 0
        self.view: bytes | None = None

    @property
    def beside(self) -> bool:
        """Whether something else is to be recorded with it, decided elsewhere."""
        return isinstance(self.command, Create) and bool(self.command.beside)

    def answer(self, opened: OpenMatch) -> None:
        """Tells the sender what became of it; to be called once that is on disk."""
        verdict = self.verdict
        if not isinstance(verdict, Verdict):
            assert verdict is not None
            self.fail(verdict)
        elif not self.future.done():
            reader = opened.reader(self.viewer)
            if reader is not None and reader.end <= verdict.end:
                opened.advance(reader, verdict.end)
                self.seq = reader.count(verdict.position)
                self.view_seq = reader.sight.seq
                self.view = reader.body(opened.name, opened.game_id)
            self.future.set_result(verdict)

    def fail(self, error: BaseException) -> None:
        """Tells the sender that nothing of it is on the record."""
        if not self.future.done():
            self.future.set_exception(error)
