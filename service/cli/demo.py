"""`arbiter demo`: bots play real matches of every game over HTTP."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import httpx
import rich_click as click
import uvloop
from msgspec.structs import replace
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Columns

from domain.deadlines import DAY, HOUR
from domain.games import GAMES
from service.app import create_app
from service.arbiter import Arbiter
from service.cli.options import alone, data_option, err, out, settings
from service.cli.playing import EndPhase, Json, Played, Seated, Table, closed_by_hand, seated
from service.clock import Clock, SystemClock, VirtualClock
from service.logs import configure_logs
from service.server import bind, make_server
from service.settings import Settings
from service.stores import Stores

NAMES = (
    "Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ida", "Jon", "Kim", "Lou", "Mia",
    "Ned", "Olga", "Pete", "Quinn", "Rosa", "Sam", "Tess", "Uwe", "Vera", "Will", "Xenia", "Yann",
    "Zoe", "Abel", "Bea", "Carl", "Dora", "Emil", "Fay",
)  # fmt: skip
AT_ONCE = 16
MOST_NAMED = 4
SUBMIT_AFTER = 5 * HOUR
"""How long after a deadline players submit for the next."""
DAYS_A_MATCH = 30
"""No match of days takes more of them than this."""

SETTINGS: dict[str, Sequence[Json]] = {
    "grouping-bw": ({"variant": "death-match"}, {"variant": "final-match-2"}),
}
"""Options that the matches of a game are played by in turn."""

OF_DAYS = {"together": (16, 8, 32, 4, 24, 12)}
"""Games whose rounds take days, and how many sit at their tables, in turn."""

Bots = tuple[Table, Random]
"""A table and what its bots' choices come from."""


class Demo:
    """The matches to be played, how far they have come, and the bar that shows it."""

    def __init__(self, matches: int, rng: Random) -> None:
        tables = [_table(game, number) for game in GAMES for number in range(matches)]
        bots = [(table, Random(rng.random())) for table in tables]  # noqa: S311  bots' tastes
        self.at_once = [bot for bot in bots if bot[0].game not in OF_DAYS]
        self.of_days = [bot for bot in bots if bot[0].game in OF_DAYS]
        self.played: list[Played] = []
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[told]}"),
            console=err,
        )
        self.task = self.bar.add_task("Matches", total=len(bots), told="")

    def done(self, played: Played) -> None:
        self.played.append(played)
        actions = sum(match.actions for match in self.played)
        self.bar.update(self.task, advance=1, told=f"{actions} actions")

    async def play(
        self, client: httpx.AsyncClient, key: str, table: Table, bot: Random, end_phase: EndPhase
    ) -> None:
        match = await seated(client, key, table)
        self.done(await match.play(bot, end_phase))

    async def play_at_once(self, url: str, key: str, tables: Sequence[Bots]) -> None:
        """Plays these matches side by side; a moderator closes phases by hand."""
        room = asyncio.Semaphore(AT_ONCE)
        async with connected(url) as client:

            async def one(table: Table, bot: Random) -> None:
                async with room:
                    await self.play(client, key, table, bot, closed_by_hand)

            await asyncio.gather(*(one(*bots) for bots in tables))

    async def play_days(self, url: str, key: str, clock: VirtualClock) -> None:
        """Plays the matches whose rounds take days, one after another: once everybody has
        submitted, the clock is moved to the deadline."""
        async with connected(url) as client:

            async def a_day_later(match: Seated, shown: Json) -> None:
                due = instant(shown["awaiting"]["deadline"])
                self.bar.update(self.task, told=f"it is {shown['awaiting']['deadline'][:10]}")
                heard = match.client.stream(
                    "GET",
                    f"{match.path}/stream",
                    params={"after": shown["seq"]},
                    headers={"Accept": "application/x-ndjson"},
                )
                async with heard as news:
                    clock.move_to(due)
                    await anext(news.aiter_lines())
                clock.pass_time(SUBMIT_AFTER)

            for table, bot in self.of_days:
                await self.play(client, key, replace(table, clock="rules"), bot, a_day_later)


def _table(game: str, number: int) -> Table:
    sizes = OF_DAYS.get(game, GAMES[game].seats)
    chosen = SETTINGS.get(game, ({},))
    return Table(game, NAMES[: sizes[number % len(sizes)]], chosen[number % len(chosen)])


