"""Commands waiting for their result, and the results and responses to them."""

import asyncio

from msgspec import Struct, field

from domain.match.commands import Command
from domain.match.events import MatchCreated
from domain.proof.creation_notes import Beginning
from projections.audience.disclosure import Viewer
from projections.audience.submissions import InputOutcome
from projections.evidence.seen import Acknowledged
from service.application.matches.loaded_match import LoadedMatch
from service.event_store.alongside import Alongside
from service.event_store.errors import ConcurrencyConflict, StoreUnavailable
from service.event_store.secret_store import MatchSecrets
from service.observability.logs import OperatorError
from service.observability.store_faults import Fault

MOST_TRIES = 12
"""How often a command that loses races is decided."""


class CreateMatch(Struct, frozen=True):
    """The first command of a match; `names` are those of its seats."""

    created: MatchCreated
    names: tuple[str, ...]
    secrets: MatchSecrets


class AlreadyExists(Exception):
    """A match or tournament with this id is already on record."""


class LostEveryRace(OperatorError):
    """The store refused a command's events again and again, as if others were always first."""

    store_fault: Fault = "down"

    def __init__(self) -> None:
        super().__init__(f"the store has refused an event {MOST_TRIES} times")


class PreconditionFailed(Exception):
    """The sender's view is out of date: it is not the one that the command was meant for."""


class CommandResult(InputOutcome):
    """The result of a command. `replayed` means that it is the result of an earlier command under
    the same idempotency key. `beginning` is how a match that has
    just been created begins."""

    replayed: bool = False
    beginning: Beginning | None = None

    @property
    def refusal(self) -> str | None:
        """The code by which the command was refused, if it was."""
        return self.code if self.refused else None


class CommandResponse(Struct, frozen=True):
    """The response to a command: its result, its number `seq` in the sender's own count, and the
    sender's view right after it, as JSON, with the number of that view, and in how many of the
    sender's events a name is withheld. `acknowledged` is what its receipt says and binds, if it has
    one."""

    result: CommandResult
    seq: int
    view: bytes
    view_seq: int
    withheld: int
    acknowledged: Acknowledged | None


class QueuedCommand(Struct, eq=False):
    """A command received from `viewer` at `at`. It is decided only if the sender's current count is
    among `expected`, or if `expected` is None. `alongside` are rows of other streams that are
    recorded in the same transaction or not at all: of the case that it opens or closes, of the
    tournament of a new match."""

    command: Command | CreateMatch
    at: int
    viewer: Viewer
    expected: frozenset[int] | None
    alongside: Alongside | None = None
    tries: int = 0
    result: CommandResult | Exception | None = None
    future: asyncio.Future[CommandResponse | CommandResult] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def acknowledged(self) -> bool:
        """Whether its answer has a receipt: that of a seat. Those for orders are asked for."""
        return isinstance(self.viewer, int)

    @property
    def given_up(self) -> bool:
        """Whether its sender was answered before it was decided."""
        return self.future.done() and not self.future.cancelled()

    def respond(self, loaded: LoadedMatch | None) -> None:
        """Answers the sender: with the result alone if what the response needs is not in memory.
        Call this only when the result is on disk."""
        result = self.result
        if not isinstance(result, CommandResult):
            assert result is not None, "only decided commands are answered"
            self.fail(result)
        elif not self.future.done():
            projection = None if loaded is None else loaded.projections.find(self.viewer)
            receipt_ready = not self.acknowledged or (
                loaded is not None and loaded.chains is not None
            )
            answer: CommandResponse | CommandResult = result
            if loaded and projection and receipt_ready and projection.fold_to(result.end):
                seq = projection.count(result.position)
                view = projection.body(loaded.name, loaded.game.id)
                seq_folded, withheld = projection.folded.seq, projection.withheld
                acknowledged = loaded.acknowledged(self.viewer, result.position)
                answer = CommandResponse(result, seq, view, seq_folded, withheld, acknowledged)
            self.future.set_result(answer)

    def fail(self, error: BaseException) -> None:
        """Answers the sender with an error: as far as is known, nothing was recorded."""
        if not self.future.done():
            self.future.set_exception(error)


def final_error(queued: QueuedCommand) -> Exception | None:
    """The error for a command that lost a race and is not tried again; None if it is."""
    if queued.alongside is not None and queued.tries > 1:
        # It lost again although it was alone: the rows alongside must be decided again.
        return ConcurrencyConflict()
    if isinstance(queued.command, CreateMatch) and queued.tries > 1:
        return AlreadyExists()
    return StoreUnavailable() if queued.tries > MOST_TRIES else None
