"""`arbiter import`: a match from its notation, played again on a service or into a store."""

import asyncio
from pathlib import Path
from typing import TextIO

import rich_click as click
import uvloop
from msgspec import Struct
from rich.text import Text

from arbiter_client import Arbiter, ArbiterError, CreatedMatch
from domain.game import Result
from domain.seat_holders import holders
from projections.notation.moves import Drawn, PhaseEnded, Played
from projections.notation.reading import NotatedMove
from projections.notation.replaying import Replay
from service.cli.console import out
from service.cli.demo import serving
from service.cli.log_check import own_store
from service.cli.match_files import notated
from service.cli.options import data_option, settings
from service.cli.progress import progress_bar
from service.cli.service_connection import (
    connected_service,
    key_option,
    read_key,
    said_of,
    url_option,
)
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
    played = _judged(file)
    if url is not None:
        _import(url, read_key(key_file), played)
        return
    chosen = settings(data, port=0)
    if not chosen.embedded:
        raise click.UsageError("--url is needed where the store is not a file in --data")
    with own_store(chosen):
        uvloop.run(_into_store(chosen, played))


def _judged(file: TextIO) -> Replay:
    """The match of a notation. Raises an error for the user."""
    return notated(file.read(), file.name)


async def _into_store(chosen: Settings, played: Replay) -> None:
    """Plays on a server of our own, which nobody else can reach."""
    async with serving(chosen) as own:
        await asyncio.to_thread(_import, own.url, own.key, played)


def _import(url: str, key: str | None, played: Replay) -> None:
    with connected_service(url, key) as service:
        _Import(service, played).carry_out()


class _Import:
    """A match that is made on a service. All methods raise errors for the user."""

    def __init__(self, service: Arbiter, played: Replay) -> None:
        self._played = played
        self._made = made = self._created(service)
        self._moderator = service.match(made.id, made.moderator_key)
        self._seats = [service.match(made.id, seat.key) for seat in made.seats]

    def carry_out(self) -> None:
        """Starts the match, plays every move, and compares the result."""
        if self._played.match.status != "created":
            self._moderator.start()
        with progress_bar() as bar:
            task = bar.add_task("playing", total=len(self._played.moves))
            for move in self._played.moves:
                self._play(move)
                bar.advance(task)
        seen = self._moderator.get("view", _Seen)
        if seen.result != self._played.match.result:
            raise click.ClickException(f"match {self._made.id} has another result on this service")
        self._report(seen)

    def _created(self, service: Arbiter) -> CreatedMatch:
        match = self._played.match
        more = {"chance": "manual", "record": match.created.record}
        return service.create_match(
            match.created.game, holders(match), match.created.options, **more
        )

    def _play(self, numbered: NotatedMove) -> None:
        line, move = numbered
        try:
            match move:
                case Played(seat, action, invalid):
                    code = self._seats[seat].act(action, key=f"line-{line}").receipt.code
                    if code != invalid:
                        raise click.ClickException(f"the service finds it {code or 'valid'}")
                case Drawn(draw_id, outcome):
                    self._moderator.draw(draw_id, outcome)
                case PhaseEnded():
                    self._moderator.close_phase()
        except (click.ClickException, ArbiterError) as error:
            said = said_of(error) if isinstance(error, ArbiterError) else error
            raise click.ClickException(
                f"line {line}: {said.message} Match {self._made.id} has been played up to there."
            ) from None

    def _report(self, seen: _Seen) -> None:
        out.print(Text(f"{self._made.id}: {len(self._played.moves)} moves, {seen.status}"))
        if seen.status == "ended" and self._played.match.created.record != "closed":
            return
        if seen.status != "ended":
            out.print("It is not over: play on, or rule its result with `arbiter rule`.")
        out.print("Its keys, shown this once:")
        keys = {"moderator": self._made.moderator_key, **{s.name: s.key for s in self._made.seats}}
        for name, key in keys.items():
            out.print(Text(f"  {name}: {key}"), soft_wrap=True)
