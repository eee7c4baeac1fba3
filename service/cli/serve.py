"""`arbiter serve`: runs the service, in one process or in several."""

from functools import partial
from pathlib import Path

import rich_click as click
import uvloop
from eventsourcing.persistence import PersistenceError
from rich.text import Text

from service.application.migration import migrate, require_known_format
from service.auth.keyring import ORGANISERS
from service.auth.keys import Keyring
from service.cli.console import command_line, out
from service.cli.options import data_option, opened_store, settings, store_lock
from service.cli.playing.playing import begin
from service.cli.standard_output import go_on_without_output
from service.cli.stores.log_check import checked_log
from service.clock import SystemClock
from service.event_store.database import POSTGRES, may_create
from service.observability.logs import configure_logs
from service.server.descriptors import require_descriptors
from service.server.process import Broken, forbid_core_dumps, run_worker, run_workers, serving
from service.server.web_server import bind
from service.settings import Settings


@click.command()
@click.option("--host", default=None, help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65_535), default=None, help="[default: 8000]")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    envvar="ARBITER_WORKERS",
    help="How many processes serve the address; several need PostgreSQL and Redis.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Go on if the embedded store has lost commits: in a new incarnation, on record.",
)
@data_option
def serve(host: str | None, port: int | None, workers: int, accept_loss: bool, data: Path) -> None:
    """Run the service: on the embedded store, or on PostgreSQL if PERSISTENCE_MODULE says so."""
    forbid_core_dumps()
    go_on_without_output()
    instance_settings = settings(data, host, port)
    configure_logs(instance_settings.logs.format)
    if workers > 1:
        _require_shared(instance_settings)
    try:
        require_descriptors()
        with (
            store_lock(instance_settings),
            bind(instance_settings.server.host, instance_settings.server.port) as listener,
        ):
            with checked_log(instance_settings, accept=accept_loss):
                _migrate(instance_settings)
            greet(instance_settings, listener.getsockname()[1], workers)
            if workers > 1:
                run_workers(workers, partial(run_worker, instance_settings, listener))
            else:
                uvloop.run(serving(instance_settings, listener, bots=begin))
    except (PersistenceError, OSError, ValueError, Broken) as error:
        raise click.ClickException(str(error)) from None


def _require_shared(instance_settings: Settings) -> None:
    """Raises an error for the operator unless several processes can work together."""
    missing = []
    if instance_settings.store["PERSISTENCE_MODULE"] != POSTGRES:
        missing.append(f"PostgreSQL (PERSISTENCE_MODULE={POSTGRES} and POSTGRES_*)")
    if instance_settings.redis is None:
        missing.append("Redis (ARBITER_REDIS_URL)")
    if missing:
        raise click.ClickException(f"several workers need {' and '.join(missing)}")


def _migrate(instance_settings: Settings) -> None:
    """Creates missing tables, where that is allowed, and checks the store's format."""
    if may_create(instance_settings.store):
        migrate(instance_settings.store)
    else:
        _require_rights(instance_settings)
        require_known_format(instance_settings.store)
    _require_locks(instance_settings)


def _require_rights(instance_settings: Settings) -> None:
    """Raises an error for the operator with the rights that a role without tables of its own
    lacks."""
    if not instance_settings.embedded:
        # Imported only here, so that SQLite users do not wait for the PostgreSQL driver.
        from service.event_store.postgres.rights import check_rights

        check_rights(instance_settings.store)


def _require_locks(instance_settings: Settings) -> None:
    """Raises an error for the operator if the database only seems to be PostgreSQL."""
    if not instance_settings.embedded:
        from service.event_store.postgres.rights import check_locks  # As above.

        check_locks(instance_settings.store)


def greet(instance_settings: Settings, port: int, workers: int) -> None:
    """Prints where the service is, where it stores matches, and at the first start a key."""
    address = address_of(instance_settings.server.host, port)
    out.print(
        Text.assemble(("Arbiter", "bold"), " at ", link(address), "  (what is played there)"),
        soft_wrap=True,
    )
    out.print(Text.assemble("The manual is at ", link(f"{address}/docs")), soft_wrap=True)
    out.print(f"Matches are stored in {instance_settings.location}", soft_wrap=True)
    if workers > 1:
        out.print(f"Workers: {workers}")
    if instance_settings.shared and instance_settings.redis is None:
        out.print("ARBITER_REDIS_URL is not set: readers on other machines poll for events")
    if instance_settings.demo and not instance_settings.offers_demo:
        out.print("ARBITER_DEMO: bots play on the embedded store alone, in one process")
    if instance_settings.organiser_key is not None:
        out.print("Organiser key: the one in ARBITER_ORGANISER_KEY")
        return
    with opened_store(instance_settings) as store:
        keyring = Keyring(store.keyrings, SystemClock().now)
        key = keyring.issue_first(ORGANISERS, "org")
        issued = len(keyring.list_valid(ORGANISERS))
    if key is None:
        another = command_line("keys", "new", *_data(instance_settings))
        out.print(f"Organiser keys issued: {issued}; another: {another}", soft_wrap=True)
        return
    out.print("Organiser key, shown this once:", style="bold")
    out.print(key, soft_wrap=True)
    out.print("Let bots play, in a second terminal:", style="bold")
    out.print(command_line("demo", "--url", address, "--key", key), soft_wrap=True)


def address_of(host: str, port: int) -> str:
    """The URL at which this machine reaches a server that listens at the host and port."""
    if host in ("0.0.0.0", "::"):  # noqa: S104  compared
        return f"http://127.0.0.1:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def link(address: str) -> tuple[str, str]:
    """An address, with a link to it where the terminal knows links."""
    return address, f"link {address}"


def _data(instance_settings: Settings) -> tuple[str, ...]:
    """The options with which another command finds the same embedded store."""
    if not instance_settings.embedded or instance_settings.data == Path("data"):
        return ()
    return ("--data", str(instance_settings.data))
