"""`arbiter import`: a match from its notation, played again on a service or into a store."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import rich_click as click
import uvloop
from msgspec import Struct
from rich.text import Text

from arbiter_client import ArbiterError, Match
from domain.game import Result
from domain.match.seat_holders import holders
from projections.notation.moves import Drawn, Move, PhaseEnded, PlayedMove
from projections.notation.replaying import Replay
from service.cli.auditing.recorded_match import notated
from service.cli.console import out
from service.cli.options import data_option, settings
from service.cli.playing.demo import serving
from service.cli.progress import progress_bar
from service.cli.service_connection import (
    connected_service,
    key_option,
    read_key,
    said_of,
    url_option,
)
from service.cli.stores.log_check import own_store
from service.cli.typed_files import TextFile
from service.settings import Settings


class _Seen(Struct):
    """What is read of a view."""

    status: str
    result: Result | None


@click.command("import")
@click.argument("file", type=TextFile())
@url_option(told="A running service; without it, the store in --data.")
@key_option
@data_option
def import_notation(file: TextIO, url: str | None, key_file: TextIO | None, data: Path) -> None:
    """Make a match from the notation in FILE: every move is played again, with its draws entered by
    hand.

    Before anything is sent, the whole notation is judged by the rules of the game, and a fault is
    named with its line and column. --url needs an organiser's key. Without it no other process may
    serve the store. `arbiter notation` writes notations.
    """
    played = notated(file.read(), file.name)
    if url is not None:
        _import(url, read_key(key_file), played)
        return
    chosen = settings(data, port=0)
    if not chosen.embedded:
        raise click.UsageError("--url is needed where the store is not a file in --data")
    with own_store(chosen):
        uvloop.run(_into_store(chosen, played))


async def _into_store(chosen: Settings, played: Replay) -> None:
    """Plays on a server of our own, which no one else can reach."""
    async with serving(chosen) as own:
        await asyncio.to_thread(_import, own.url, own.key, played)


def _import(url: str, key: str | None, played: Replay) -> None:
    """Plays every move of the match on a service, and compares the result. Raises errors for the
    user."""
    match = played.match
    with connected_service(url, key) as service:
        more = {"chance": "manual", "record": match.created.record}
        options = match.created.options
        made = service.create_match(match.created.game, holders(match), options, **more)
        moderator = service.match(made.id, made.moderator_key)
        seats = [service.match(made.id, seat.key) for seat in made.seats]
        if match.status != "created":
            moderator.start()
        with progress_bar() as bar:
            task = bar.add_task("playing", total=len(played.moves))
            for line, move in played.moves:
                try:
                    _play(moderator, seats, line, move)
                except (click.ClickException, ArbiterError) as error:
                    said = said_of(error) if isinstance(error, ArbiterError) else error
                    raise click.ClickException(
                        f"line {line}: {said.message} Match {made.id} has been played up to there."
                    ) from None
                bar.advance(task)
        seen = moderator.get("view", _Seen)
    if seen.result != match.result:
        raise click.ClickException(f"match {made.id} has another result on this service")
    out.print(Text(f"{made.id}: {len(played.moves)} moves, {seen.status}"))
    if seen.status == "ended" and match.created.record != "closed":
        return
    if seen.status != "ended":
        out.print("It is not over: play on, or rule its result with `arbiter rule`.")
    out.print("Its keys, shown this once:")
    keys = {"moderator": made.moderator_key, **{seat.name: seat.key for seat in made.seats}}
    for name, its in keys.items():
        out.print(Text(f"  {name}: {its}"), soft_wrap=True)


def _play(moderator: Match, seats: Sequence[Match], line: int, move: Move) -> None:
    match move:
        case PlayedMove(seat, action, invalid):
            code = seats[seat].act(action, key=f"line-{line}").receipt.code
            if code != invalid:
                raise click.ClickException(f"the service finds it {code or 'valid'}")
        case Drawn(draw_id, outcome):
            moderator.draw(draw_id, outcome)
        case PhaseEnded():
            moderator.close_phase()
