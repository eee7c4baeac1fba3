"""`arbiter replay`: a match at any position, as any audience saw it, from the store."""

from itertools import islice
from pathlib import Path
from uuid import UUID

import msgspec
import rich_click as click
from rich.console import RenderableType

from domain.events import Event, Record
from domain.match_events import MatchCreated
from projections.disclosure import Viewer, viewer
from projections.lines import disclosed, line
from projections.replay import at_number
from projections.sight import View, view
from service.cli.boards import DRAWINGS
from service.cli.options import data_option, existing_store, out


@click.command()
@click.argument("match", type=click.UUID)
@click.option(
    "--as", "audience", default="public", show_default=True, help="public, seat:N or moderator."
)
@click.option("--at", type=click.IntRange(0), default=None, help="After so many of its events.")
@click.option("--events", is_flag=True, help="List the audience's events up to there, too.")
@click.option("--json", "as_json", is_flag=True, help="The view as the API shows it.")
@data_option
def replay(
    match: UUID, audience: str, at: int | None, events: bool, as_json: bool, data: Path
) -> None:
    """Show MATCH as an audience saw it at any position: its newest, or after --at events.

    Reads the store itself, so it is for those who run it: any audience may be asked for.
    """
    with existing_store(data, match) as store:
        records = store.read(match)
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    looking = _viewer(audience, len(created.seats))
    sight = at_number(looking, records, at)
    if sight is None:
        raise click.ClickException(f"{audience} has not come as far as {at}")
    shown = view(str(match), created.game, sight)
    if as_json:
        out.print_json(msgspec.json.encode(shown).decode())
        return
    if events:
        _list_events(looking, records, sight.seq)
    out.print(f"[bold]{match}[/]  {audience}, after {shown.seq} events: {shown.status}")
    out.print(_board(shown, created))


def _board(shown: View, created: MatchCreated) -> RenderableType:
    if shown.view is None:
        return "Not started yet."
    wire = msgspec.json.decode(msgspec.json.encode(shown.view))
    return DRAWINGS[shown.game](wire, created.seats)


def _viewer(audience: str, seats: int) -> Viewer:
    looking = viewer(audience)
    if looking is None or (isinstance(looking, int) and looking >= seats):
        raise click.ClickException(f"no such audience here: {audience}")
    return looking


def _list_events(looking: Viewer, records: list[Record[Event]], upto: int) -> None:
    for seq, record in islice(disclosed(looking, records), upto):
        told = line(seq, record)
        fields = msgspec.json.encode(told.data).decode()
        out.print(f"{seq:>6}  {told.at}  {told.type}  {fields}", soft_wrap=True, markup=False)
