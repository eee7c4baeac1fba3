"""`arbiter watch`: a running match, live, as an audience sees it."""

import asyncio
from typing import TextIO

import rich_click as click
from rich.text import Text

from projections.audience import View
from projections.lines import Line
from projections.plain_text import plain
from service.cli.audiences import HELP, served_audience
from service.cli.console import at_terminal, err, out
from service.cli.live_match import Cut, LiveMatch, News, WentBack
from service.cli.screens.match_text import happening, heading, waiting
from service.cli.screens.watch_app import CUT, RECENT, WENT_BACK, WatchApp
from service.cli.service_connection import (
    LOCAL,
    connected,
    key_option,
    reaching,
    read_key,
    url_option,
)
from service.cli.typed_match import AtService


@click.command()
@click.argument("match")
@click.option("--as", "audience", help=f"{HELP} [default: the key's own]")
@url_option(LOCAL, "The service, if MATCH is an id.")
@key_option
def watch(match: str, audience: str | None, url: str, key_file: TextIO | None) -> None:
    """Watch MATCH live: the board, what happens, who is awaited, and the time that is left.

    MATCH is the address of a match on a running service, like
    https://play.example.org/v1/matches/ID, its id, or the beginning of one. Without a key it is
    what everybody may see. Where there is no terminal, a line is printed for each thing that
    happens.
    """
    key = read_key(key_file)
    address = AtService(match, url, key).address()
    with connected(address, key) as connection:
        reader = served_audience(connection, audience)
    seen = LiveMatch(address, key, reader)
    if not at_terminal():
        with reaching():
            asyncio.run(print_match(seen))
        return
    WatchApp(seen).show()


async def print_match(match: LiveMatch) -> None:
    """Prints what happens, line by line, to the end of the match, and how it ended."""
    try:
        shown = await match.view()
        out.print(heading(shown), soft_wrap=True)
        async for news in match.follow(max(0, shown.seq - RECENT)):
            _print_news(news, shown)
        out.print(Text(waiting(await match.view(), None)), soft_wrap=True)
    finally:
        await match.close()


def _print_news(news: News, shown: View) -> None:
    match news:
        case Line():
            said = happening(news, shown.seats, awaited=True)
            if said is not None:
                out.print(Text(f"{news.seq:>6}  {plain(news.at)}  {said}"), soft_wrap=True)
        case Cut():
            err.print(CUT)
        case WentBack():
            err.print(WENT_BACK)
