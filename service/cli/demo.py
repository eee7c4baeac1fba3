"""`arbiter demo`: bots play real matches of every game over HTTP."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import rich_click as click
import uvloop
from msgspec import Struct
from msgspec.structs import replace
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from domain.games import GAMES
from service.app import create_app
from service.arbiter import Arbiter
from service.cli.bots import BOTS
from service.cli.options import data_option, err, make_folder, out, settings
from service.logs import configure_logs
from service.server import bind, make_server
from service.settings import Settings

NAMES = ("Ann", "Ben", "Cleo", "Dan")
AT_ONCE = 16


class Played(Struct, frozen=True):
    """A match that bots have played."""

    id: str
    game: str
    seats: tuple[str, ...]
    actions: int
    winners: tuple[str, ...]


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

    A bot knows its seat's view and menu and nothing else.
    """
    if url is not None and key is None:
        raise click.UsageError("--url needs --key, or ARBITER_ORGANISER_KEY")
    rng = Random(seed)  # noqa: S311  bots' tastes, not the game's chance
    try:
        played = uvloop.run(_demo(url, key, matches, rng, data))
    except httpx.HTTPError as error:
        raise click.ClickException(f"the server does not answer as it should: {error}") from None
    _report(played, url, data)


async def _demo(
    url: str | None, key: str | None, matches: int, rng: Random, data: Path
) -> list[Played]:
    if url is not None and key is not None:
        return await _play_all(url, key, matches, rng)
    own = replace(settings(data, port=0), organiser_key=secrets.token_hex(32))
    async with serving(own) as (address, organiser):
        return await _play_all(address, organiser, matches, rng)


@asynccontextmanager
async def serving(chosen: Settings) -> AsyncIterator[tuple[str, str]]:
    """A server of our own, for as long as it is used: its address and organiser's key."""
    assert chosen.organiser_key is not None
    configure_logs(chosen.log_format)
    make_folder(chosen)
    arbiter = Arbiter(chosen)
    socket = bind("127.0.0.1", 0)
    server = make_server(create_app(arbiter), arbiter)
    running = asyncio.create_task(server.serve([socket]))
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}", chosen.organiser_key
    finally:
        server.should_exit = True
        await running


async def _play_all(url: str, key: str, matches: int, rng: Random) -> list[Played]:
    tables = [(game, _seats(game, n)) for game in GAMES for n in range(matches)]
    room = asyncio.Semaphore(AT_ONCE)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[actions]} actions"),
        console=err,
    )
    limits = httpx.Limits(max_connections=AT_ONCE)
    async with httpx.AsyncClient(base_url=url, timeout=30, limits=limits) as client:
        with bar:
            task = bar.add_task("Matches", total=len(tables), actions=0)
            done: list[Played] = []

            async def one(game: str, seats: tuple[str, ...], bot: Random) -> None:
                async with room:
                    done.append(await _play(client, key, game, seats, bot))
                bar.update(task, advance=1, actions=sum(match.actions for match in done))

            bots = [Random(rng.random()) for _ in tables]  # noqa: S311  bots' tastes
            await asyncio.gather(
                *(one(*table, bot) for table, bot in zip(tables, bots, strict=True))
            )
    return done


def _seats(game: str, number: int) -> tuple[str, ...]:
    sizes = GAMES[game].seats
    return NAMES[: sizes[number % len(sizes)]]


async def _play(
    client: httpx.AsyncClient, key: str, game: str, seats: tuple[str, ...], rng: Random
) -> Played:
    organiser = {"Authorization": f"Bearer {key}"}
    made = await _sent(
        client.post("/v1/matches", json={"game": game, "seats": seats}, headers=organiser)
    )
    match = f"/v1/matches/{made['id']}"
    keys = [{"Authorization": f"Bearer {seat['key']}"} for seat in made["seats"]]
    shown = (await _sent(client.post(f"{match}/start", headers=organiser)))["view"]
    actions = 0
    while shown["status"] == "running":
        seat = shown["awaiting"]["seats"][0]
        view = await _sent(client.get(f"{match}/view", headers=keys[seat]))
        menu = await _sent(client.get(f"{match}/actions", headers=keys[seat]))
        action = BOTS[game](view["view"], menu["actions"], seat, rng)
        answer = await _sent(
            client.post(
                f"{match}/actions",
                json=action,
                headers={**keys[seat], "Idempotency-Key": f"{seat}-{actions}"},
            )
        )
        shown = answer["view"]
        actions += 1
    winners = tuple(seats[seat] for seat in shown["result"]["winners"])
    return Played(made["id"], game, seats, actions, winners)


async def _sent(request: Any) -> Any:
    response: httpx.Response = await request
    response.raise_for_status()
    return response.json()


def _report(played: list[Played], url: str | None, data: Path) -> None:
    table = Table(box=None)
    table.add_column("match", min_width=36)
    for title in ("game", "seats", "actions", "won by"):
        table.add_column(title)
    for match in sorted(played, key=lambda match: match.id):
        table.add_row(
            match.id, match.game, ", ".join(match.seats), str(match.actions),
            ", ".join(match.winners),
        )  # fmt: skip
    out.print(table)
    called = sys.argv[0] if "/" in sys.argv[0] and ".venv" in sys.argv[0] else "arbiter"
    newest = max(played, key=lambda match: match.id)
    out.print("\nLook at one:", style="bold")
    if url is None:
        where = "" if data == Path("data") else f" --data {data}"
        for audience in ("public", "seat:0", "moderator"):
            out.print(f"  {called} replay {newest.id} --as {audience}{where}", soft_wrap=True)
        out.print(f"  {called} serve{where}", soft_wrap=True)
    else:
        out.print(f"  {url}/v1/matches/{newest.id}/view", soft_wrap=True)
        out.print(f"  {url}/v1/matches/{newest.id}/events?as=moderator", soft_wrap=True)
