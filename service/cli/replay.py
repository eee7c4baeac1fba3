"""`arbiter replay`: shows a match at any position, as any audience saw it."""

from functools import partial
from pathlib import Path
from typing import Any, TextIO

import msgspec
import rich_click as click
from rich.console import RenderableType
from rich.text import Text

from projections.audience import View
from projections.plain_text import plain
from service.cli import plain_board
from service.cli.audiences import HELP
from service.cli.boards import DRAWINGS
from service.cli.console import out
from service.cli.options import data_option
from service.cli.origins import origin_errors
from service.cli.replay_sources import replayed
from service.cli.service_connection import key_option, url_option
from service.cli.typed_match import URL_HELP, place_of


@click.command()
@click.argument("match")
@click.option(
    "--as", "audience", help=f"{HELP} [default: the key's or the bundle's own, else public]"
)
@click.option("--at", type=click.IntRange(0), default=None, help="After this many of its events.")
@click.option("--events", is_flag=True, help="List the audience's events up to there, too.")
@click.option("--json", "as_json", is_flag=True, help="The view as the API shows it.")
@url_option(told=URL_HELP)
@key_option
@data_option
def replay(
    match: str,
    audience: str | None,
    at: int | None,
    events: bool,
    as_json: bool,
    url: str | None,
    key_file: TextIO | None,
    data: Path,
) -> None:
    """Show MATCH as an audience saw it: now, or after --at of its events.

    MATCH is its id, or the beginning of one, at --url or in the store; its address on a running
    service, like https://play.example.org/v1/matches/ID; or a file: a bundle (.arb) or a notation.
    A service shows what the key allows. The store is for those who run it.
    """
    with replayed(place_of(match, url, key_file), data) as source:
        reader = source.reader(audience)
        shown = source.view(reader, at)
        if as_json:
            out.print_json(msgspec.json.encode(shown).decode())
            return
        if events:
            for line in source.lines(reader, shown.seq):
                fields = msgspec.json.encode(line.data).decode()
                text = plain(f"{line.seq:>6}  {line.at}  {line.type}  {fields}")
                out.print(text, soft_wrap=True, markup=False)
        title = Text(plain(source.title), style="bold")
        out.print(title.append(f"  {reader}, after {shown.seq} events: {shown.status}", "not bold"))
        with origin_errors(source.origin):
            out.print(board(shown))


def board(shown: View) -> RenderableType:
    """The drawing of a view. What does not print as itself is escaped in it."""
    if shown.view is None:
        return "Not started yet."
    wire = _printable(msgspec.json.decode(msgspec.json.encode(shown.view)))
    draw = DRAWINGS.get(shown.game) or partial(plain_board.draw, plain(shown.game))
    return draw(wire, [plain(name) for name in shown.seats])


def _printable(value: Any) -> Any:
    """The value with all texts in it plain: a forged view must not move the reader's cursor."""
    match value:
        case str():
            return plain(value)
        case list():
            return [_printable(one) for one in value]
        case dict():
            return {plain(name): _printable(one) for name, one in value.items()}
    return value
