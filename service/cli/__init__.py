"""The command line: `arbiter`."""

from service.cli import first_signals  # noqa: F401  before everything that takes time to import

# isort: split

import io
import os
import sys
from importlib import import_module
from typing import Any

import rich_click as click

from service.cli.console import err
from service.cli.standard_output import INTERRUPTED, guard_output

if sys.flags.optimize > 1:
    # The rules of games, the help of commands and the description of the API are docstrings.
    sys.exit(
        "PYTHONOPTIMIZE=2 (or -OO) takes away texts that Arbiter shows: set it to 1, or to none"
    )

GROUPS: dict[str, dict[str, str]] = {
    "Everyone": {
        "replay": "playing.replay:replay",
        "audit": "auditing.audit:audit",
        "verify": "auditing.verify:verify_bundle",
        "demo": "playing.demo:demo",
        "simulate": "simulating.simulate:simulate_matches",
        "simulate-tournament": "simulating.simulate:simulate_tournament",
    },
    "Organisers and moderators": {
        "tournament": "tournaments.tournament:tournament",
        "rule": "rulings.rule:rule",
    },
    "Operators": {
        "serve": "serve:serve",
        "keys": "keys:keys",
        "export": "auditing.export:export",
        "check": "stores.check:check",
        "migrate": "stores.store:migrate_store",
        "rebuild": "stores.store:rebuild",
        "store": "stores.store:store",
        "backup": "stores.backup:backup",
        "restore": "stores.backup:restore",
    },
}
"""Where each command is: its module in this folder, and its name there; by who uses it."""

COMMANDS = {name: place for group in GROUPS.values() for name, place in group.items()}


class Commands(click.RichGroup):
    """Commands that are imported when they are called: `arbiter verify` loads no web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  as click calls it
        """The names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002  as click calls it
        cmd_name: str,
    ) -> click.Command | None:
        """The command, imported now; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(f"{__name__}.{module}"), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command. Ctrl-C has a status of its own: 1 may be a verdict."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort) as stopped:
            if isinstance(stopped, click.Abort) and not _interrupted(stopped):
                raise
            err.print("Interrupted")
            sys.exit(INTERRUPTED)

    def main(self, *args: Any, **keywords: Any) -> Any:
        """Runs the command line, and ends it if standard output cannot be written. What the
        terminal has no letter for is written as an escape."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        guard_output()
        try:
            return super().main(*args, **keywords)
        finally:
            sys.stdout.flush()


def _interrupted(abort: click.Abort) -> bool:
    """Whether a question was answered by Ctrl-C."""
    return isinstance(abort.__context__, KeyboardInterrupt)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arbiter")
def main() -> None:
    """Arbiter runs and referees hidden-information games."""
    # What a command writes, a store or a report, its owner alone may read.
    os.umask(0o077)


for _title, _group in GROUPS.items():
    main.add_panel(click.RichCommandPanel(_title, commands=list(_group)))
