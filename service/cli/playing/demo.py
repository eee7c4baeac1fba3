"""`arbiter demo`: bots play real matches of every game over HTTP."""

import asyncio
import secrets
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import rich_click as click
import uvloop
from msgspec.structs import replace
from rich.table import Table as Columns

from arbiter_client import AsyncArbiter
from domain.games import GAMES
from service.cli.console import command_line, few, out, progress_bar
from service.cli.playing.playing import NAMES, BotMatch, begin, seat_bots
from service.cli.service_connection import checked_key, proxy_errors, service_errors
from service.cli.stores.log_check import own_store
from service.server.process import serving
from service.server.web_server import bind
from service.settings import Settings, read_settings, variables

TAKEN_OVER = ("ARBITER_LOG", "ARBITER_DEMO")
"""Settings that hold for the demo's own server, too."""

AT_ONCE = 16


class DemoTable(NamedTuple):
    """A match to be played, and the source of its bots' choices."""

    game: str
    names: Sequence[str]
    options: Mapping[str, Any]
    rng: Random


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
    tables = tables_of(matches, Random(seed))  # noqa: S311  bots' tastes, not the game's chance
    with service_errors():
        if url is None:
            _on_own_server(tables, data or Path(tempfile.mkdtemp(prefix="arbiter-demo-")))
        elif key is None:
            raise click.UsageError("--url needs --key, or ARBITER_ORGANISER_KEY")
        else:
            matches_played = uvloop.run(play(url, checked_key(key), tables))
            report_matches(matches_played)
            report_addresses(matches_played, url)


def tables_of(matches: int, rng: Random) -> list[DemoTable]:
    """Tables of every game; sizes and variants take turns."""
    return [
        DemoTable(
            name,
            NAMES[: game.seats[number % len(game.seats)]],
            game.variants[number % len(game.variants)],
            Random(rng.random()),  # noqa: S311  bots' tastes
        )
        for name, game in GAMES.items()
        for number in range(matches)
    ]


async def play(url: str, key: str, tables: Sequence[DemoTable]) -> list[BotMatch]:
    """Plays these matches side by side; a moderator closes phases by hand."""
    room = asyncio.Semaphore(AT_ONCE)
    with proxy_errors():
        service = AsyncArbiter(url, key)
    async with service:
        with progress_bar() as bar:
            task = bar.add_task("Matches", total=len(tables))

            async def play_table(table: DemoTable) -> BotMatch:
                async with room:
                    match = await seat_bots(service, table.game, table.names, table.options)
                    await match.play(table.rng)
                bar.advance(task)
                return match

            return await asyncio.gather(*map(play_table, tables))


def _on_own_server(tables: Sequence[DemoTable], data: Path) -> None:
    """Plays on an embedded store in the folder, whatever store the environment names."""
    try:
        instance_settings = read_settings(data, port=0, environment=variables(*TAKEN_OVER))
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    reported = asyncio.Event()
    with own_store(instance_settings):
        try:
            uvloop.run(_play_and_report(tables, instance_settings, reported))
        except KeyboardInterrupt:
            # Before the report, Ctrl-C cuts the demo short; afterwards it is its end.
            if not reported.is_set():
                raise


async def _play_and_report(
    tables: Sequence[DemoTable], instance_settings: Settings, reported: asyncio.Event
) -> None:
    stays, key = sys.stdout.isatty(), f"arb_org_{secrets.token_hex(32)}"
    with bind("127.0.0.1", 0) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        organised = replace(instance_settings, organiser_key=key)
        running = asyncio.create_task(serving(organised, listener, bots=begin))
        try:
            matches = await play(url, key, tables)
            report_matches(matches)
            if stays:
                report_addresses(matches, url)
            _section(f"The matches are kept in {instance_settings.data}")
            if stays:
                _section("This server stays up until Ctrl-C:")
                _lines((f"{url}  what is played", f"{key}  organiser key"))
                reported.set()
                await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


# What is printed at its end.


def report_matches(matches: Iterable[BotMatch]) -> None:
    """Prints a row for each match."""
    table = Columns(box=None)
    for title in ("match", "game"):
        table.add_column(title, no_wrap=True)
    for title in ("seats", "actions", "won by"):
        table.add_column(title)
    for match in sorted(matches, key=lambda match: match.match.id):
        counts = str(len(match.names)), str(match.actions)
        table.add_row(match.match.id, match.game, *counts, few(match.winners))
    out.print(table)


def report_addresses(matches: Iterable[BotMatch], url: str) -> None:
    """Prints where a running server shows one of the matches, commands that do, and keys that open
    the rest."""
    match = _to_look_at(matches)
    id_, keys = match.match.id, match.match
    _section("Look at one:")
    _lines((f"{url}/m/{id_}", f"{url}/v1/matches/{id_}/events?as=moderator"))
    _lines([command_line("replay", id_, "--url", url)])
    _section("Its keys:")
    _lines((f"{keys.seats[0].key}  {match.names[0]}, seat 0", f"{keys.moderator_key}  moderator"))


def _to_look_at(matches: Iterable[BotMatch]) -> BotMatch:
    """The newest match, if possible one with a record that anyone may read."""
    return max(
        matches, key=lambda match: (GAMES[match.game].records[0] != "closed", match.match.id)
    )


def _section(title: str) -> None:
    out.print(f"\n{title}", style="bold", soft_wrap=True)


def _lines(lines: Iterable[str]) -> None:
    for line in lines:
        out.print(f"  {line}", soft_wrap=True)
