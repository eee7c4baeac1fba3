"""Actions under an idempotency key that was used before."""

from msgspec.structs import replace

from domain.commands import Act
from projections.submissions import Answered, with_more
from service.application.command_queue import CommandResult


def repeated(known: Answered) -> CommandResult:
    """The result of an earlier action under the same key."""
    return with_more(CommandResult, known, replayed=True)


def refused(command: Act, code: str) -> Act:
    """The same action, refused by the service before the rules see it."""
    return replace(command, refuse=code)
