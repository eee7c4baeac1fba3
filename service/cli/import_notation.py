"""`arbiter import`: a match from its notation, played again on a service or into a store."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

import rich_click as click
import uvloop
from msgspec import Struct
from rich.text import Text

from domain.game import Result
from domain.seat_holders import holders
from projections.notation.moves import Drawn, PhaseEnded, Played
from projections.notation.reading import NotatedMove
from projections.notation.replaying import Replay
from service.application.migration import migrate
from service.cli.console import out
from service.cli.demo import serving
from service.cli.log_check import checked_log
from service.cli.match_files import notated
from service.cli.options import data_option, operator_errors, settings, store_lock
from service.cli.progress import progress_bar
from service.cli.service_connection import (
    ServiceConnection,
    answered,
    bearing,
    key_option,
    reaching,
    read_key,
    url_option,
)
from service.cli.typed_files import TextFile
from service.settings import Settings


class _Seat(Struct):
    """What is read of a seat of the answer to a creation."""

    name: str
    key: str


class _Created(Struct):
    """What is read of the answer to a creation."""

    id: str
    seats: list[_Seat]
    moderator_key: str


class _Receipt(Struct):
    """What is read of a receipt."""

    code: str | None


class _Taken(Struct):
    """What is read of the answer to an action."""

    receipt: _Receipt


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
        with reaching():
            _Import(url, read_key(key_file), played).carry_out()
        return
    chosen = settings(data, port=0)
    if not chosen.embedded:
        raise click.UsageError("--url is needed where the store is not a file in --data")
    with store_lock(chosen):
        with operator_errors(), checked_log(chosen):
            migrate(chosen.store)
        with reaching():
            uvloop.run(_into_store(chosen, played))


def _judged(file: TextIO) -> Replay:
    """The match of a notation. Raises an error for the user."""
    return notated(file.read(), file.name)


async def _into_store(chosen: Settings, played: Replay) -> None:
    """Plays on a server of our own, which nobody else can reach."""
    async with serving(chosen) as own:
        await asyncio.to_thread(_Import(own.url, own.key, played).carry_out)


class _Import:
    """A match that is made on a service. All methods raise errors for the user."""

    def __init__(self, url: str, key: str | None, played: Replay) -> None:
        self.url = f"{url}/v1"
        self.key = key
        self.played = played

    def carry_out(self) -> None:
        """Creates and starts the match, plays every move, and compares the result."""
        with closing(ServiceConnection(self.url, self.key)) as service, progress_bar() as bar:
            made = self._created(service)
            if self.played.match.status != "created":
                service.send("POST", f"matches/{made.id}/start")
            task = bar.add_task("playing", total=len(self.played.moves))
            for move in self.played.moves:
                self._play(service, made, move)
                bar.advance(task)
            seen = service.get(
                f"matches/{made.id}/view", _Seen, headers=bearing(made.moderator_key)
            )
        if seen.result != self.played.match.result:
            raise click.ClickException(f"match {made.id} has another result on this service")
        self._report(made, seen)

    def _created(self, service: ServiceConnection) -> _Created:
        created = self.played.match.created
        new = {
            "game": created.game,
            "seats": holders(self.played.match),
            "options": created.options,
            "chance": "manual",
            "record": created.record,
        }
        key = {"Idempotency-Key": str(uuid4())}
        return answered(service.send("POST", "matches", new, key), _Created)

    def _play(self, service: ServiceConnection, made: _Created, numbered: NotatedMove) -> None:
        line, move = numbered
        path, moderator = f"matches/{made.id}", bearing(made.moderator_key)
        try:
            match move:
                case Played(seat, action, invalid):
                    key = {**bearing(made.seats[seat].key), "Idempotency-Key": f"line-{line}"}
                    answer = service.send("POST", f"{path}/actions", action, key)
                    code = answered(answer, _Taken).receipt.code
                    if code != invalid:
                        raise click.ClickException(f"the service finds it {code or 'valid'}")
                case Drawn(draw_id, outcome):
                    drawn: dict[str, Any] = {"id": draw_id, "outcome": outcome}
                    service.send("POST", f"{path}/draws", drawn, moderator)
                case PhaseEnded():
                    service.send("POST", f"{path}/close-phase", None, moderator)
        except click.ClickException as error:
            raise click.ClickException(
                f"line {line}: {error.message} Match {made.id} has been played up to there."
            ) from None

    def _report(self, made: _Created, seen: _Seen) -> None:
        out.print(Text(f"{made.id}: {len(self.played.moves)} moves, {seen.status}"))
        if seen.status == "ended" and self.played.match.created.record != "closed":
            return
        if seen.status != "ended":
            out.print("It is not over: play on, or rule its result with `arbiter rule`.")
        out.print("Its keys, shown this once:")
        for name, key in [
            ("moderator", made.moderator_key),
            *((s.name, s.key) for s in made.seats),
        ]:
            out.print(Text(f"  {name}: {key}"), soft_wrap=True)
