"""`arbiter watch`: a running match, live, as an audience sees it."""

import asyncio
from typing import TextIO

import rich_click as click
from rich.text import Text

from domain.events import stored_name
from domain.match_events import AwaitingChanged
from projections.audience import View
from projections.disclosure import PUBLIC_VIEWER
from projections.event_numbers import in_columns
from projections.lines import Line
from projections.plain_text import plain
from service.cli.audiences import HELP, served_audience
from service.cli.console import err, out
from service.cli.live_match import Cut, LiveMatch, WentBack
from service.cli.match_text import happening, heading
from service.cli.origins import origin_errors
from service.cli.plain_board import position
from service.cli.service_connection import (
    LOCAL,
    connected,
    key_option,
    reaching,
    read_key,
    url_option,
)
from service.cli.typed_match import AtService

RECENT = 30
"""Number of earlier events that are printed at the start."""

WAITS = stored_name(AwaitingChanged)

CUT = "Connection lost, trying again."
WENT_BACK = "The operator has gone back to a backup. This is what there is now."


@click.command()
@click.argument("match")
@click.option("--as", "audience", help=f"{HELP} [default: the key's own]")
@url_option(LOCAL, "The service, if MATCH is an id.")
@key_option
def watch(match: str, audience: str | None, url: str, key_file: TextIO | None) -> None:
    """Watch MATCH live: a line for each thing that happens, and the board whenever the match waits
    for somebody else. For all but the public a line begins with the public's number, like p6, which
    everybody can cite, and then has the audience's own.

    MATCH is the address of a match on a running service, like
    https://play.example.org/v1/matches/ID, its id, or the beginning of one. Without a key it is
    what everybody may see. It ends with the match.
    """
    key = read_key(key_file)
    address = AtService(match, url, key).address()
    with connected(address, key) as connection:
        reader = served_audience(connection, audience)
    with reaching():
        asyncio.run(print_match(LiveMatch(address, key, reader)))


async def print_match(live: LiveMatch) -> None:
    """Prints what happens, line by line, to the end of the match, with the boards in between."""
    try:
        shown = await live.view()
        out.print(heading(shown), soft_wrap=True)
        async for news in live.follow(max(0, shown.seq - RECENT)):
            match news:
                case Line():
                    shown = await _print_line(live, news, shown)
                case Cut():
                    err.print(CUT)
                case WentBack():
                    err.print(WENT_BACK)
                    shown = await live.view()
        last = await live.view()
        if last.seq != shown.seq:
            _print_board(last)
    finally:
        await live.close()


async def _print_line(live: LiveMatch, line: Line, shown: View) -> View:
    """Prints what happened, and the board where what was `shown` is reached, or seats are awaited
    anew. Returns the latest view."""
    said = happening(line, shown.seats)
    if said is not None:
        public = shown.audience == PUBLIC_VIEWER
        numbers = in_columns(line.seq, line.public_seq, reader_is_public=public)
        out.print(Text(f"{numbers}  {plain(line.at)}  {said}"), soft_wrap=True)
    if line.seq > shown.seq and line.type == WAITS and line.data.get("seats"):
        shown = await live.view(line.seq)
    if line.seq == shown.seq:
        _print_board(shown)
    return shown


def _print_board(shown: View) -> None:
    with origin_errors("service"):
        out.print(position(shown))