def instant(rfc3339: str) -> int:
    """Microseconds since 1970."""
    since = datetime.fromisoformat(rfc3339) - datetime.fromisoformat("1970-01-01T00:00:00Z")
    return since // timedelta(microseconds=1)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the server; a stream may be open beside each request."""
    limits = httpx.Limits(max_connections=2 * AT_ONCE)
    async with httpx.AsyncClient(base_url=url, timeout=30, limits=limits) as client:
        yield client


@click.command()
@click.option("--url", default=None, help="A running server; without it, one is started here.")
@click.option(
    "--key", default=None, envvar="ARBITER_ORGANISER_KEY", help="An organiser's key of that server."
)
@click.option("--matches", type=click.IntRange(1), default=6, show_default=True, help="Each game.")
@click.option("--seed", type=int, default=None, help="Makes the bots' choices repeatable.")
@data_option
def demo(url: str | None, key: str | None, matches: int, seed: int | None, data: Path) -> None:
    """Let bots play matches of every game, over HTTP, and say where to look at them.

    A bot knows its seat's view and menu and nothing else. Where rounds take days, a server of our
    own has a clock that is moved from deadline to deadline; at --url a moderator closes them.
    """
    if url is not None and key is None:
        raise click.UsageError("--url needs --key, or ARBITER_ORGANISER_KEY")
    show = Demo(matches, Random(seed))  # noqa: S311  bots' tastes, not the game's chance
    try:
        with show.bar:
            uvloop.run(_demo(show, url, key, data))
    except httpx.HTTPError as error:
        raise click.ClickException(f"the server does not answer as it should: {error}") from None
    _report(show.played, url, data)


async def _demo(show: Demo, url: str | None, key: str | None, data: Path) -> None:
    if url is not None and key is not None:
        await show.play_at_once(url, key, [*show.at_once, *show.of_days])
        return
    own = replace(settings(data, port=0), organiser_key=secrets.token_hex(32))
    with alone(own):
        # Days that have been: when they are over, it is not later than it is.
        clock = VirtualClock(SystemClock().now() - len(show.of_days) * DAYS_A_MATCH * DAY)
        async with serving(own, clock) as (address, organiser):
            await show.play_days(address, organiser, clock)
        async with serving(own) as (address, organiser):
            await show.play_at_once(address, organiser, show.at_once)


@asynccontextmanager
async def serving(chosen: Settings, clock: Clock | None = None) -> AsyncIterator[tuple[str, str]]:
    """A server of our own, for as long as it is used: its address and organiser's key."""
    assert chosen.organiser_key is not None
    configure_logs(chosen.log_format)
    arbiter = Arbiter(chosen, clock)
    socket = bind("127.0.0.1", 0)
    server = make_server(create_app(Stores.of_one(arbiter)), arbiter, now=arbiter.clock.now)
    running = asyncio.create_task(server.serve([socket]))
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}", chosen.organiser_key
    finally:
        server.should_exit = True
        await running


def _report(played: list[Played], url: str | None, data: Path) -> None:
    table = Columns(box=None)
    for title in ("match", "game"):
        table.add_column(title, no_wrap=True)
    for title in ("seats", "actions", "won by"):
        table.add_column(title)
    for match in sorted(played, key=lambda match: match.id):
        table.add_row(
            match.id, match.game, str(len(match.seats)), str(match.actions),
            _few(match.winners),
        )  # fmt: skip
    out.print(table)
    called = sys.argv[0] if "/" in sys.argv[0] and ".venv" in sys.argv[0] else "arbiter"
    newest = max(played, key=lambda match: (GAMES[match.game].records[0] != "closed", match.id))
    out.print("\nLook at one:", style="bold")
    if url is None:
        where = "" if data == Path("data") else f" --data {data}"
        for audience in ("public", "seat:0", "moderator"):
            out.print(f"  {called} replay {newest.id} --as {audience}{where}", soft_wrap=True)
        out.print(f"  {called} serve{where}", soft_wrap=True)
    else:
        out.print(f"  {url}/v1/matches/{newest.id}/view", soft_wrap=True)
        out.print(f"  {url}/v1/matches/{newest.id}/events?as=moderator", soft_wrap=True)


def _few(names: Sequence[str]) -> str:
    """The names, or the first of many."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
