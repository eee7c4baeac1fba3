"""The command line: `arbiter`."""

import rich_click as click

from service.cli.audit import audit
from service.cli.backup import backup, restore
from service.cli.demo import demo
from service.cli.export import export
from service.cli.keys import keys
from service.cli.migrate import migrate_store, rebuild
from service.cli.replay import replay
from service.cli.serve import serve
from service.cli.simulate import simulate_matches
from service.cli.store import store
from service.cli.verify import verify_bundle


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arbiter")
def main() -> None:
    """Arbiter runs and referees hidden-information games."""


COMMANDS = (
    serve, demo, replay, audit, export, verify_bundle, simulate_matches, keys, migrate_store,
    rebuild, store, backup, restore,
)  # fmt: skip

for command in COMMANDS:
    main.add_command(command)
