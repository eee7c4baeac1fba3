"""`arbiter demo`: bots play real matches of every game over HTTP."""

import asyncio
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import NamedTuple

import rich_click as click
import uvloop
from msgspec.structs import replace
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arbiter_client import AsyncArbiter
from domain.games import GAMES
from service.app import create_app
from service.auth.request_guard import RequestGuard
from service.cli.console import err
from service.cli.demo_bots import NAMES, begin
from service.cli.demo_report import (
    report_addresses,
    report_commands,
    report_matches,
    report_server,
)
from service.cli.log_check import own_store
from service.cli.playing import Played, Table, seated
from service.cli.service_connection import checked_key, proxy_errors, service_errors
from service.demo_matches import DemoMatches
from service.instance import Instance
from service.observability.logs import configure_logs
from service.server.web_server import Server, bind
from service.settings import Settings, read_settings, variables

TAKEN_OVER = ("ARBITER_LOG", "ARBITER_DEMO")
"""Settings that hold for the demo's own server, too."""

AT_ONCE = 16

Bots = tuple[Table, Random]
"""A table and the source of its bots' choices."""


class Demo:
    """The matches to be played, their progress, and the bar that shows it."""

    def __init__(self, matches: int, rng: Random) -> None:
        tables = [_table(game, number) for game in GAMES for number in range(matches)]
        self.bots = [(table, Random(rng.random())) for table in tables]  # noqa: S311  bots' tastes
        self.played: list[Played] = []
        self.reported = False
        self.bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=err,
        )
        self.task = self.bar.add_task("Matches", total=len(self.bots), note="")

    def done(self, played: Played) -> None:
        self.played.append(played)
        actions = sum(match.actions for match in self.played)
        self.bar.update(self.task, advance=1, note=f"{actions} actions")

    async def play(self, url: str, key: str, bots: Sequence[Bots]) -> None:
        """Plays these matches side by side; a moderator closes phases by hand."""
        room = asyncio.Semaphore(AT_ONCE)
        with proxy_errors():
            service = AsyncArbiter(url, key)
        async with service:

            async def one(table: Table, bot: Random) -> None:
                async with room:
                    match = await seated(service, table)
                    self.done(await match.play(bot))

            await asyncio.gather(*(one(*each) for each in bots))


def _table(game: str, number: int) -> Table:
    """A table of the game; sizes and variants take turns."""
    sizes, variants = GAMES[game].seats, GAMES[game].variants
    options = dict(variants[number % len(variants)])
    return Table(game, NAMES[: sizes[number % len(sizes)]], options)


@click.command()
@click.option("--url", default=None, help="A running server; without it, one is started here.")
@click.option(
    "--key", default=None, envvar="ARBITER_ORGANISER_KEY", help="An organiser's key of that server."
)
@click.option("--matches", type=click.IntRange(1), default=6, show_default=True, help="Each game.")
@click.option("--seed", type=int, default=None, help="Makes the bots' choices repeatable.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="The folder that keeps the matches of a server of our own.  [default: a new one]",
)
def demo(
    url: str | None, key: str | None, matches: int, seed: int | None, data: Path | None
) -> None:
    """Let bots play matches of every game over HTTP, and print where to look at them.

    A bot takes any action of its seat's menu. Without --url the matches are played on a
    temporary server on a free port; on a terminal it runs until Ctrl-C. A moderator closes phases
    in which several act.
    """
    show = Demo(matches, Random(seed))  # noqa: S311  bots' tastes, not the game's chance
    with service_errors():
        if url is None:
            _on_own_server(show, data or Path(tempfile.mkdtemp(prefix="arbiter-demo-")))
        elif key is None:
            raise click.UsageError("--url needs --key, or ARBITER_ORGANISER_KEY")
        else:
            with show.bar:
                uvloop.run(show.play(url, checked_key(key), show.bots))
            report_matches(show.played)
            report_addresses(show.played, url)


def _on_own_server(show: Demo, data: Path) -> None:
    """Plays on an embedded store in the folder, whatever store the environment names."""
    try:
        chosen = read_settings(data, port=0, environment=variables(*TAKEN_OVER))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    stays = sys.stdout.isatty()
    with own_store(chosen):
        try:
            uvloop.run(_play_and_report(show, chosen, stays=stays))
        except KeyboardInterrupt:
            # Before the report, Ctrl-C cuts the demo short; afterwards it is its end.
            if not (stays and show.reported):
                raise


async def _play_and_report(show: Demo, chosen: Settings, *, stays: bool) -> None:
    async with serving(chosen) as server:
        with show.bar:
            await show.play(server.url, server.key, show.bots)
        report_matches(show.played)
        if stays:
            report_addresses(show.played, server.url)
        report_commands(show.played, chosen.data, served=stays)
        if stays:
            report_server(server.url, server.key)
            show.reported = True
            await server.running


class Own(NamedTuple):
    """The demo's own server: its address, its organiser's key, and the task that serves."""

    url: str
    key: str
    running: asyncio.Task[None]


@asynccontextmanager
async def serving(chosen: Settings) -> AsyncIterator[Own]:
    """The demo's own server with a new organiser's key; it stops when the block ends."""
    key = f"arb_org_{secrets.token_hex(32)}"
    configure_logs(chosen.logs.format)
    instance = Instance(replace(chosen, organiser_key=key))
    socket = bind("127.0.0.1", 0)
    guard = RequestGuard()
    bots = DemoMatches(chosen, guard, begin) if chosen.offers_demo else None
    app = create_app(instance, guard=guard, demo=bots and bots.start)
    server = Server(app, instance, bots.around) if bots else Server(app, instance)
    async with nullcontext() if bots is None else bots.running(instance.stopping):
        running = asyncio.create_task(server.serve(socket))
        try:
            url = f"http://127.0.0.1:{socket.getsockname()[1]}"
            yield Own(url, key, running)
        finally:
            server.stop()
            await running
