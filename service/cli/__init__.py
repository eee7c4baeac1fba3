"""The command line: `arbiter`."""

from importlib import import_module

import rich_click as click

COMMANDS = {
    "serve": "serve:serve",
    "demo": "demo:demo",
    "watch": "watch:watch",
    "play": "play:play",
    "replay": "replay:replay",
    "audit": "audit:audit",
    "rule": "rule:rule",
    "check": "check:check",
    "export": "export:export",
    "notation": "notation:notation",
    "import": "import_notation:import_notation",
    "verify": "verify:verify_bundle",
    "simulate": "simulate:simulate_matches",
    "keys": "keys:keys",
    "clock": "clock:clock",
    "migrate": "migrate:migrate_store",
    "rebuild": "migrate:rebuild",
    "store": "store:store",
    "backup": "backup:backup",
    "restore": "backup:restore",
}
"""Where each command is: its module in this folder, and its name there."""


class Commands(click.RichGroup):
    """Commands that are imported when they are called: `arbiter verify` loads no web server."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  as click calls it
        """The names of all commands, in the order of the help."""
        return sorted(COMMANDS)

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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arbiter")
def main() -> None:
    """Arbiter runs and referees hidden-information games."""
