"""`arbiter replay`: shows a match at any position, as any audience saw it."""

from pathlib import Path

import msgspec
import rich_click as click

from arbiter_client import Match
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, name_audience
from projections.audience.view import View, state_of, view
from service.cli.audiences import HELP, served_audience
from service.cli.auditing.audit_sources import UNVERIFIED, RecordedMatch, origin_errors, read_place
from service.cli.console import err, out
from service.cli.playing.typed_match import AtService, Place, at_a_place
from service.cli.service_connection import foreign


@click.command()
@click.option(
    "--as", "audience", help=f"{HELP} [default: the key's or the bundle's own, else public]"
)
@click.option("--at", type=click.IntRange(0), help="After this many of its events.")
@at_a_place
def replay(place: Place, data: Path, audience: str | None, at: int | None) -> None:
    """Show MATCH as an audience saw it, now or after --at of its events: its view, as the API has
    it.

    MATCH is its id, at --url or in the store; its address on a running
    service, like https://play.example.org/v1/matches/ID; or a bundle (.arb).
    A service shows what the key allows. The store is for those who run it.
    """
    if isinstance(place, AtService):
        with place.connected() as connection:
            match_view = _read_served(connection, served_audience(connection, audience), at)
    else:
        recorded_match = read_place(place, data)
        if recorded_match.origin == "bundle":
            err.print(f"{UNVERIFIED}\n", style="bold yellow")
        own = recorded_match.is_for if recorded_match.origin == "bundle" else PUBLIC_VIEWER
        match_view = _replay(
            recorded_match, own if audience is None else recorded_match.reader(audience), at
        )
    out.print_json(msgspec.json.encode(match_view).decode())


def _replay(recorded_match: RecordedMatch, viewer: Viewer, at: int | None) -> View:
    """What the reader saw after the first `at` events of a record that is here. Raises an error for
    the user."""
    numbered = [
        (n, record) for n, record in enumerate(recorded_match.records, 1) if record is not None
    ]
    with origin_errors(recorded_match.origin):
        state = state_of(viewer, numbered, at)
        if state is None:
            raise click.ClickException(f"{name_audience(viewer)} has seen fewer than {at} events")
        return view(recorded_match.match, recorded_match.created.game, state)


def _read_served(connection: Match, reader: str | None, at: int | None) -> View:
    """The same of a match at a running service, which shows it as far as the key allows."""
    match_view = connection.get("view", View, as_=reader, at=at)
    if match_view.match != connection.id or reader not in (None, match_view.audience):
        raise foreign("it shows another match, or another audience")
    return match_view
