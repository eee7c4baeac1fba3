"""`arbiter replay`: shows a match at any position, as any audience saw it."""

from pathlib import Path

import msgspec
import rich_click as click
from rich.text import Text

from projections.audience import View
from projections.disclosure import PUBLIC_VIEWER
from projections.event_numbers import in_columns, public_number
from projections.plain_text import plain
from service.cli.audiences import HELP
from service.cli.console import out
from service.cli.origins import origin_errors
from service.cli.plain_board import position
from service.cli.replay_sources import ReplaySource, replayed
from service.cli.typed_match import Place, at_a_place

MOST_DIGITS = 9


@click.command()
@click.option(
    "--as", "audience", help=f"{HELP} [default: the key's or the bundle's own, else public]"
)
@click.option(
    "--at",
    metavar="N",
    help="After this many of its events, or with p6 after the public's event 6.",
)
@click.option("--events", is_flag=True, help="List the audience's events up to there, too.")
@click.option("--json", "as_json", is_flag=True, help="The view as the API shows it.")
@at_a_place
def replay(
    place: Place, data: Path, audience: str | None, at: str | None, events: bool, as_json: bool
) -> None:
    """Show MATCH as an audience saw it: now, or after --at of its events.

    MATCH is its id, or the beginning of one, at --url or in the store; its address on a running
    service, like https://play.example.org/v1/matches/ID; or a file: a bundle (.arb) or a notation.
    A service shows what the key allows. The store is for those who run it.
    """
    with replayed(place, data) as source:
        reader = source.reader(audience)
        shown = source.view(reader, None if at is None else _position(source, reader, at))
        if as_json:
            out.print_json(msgspec.json.encode(shown).decode())
            return
        if events:
            for line in source.lines(reader, shown.seq):
                fields = msgspec.json.encode(line.data).decode()
                public = reader == PUBLIC_VIEWER
                numbers = in_columns(line.seq, line.public_seq, reader_is_public=public)
                text = plain(f"{numbers}  {line.at}  {line.type}  {fields}")
                out.print(text, soft_wrap=True)
        title = Text(plain(source.title), style="bold")
        out.print(title.append(f"  {reader}, {_after(shown)}: {shown.status}", "not bold"))
        with origin_errors(source.origin):
            out.print(position(shown))


def _after(shown: View) -> str:
    """After which events it is shown: by the public's last number first."""
    events = f"after {shown.seq} events"
    public = shown.audience == PUBLIC_VIEWER or shown.public_seq == 0
    return events if public else f"up to p{shown.public_seq}, {events}"


def _position(source: ReplaySource, reader: str, typed: str) -> int:
    """How many of the reader's events are meant: by their number, or by the public's. Raises an
    error for the user."""
    public = public_number(typed)
    if public is None:
        if not (typed.isascii() and typed.isdecimal() and len(typed) <= MOST_DIGITS):
            raise click.UsageError(
                f"--at {typed}: 8 of the audience's events, or p6 of the public's"
            )
        return int(typed)
    if reader == PUBLIC_VIEWER:
        return public
    for line in source.lines(reader):
        if line.public_seq == public:
            return line.seq
    raise click.ClickException(f"the public has seen fewer than {public} events")
