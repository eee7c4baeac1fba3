"""`arbiter replay`: shows a match from the store at any position, as any audience saw it."""

from itertools import islice
from pathlib import Path
from typing import TextIO
from uuid import UUID

import msgspec
import rich_click as click

from domain.events import Event, Record
from domain.match_events import MatchCreated
from projections.audience import view
from projections.disclosure import Viewer, viewer
from projections.history import state_at
from projections.lines import disclosed, line
from projections.name_salts import own_records
from service.cli.console import at_terminal, out
from service.cli.live_match import address_of
from service.cli.options import data_option, existing_store, intact_records
from service.cli.positions import ServedPositions, StoredPositions
from service.cli.screens.board_text import board
from service.cli.screens.step_app import Positions, StepApp
from service.cli.service_connection import connected, key_option, read_key


@click.command()
@click.argument("match", type=click.UUID)
@click.option(
    "--as", "audience", default="public", show_default=True, help="public, seat:N or moderator."
)
@click.option("--at", type=click.IntRange(0), default=None, help="After this many of its events.")
@click.option("--events", is_flag=True, help="List the audience's events up to there, too.")
@click.option("--json", "as_json", is_flag=True, help="The view as the API shows it.")
@click.option("--step", is_flag=True, help="Go through all positions, with the arrow keys.")
@click.option("--url", default=None, help="With --step: a running service on which MATCH is.")
@key_option
@data_option
def replay(
    match: UUID,
    audience: str,
    at: int | None,
    events: bool,
    as_json: bool,
    step: bool,
    url: str | None,
    key_file: TextIO | None,
    data: Path,
) -> None:
    """Show MATCH as an audience saw it: now, or after --at of its events.

    The command reads the store itself, so it is for those who run the service, and any audience can
    be shown. With --step and --url it shows what the key allows, and needs no store.
    """
    if url is not None:
        if not step:
            raise click.UsageError("--url goes with --step")
        with connected(address_of(str(match), url), read_key(key_file)) as connection:
            show_steps(ServedPositions(connection), audience, at)
        return
    with existing_store(data, match) as store:
        records = intact_records(store, match)
    created = records[0].event if records else None
    if not isinstance(created, MatchCreated):
        raise click.ClickException("there is no such match in this store")
    reader = _viewer(audience, len(created.seats))
    if step:
        show_steps(StoredPositions(str(match), records), audience, at)
        return
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
    out.print(board(shown))


def show_steps(match: Positions, reader: str, at: int | None) -> None:
    """Shows the positions of a match one after another, from the first or this one on. Raises an
    error for the user without a terminal."""
    if not at_terminal():
        raise click.ClickException("--step needs a terminal; --at N shows one position")
    match.view(reader, at)  # Raises what would leave the screen empty.
    StepApp(match, reader, at or 0).show()


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
