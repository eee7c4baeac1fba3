"""`arbiter replay`: shows a match from the store at any position, as any audience saw it."""

from itertools import islice
from pathlib import Path
from uuid import UUID

import msgspec
import rich_click as click
from rich.console import RenderableType

from domain.events import Event, Record
from domain.match_events import MatchCreated
from projections.audience import View, view
from projections.disclosure import Viewer, viewer
from projections.history import state_at
from projections.lines import disclosed, line
from projections.name_salts import own_records
from service.cli.boards import DRAWINGS
from service.cli.console import out
from service.cli.options import data_option, existing_store, intact_records


@click.command()
@click.argument("match", type=click.UUID)
@click.option(
    "--as", "audience", default="public", show_default=True, help="public, seat:N or moderator."
)
@click.option("--at", type=click.IntRange(0), default=None, help="After this many of its events.")
@click.option("--events", is_flag=True, help="List the audience's events up to there, too.")
@click.option("--json", "as_json", is_flag=True, help="The view as the API shows it.")
@data_option
def replay(
    match: UUID, audience: str, at: int | None, events: bool, as_json: bool, data: Path
) -> None:
    """Show MATCH as an audience saw it: now, or after --at of its events.

    The command reads the store itself, so it is for those who run the service, and any audience can
    be shown.
    """
    with existing_store(data, match) as store:
        records = intact_records(store, match)
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    reader = _viewer(audience, len(created.seats))
    state = state_at(reader, records, at)
    if state is None:
        raise click.ClickException(f"{audience} has seen fewer than {at} events")
    shown = view(str(match), created.game, state)
    if as_json:
        out.print_json(msgspec.json.encode(shown).decode())
        return
    if events:
        _list_events(reader, records, state.seq)
    out.print(f"[bold]{match}[/]  {audience}, after {shown.seq} events: {shown.status}")
    out.print(_board(shown))


def _board(shown: View) -> RenderableType:
    if shown.view is None:
        return "Not started yet."
    wire = msgspec.json.decode(msgspec.json.encode(shown.view))
    return DRAWINGS[shown.game](wire, shown.seats)


def _viewer(audience: str, seats: int) -> Viewer:
    reader = viewer(audience)
    if reader is None or (isinstance(reader, int) and reader >= seats):
        raise click.ClickException(f"no such audience here: {audience}")
    return reader


def _list_events(reader: Viewer, records: list[Record[Event]], upto: int) -> None:
    for seq, record in islice(disclosed(reader, own_records(reader, records)), upto):
        shown_line = line(seq, record)
        fields = msgspec.json.encode(shown_line.data).decode()
        out.print(
            f"{seq:>6}  {shown_line.at}  {shown_line.type}  {fields}", soft_wrap=True, markup=False
        )
