"""`arbiter serve`: the service, in one process."""

import asyncio
from pathlib import Path

import rich_click as click
import uvloop
from eventsourcing.persistence import PersistenceError

from service.app import create_app
from service.arbiter import Arbiter
from service.cli.options import alone, data_option, out, settings
from service.keys import ORGANISERS
from service.logs import configure_logs
from service.server import bind, make_server
from service.settings import Settings


@click.command()
@click.option("--host", default=None, help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65_535), default=None, help="[default: 8000]")
@data_option
def serve(host: str | None, port: int | None, data: Path) -> None:
    """Run the service on the embedded store."""
    chosen = settings(data, host, port)
    configure_logs(chosen.log_format)
    try:
        with alone(chosen):
            uvloop.run(_serve(chosen))
    except (PersistenceError, OSError) as error:
        raise click.ClickException(str(error)) from None


async def _serve(chosen: Settings) -> None:
    arbiter = Arbiter(chosen)
    socket = bind(chosen.host, chosen.port)
    await asyncio.to_thread(_greet, arbiter, chosen, socket.getsockname()[1])
    server = make_server(create_app(arbiter), arbiter)
    await server.serve([socket])
    if arbiter.broken.is_set():
        raise click.ClickException("a part of the service ended: see the log")


def _greet(arbiter: Arbiter, chosen: Settings, port: int) -> None:
    host = "127.0.0.1" if chosen.host in ("0.0.0.0", "::") else chosen.host  # noqa: S104  compared
    address = f"http://{host}:{port}"
    out.print(f"[bold]Arbiter[/] at [link={address}]{address}[/]  (the API to read and try)")
    out.print(f"Matches lie in {chosen.database}")
    if chosen.organiser_key is not None:
        out.print("Organiser key: the one in ARBITER_ORGANISER_KEY")
        return
    issued = arbiter.keyring.listed(ORGANISERS)
    if issued:
        out.print(f"Organiser keys issued: {len(issued)}; `arbiter keys new` issues another")
        return
    (key,) = arbiter.keyring.issue(ORGANISERS, ["org"], "first start")
    out.print("Organiser key, shown this once:", style="bold")
    out.print(key, soft_wrap=True)
