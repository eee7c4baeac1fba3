"""`arbiter notation`: the moves of a match as text."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import rich_click as click

from domain.events import Event, Record
from projections.disclosure import MODERATOR
from projections.notation.writing import notation as notation_of
from projections.plain_text import plain
from service.cli.match_files import bundled, opened_to, read_file
from service.cli.options import existing_store, intact_records
from service.cli.origins import origin_errors
from service.cli.typed_match import AtService, InFile, InStore, Place, at_a_place


@click.command("notation")
@at_a_place
def notation(place: Place, data: Path) -> None:
    """Print the moves of MATCH, one a line; `arbiter import` reads them back.

    MATCH is its id, or the beginning of one, at --url or in the store; its address on a running
    service, like https://play.example.org/v1/matches/ID; or a bundle for moderators. While a match
    is running, or if its record is closed, its moves are for its moderators alone.
    """
    click.echo(_notation(place, data), nl=False)


def _notation(place: Place, data: Path) -> str:
    """Raises an error for the user if there is no such match."""
    match place:
        case AtService():
            with place.connected() as connection:
                text = connection.notation()
            return "\n".join(map(plain, text.split("\n")))
        case InFile(path):
            return _of_bundle(path)
        case InStore():
            return _of_store(place.id(data), data)


def _of_store(match: UUID, data: Path) -> str:
    with existing_store(data) as store:
        records = intact_records(store, match)
    if not records:
        raise click.ClickException("there is no such match in this store")
    return _of(str(match), records)


def _of_bundle(path: Path) -> str:
    case = bundled(read_file(path))
    with origin_errors("bundle"):
        if opened_to(case) != MODERATOR:
            raise click.ClickException("this bundle does not open everything")
        return _of(case.manifest.match, [one for one in case.records if one is not None])


def _of(match_id: str, records: Sequence[Record[Event]]) -> str:
    try:
        return notation_of(match_id, records)
    except KeyError:
        raise click.ClickException("the rules of this match are not here") from None
