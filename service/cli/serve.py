"""`arbiter serve`: the service, in one process or in several."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import rich_click as click
import uvloop
from eventsourcing.persistence import PersistenceError

from service.access.keys import ORGANISERS, Keyring
from service.cli.options import alone, data_option, make_folder, opened_store, out, settings
from service.clock import SystemClock
from service.instances.workers import Workers
from service.logs import configure_logs
from service.server import bind
from service.serving import Broken, serving, work
from service.settings import POSTGRES, Settings
from service.storage.migration import may_migrate, migrate


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
@data_option
def serve(host: str | None, port: int | None, workers: int, data: Path) -> None:
    """Run the service: on the embedded store, or on PostgreSQL if PERSISTENCE_MODULE says so."""
    chosen = settings(data, host, port)
    configure_logs(chosen.log_format)
    if workers > 1:
        _require_shared(chosen)
    try:
        with _kept(chosen), bind(chosen.host, chosen.port) as listening:
            _migrate(chosen)
            _greet(chosen, listening.getsockname()[1], workers)
            if workers > 1:
                Workers(workers, listening, partial(work, chosen)).run()
            else:
                uvloop.run(serving(chosen, listening))
    except (PersistenceError, OSError, ValueError, Broken) as error:
        raise click.ClickException(str(error)) from None


def _require_shared(chosen: Settings) -> None:
    """Raises an error for the operator unless several processes can work together."""
    missing = []
    if any(one.store["PERSISTENCE_MODULE"] != POSTGRES for one in chosen.each.values()):
        missing.append(f"PostgreSQL (PERSISTENCE_MODULE={POSTGRES} and POSTGRES_*)")
    if chosen.redis is None:
        missing.append("Redis (ARBITER_REDIS_URL)")
    if missing:
        raise click.ClickException(f"several workers need {' and '.join(missing)}")


def _migrate(chosen: Settings) -> None:
    """Makes the tables that are missing, where that is allowed. One of several stores may be away,
    or its tables in somebody's hands: each instance on it sees to that itself."""
    if not chosen.stores and may_migrate(chosen.store):
        migrate(chosen.store)


@contextmanager
def _kept(chosen: Settings) -> Iterator[None]:
    """The embedded store is for this process alone; another one says itself who was first."""
    if chosen.embedded:
        with alone(chosen):
            yield
    else:
        make_folder(chosen)
        yield


def _greet(chosen: Settings, port: int, workers: int) -> None:
    host = "127.0.0.1" if chosen.host in ("0.0.0.0", "::") else chosen.host  # noqa: S104  compared
    address = f"http://{host}:{port}"
    out.print(f"[bold]Arbiter[/] at [link={address}]{address}[/]  (the API to read and try)")
    for one in chosen.each.values():
        out.print(f"Matches lie in {one.place}")
    if workers > 1:
        out.print(f"Workers: {workers}")
    if chosen.shared and chosen.redis is None:
        out.print("ARBITER_REDIS_URL is not set: readers on other machines hear of news by looking")
    if chosen.organiser_key is not None:
        out.print("Organiser key: the one in ARBITER_ORGANISER_KEY")
        return
    home = next(iter(chosen.each.values()))
    with opened_store(home) as store:
        keyring = Keyring(store.keyrings, SystemClock().now)
        key = keyring.issue_first(ORGANISERS, "org", "first start")
        issued = len(keyring.listed(ORGANISERS))
    if key is None:
        out.print(f"Organiser keys issued: {issued}; `arbiter keys new` issues another")
        return
    out.print("Organiser key, shown this once:", style="bold")
    out.print(key, soft_wrap=True)
