"""`arbiter notation`: the moves of a match as text."""

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO
from uuid import UUID

import rich_click as click

from domain.events import Event, Record
from projections.disclosure import MODERATOR
from projections.evidence import log
from projections.evidence.case import VerifierInputs, opened
from projections.notation.writing import notation as notation_of
from projections.plain_text import plain
from service.cli.audit_sources import origin_errors
from service.cli.options import data_option, existing_store, intact_records
from service.cli.service_connection import connected, is_address, key_option, read_key


@click.command("notation")
@click.argument("match")
@key_option
@data_option
def notation(match: str, key_file: TextIO | None, data: Path) -> None:
    """Print the moves of MATCH, one a line; `arbiter import` reads them back.

    MATCH is its id in the store, its address on a running service, like
    https://play.example.org/v1/matches/ID, or a bundle for moderators. While a match is running,
    or if its record is closed, its moves are for its moderators alone.
    """
    click.echo(_notation(match, key_file, data), nl=False)


def _notation(match: str, key_file: TextIO | None, data: Path) -> str:
    """Raises an error for the user if there is no such match."""
    if is_address(match):
        with connected(match, read_key(key_file)) as connection:
            text = connection.send("GET", "notation").text
        return "\n".join(map(plain, text.split("\n")))
    try:
        match_id = UUID(match)
    except ValueError:
        return _of_bundle(Path(match))
    with existing_store(data, match_id) as store:
        records = intact_records(store, match_id)
    if not records:
        raise click.ClickException("there is no such match in this store")
    return _of(str(match_id), records)


def _of_bundle(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise click.ClickException(
            f"neither the id of a match nor a bundle nor the address of a match: {path}"
            f" ({error.strerror})"
        ) from None
    with origin_errors("bundle"):
        case = opened(raw, VerifierInputs(()))
        log.openings(case)
        if case.manifest.audience != MODERATOR:
            raise click.ClickException("this bundle does not open everything")
        return _of(case.manifest.match, [one for one in case.records if one is not None])


def _of(match_id: str, records: Sequence[Record[Event]]) -> str:
    try:
        return notation_of(match_id, records)
    except KeyError:
        raise click.ClickException("the rules of this match are not here") from None
