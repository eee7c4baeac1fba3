"""`arbiter watch`: a running match, live, as an audience sees it."""

import sys
from typing import TextIO

import rich_click as click
from rich.text import Text

from arbiter_client import Event, HistoryWentBack, Match, Retries
from domain.events import stored_name
from domain.match.events import AwaitingChanged
from projections.audience.disclosure import PUBLIC_VIEWER
from projections.audience.event_numbers import in_columns
from projections.audience.lines import Line
from projections.audience.view import View
from projections.texts.actor_text import known_actors
from projections.texts.event_text import told
from projections.texts.plain_text import Names
from projections.texts.timestamps import microseconds, rfc3339
from service.cli.audiences import HELP, called, served_audience
from service.cli.auditing.recorded_match import origin_errors
from service.cli.console import err, out
from service.cli.playing.plain_board import game_title, numbered, position
from service.cli.playing.typed_match import at_service
from service.cli.service_connection import LOCAL, key_option, url_option

RECENT = 30
"""Number of earlier events that are printed at the start."""

WAITS = stored_name(AwaitingChanged)

_UNSAID = known_actors().housekeeping - {WAITS}

CUT = "Connection lost, trying again."
PATIENT = Retries(attempts=sys.maxsize, on_pause=lambda *_: err.print(CUT))
WENT_BACK = "The operator has gone back to a backup. This is what there is now."


@click.command()
@click.argument("match")
@click.option("--as", "audience", help=f"{HELP} [default: the key's own]")
@url_option(LOCAL, "The service, if MATCH is an id.")
@key_option
def watch(match: str, audience: str | None, url: str, key_file: TextIO | None) -> None:
    """Watch MATCH live: a line for each thing that happens, and the board whenever the match waits
    for another person. For all but the public a line begins with the public's number, like p6,
    which everyone can cite, and then has the audience's own.

    MATCH is the address of a match on a running service, like
    https://play.example.org/v1/matches/ID, its id, or the beginning of one. Without a key it is
    what everyone may see. It ends with the match.
    """
    place = at_service(match, url, key_file)
    with place.connected() as connection:
        reader = served_audience(connection, audience)
    with place.connected(PATIENT) as connection:
        print_match(connection, reader)


def print_match(match: Match, reader: str | None = None) -> None:
    """Prints what happens, line by line, to the end of the match, with the boards in between."""
    shown = _seen(match, reader)
    whose = called(shown.audience, shown.seats)
    heading = Text(game_title(shown.game), style="bold")
    heading.append(f"  {numbered(shown.seats)}", style="not bold")
    out.print(heading.append(f"  as {whose}", style="not bold dim"), soft_wrap=True)
    begun: int | None = max(0, shown.seq - RECENT)
    while begun is not None:
        try:
            for event in match.follow(begun, reader):
                shown = _print_event(match, event, shown)
            begun = None
        except HistoryWentBack:
            err.print(WENT_BACK)
            shown, begun = _seen(match, reader), 0
    last = _seen(match, reader)
    if last.seq != shown.seq:
        _print_board(last)


def _seen(match: Match, reader: str | None, at: int | None = None) -> View:
    return match.get("view", View, as_=reader, at=at)


def _print_event(match: Match, event: Event, shown: View) -> View:
    """Prints what happened, and the board where what was `shown` is reached, or seats are awaited
    anew. Returns the latest view."""
    at = rfc3339(microseconds(event.at))
    said = happening(Line(event.seq, event.public_seq, at, event.type, event.data), shown.seats)
    if said is not None:
        public = shown.audience == PUBLIC_VIEWER
        numbers = in_columns(event.seq, event.public_seq, reader_is_public=public)
        out.print(Text(f"{numbers}  {at}  {said}"), soft_wrap=True)
    if event.seq > shown.seq and event.type == WAITS and event.data.get("seats"):
        shown = _seen(match, shown.audience, event.seq)
    if event.seq == shown.seq:
        _print_board(shown)
    return shown


def happening(line: Line, names: Names) -> str | None:
    """An event in words; None for what only keeps the books."""
    return None if line.type in _UNSAID else told(line.type, line.data, names)


def _print_board(shown: View) -> None:
    with origin_errors("service"):
        out.print(position(shown))
