"""`arbiter watch`: a running match, live, as an audience sees it."""

import time
from collections.abc import Callable
from typing import TextIO

import httpx
import rich_click as click
from rich.text import Text

from domain.events import stored_name
from domain.match_events import AwaitingChanged
from projections.audience import View
from projections.lines import Line
from projections.plain_text import plain
from service.cli.audiences import HELP, served_audience
from service.cli.console import err, out
from service.cli.match_text import happening, heading
from service.cli.origins import origin_errors
from service.cli.plain_board import position
from service.cli.service_connection import (
    LOCAL,
    MatchConnection,
    ServiceRefused,
    key_option,
    read_key,
    url_option,
)
from service.cli.typed_match import AtService

RECENT = 30
"""Number of earlier events that are printed at the start."""

POLL_SECONDS = 1.0
"""Pause between two looks at what is new."""

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
    for somebody else.

    MATCH is the address of a match on a running service, like
    https://play.example.org/v1/matches/ID, its id, or the beginning of one. Without a key it is
    what everybody may see. It ends with the match.
    """
    with AtService(match, url, read_key(key_file)).connected() as connection:
        print_match(connection, served_audience(connection, audience))


def print_match(
    match: MatchConnection, audience: str | None, pause: Callable[[float], None] = time.sleep
) -> None:
    """Prints what happens, line by line, to the end of the match, with the boards in between."""
    shown = latest = match.view(audience)
    out.print(heading(shown), soft_wrap=True)
    after = max(0, shown.seq - RECENT)
    while True:
        try:
            for line in match.lines(shown.audience, after):
                shown, after = _print_line(match, line, shown), line.seq
            if latest.seq < after:
                latest = match.view(shown.audience)
        except httpx.TransportError:
            err.print(CUT)
        except ServiceRefused as refused:
            if refused.code != "no_such_position":
                raise
            err.print(WENT_BACK)
            shown = latest = match.view(shown.audience)
            after = 0
            continue
        if latest.seq == after and _over(latest):
            break
        pause(POLL_SECONDS)
    if latest.seq != shown.seq:
        _print_board(latest)


def _print_line(match: MatchConnection, line: Line, shown: View) -> View:
    """Prints what happened, and the board where what was `shown` is reached, or seats are awaited
    anew. Returns the latest view."""
    said = happening(line, shown.seats)
    if said is not None:
        out.print(Text(f"{line.seq:>6}  {plain(line.at)}  {said}"), soft_wrap=True)
    if line.seq > shown.seq and line.type == WAITS and line.data.get("seats"):
        shown = match.view(shown.audience, line.seq)
    if line.seq == shown.seq:
        _print_board(shown)
    return shown


def _over(shown: View) -> bool:
    """Whether nothing will happen any more: a provisional result may still be protested."""
    result = shown.result
    provisional = result is not None and result.final is False
    return shown.status == "void" or (shown.status == "ended" and not provisional)


def _print_board(shown: View) -> None:
    with origin_errors("service"):
        out.print(position(shown))
