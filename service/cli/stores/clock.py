"""`arbiter clock`: jumps of the machines' clocks, and how to accept one."""

from pathlib import Path

import rich_click as click
from rich.table import Table
from rich.text import Text

from projections.texts.timestamps import rfc3339
from service.cli.console import out
from service.cli.options import data_option, existing_store
from service.clock import SystemClock
from service.event_store.integrity.clock_log import ClockLog, Jump, NoSuchJump


@click.group()
def clock() -> None:
    """Jumps of the clock. When a machine's clock moves by more than two seconds at once, the
    service goes on without following it and is not ready, until it is set right or accepted."""


@clock.command("list")
@data_option
def list_jumps(data: Path) -> None:
    """Show all jumps, and how each ended."""
    table = Table("number", "at", "machine", "seconds", "state", box=None)
    with existing_store(data) as store:
        for jump in ClockLog(store.keyrings).jumps().values():
            jumped = jump.jumped
            seconds = f"{jumped.microseconds / 1e6:+.1f}"
            place = (str(jump.number), rfc3339(jumped.at), Text(jumped.machine))
            table.add_row(*place, seconds, _state(jump))
    out.print(table)


@clock.command()
@click.argument("number", type=click.IntRange(1))
@data_option
def accept(number: int, data: Path) -> None:
    """Accept a jump: the machine's clock is right as it is now. Its service follows it within two
    seconds. After a jump forward all deadlines are moved by it, so that no one loses time; after a
    jump back the service runs at half speed until the clock has caught up. NUMBER is the one that
    `arbiter clock list` shows."""
    with existing_store(data) as store:
        try:
            ClockLog(store.keyrings).accept(SystemClock().now(), number)
        except NoSuchJump:
            raise click.ClickException("there is no such jump, or it is over") from None
    out.print(f"Accepted: jump {number}")


def _state(jump: Jump) -> str:
    if jump.end is None:
        return "open"
    how = "accepted" if jump.end.accepted else "undone"
    return f"{how} {rfc3339(jump.end.at)}"
