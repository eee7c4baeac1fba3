"""`arbiter clock`: jumps of the machines' clocks, and how to accept one."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import rich_click as click
from msgspec.structs import replace
from rich.table import Table
from rich.text import Text

from projections.timestamps import rfc3339
from service.cli.console import out
from service.cli.options import data_option, opened_store, operator_errors, require_store, settings
from service.clock import SystemClock
from service.event_store.clock_log import ClockAccepted, ClockLog, Jump, NoSuchJump


@click.group()
def clock() -> None:
    """Jumps of the clock. When a machine's clock moves by more than two seconds at once, the
    service goes on without following it and is not ready, until it is set right or accepted."""


@contextmanager
def _logs(data: Path) -> Iterator[dict[str, ClockLog]]:
    """The clocks' streams of all stores, by the names of the stores."""
    found = settings(data)
    require_store(found)
    with operator_errors(), ExitStack() as stack:
        yield {
            name: ClockLog(
                stack.enter_context(
                    opened_store(replace(one, store={**one.store, "CREATE_TABLE": "no"}))
                ).keyrings
            )
            for name, one in found.per_store.items()
        }


@clock.command("list")
@data_option
def list_jumps(data: Path) -> None:
    """Show all jumps, and how each ended."""
    table = Table("store", "number", "at", "machine", "seconds", "state", box=None)
    with _logs(data) as logs:
        for name, log in logs.items():
            for jump in log.jumps().values():
                jumped = jump.jumped
                seconds = f"{jumped.microseconds / 1e6:+.1f}"
                place = (name, str(jump.number), rfc3339(jumped.at), Text(jumped.machine))
                table.add_row(*place, seconds, _state(jump))
    out.print(table)


@clock.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--store", "name", default=None, help="The store, if there are several.")
@data_option
def accept(number: int, name: str | None, data: Path) -> None:
    """Accept a jump: the machine's clock is right as it is now. Its service follows it within two
    seconds. After a jump forward all deadlines are moved by it, so that nobody loses time; after a
    jump back the service runs at half speed until the clock has caught up. NUMBER is the one that
    `arbiter clock list` shows."""
    with _logs(data) as logs:
        if name is None and len(logs) > 1:
            raise click.UsageError("there are several stores: say --store")
        log = logs.get(name or next(iter(logs)))
        if log is None:
            raise click.UsageError("there is no such store")
        try:
            log.accept(SystemClock().now(), number)
        except NoSuchJump:
            raise click.ClickException("there is no such jump, or it is over") from None
    out.print(f"Accepted: jump {number}")


def _state(jump: Jump) -> str:
    if jump.end is None:
        return "open"
    how = "accepted" if isinstance(jump.end, ClockAccepted) else "undone"
    return f"{how} {rfc3339(jump.end.at)}"
