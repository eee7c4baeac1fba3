"""`arbiter notation`: the moves of a match as text."""

from pathlib import Path

import rich_click as click

from projections.audience.disclosure import MODERATOR
from projections.notation.writing import notation as notation_of
from projections.texts.plain_text import plain
from service.cli.auditing.recorded_match import origin_errors, recorded
from service.cli.playing.typed_match import AtService, Place, at_a_place


@click.command("notation")
@at_a_place
def notation(place: Place, data: Path) -> None:
    """Print the moves of MATCH, one a line.

    MATCH is its id, or the beginning of one, at --url or in the store; its address on a running
    service, like https://play.example.org/v1/matches/ID; or a bundle for moderators. While a match
    is running, or if its record is closed, its moves are for its moderators alone.
    """
    click.echo(_notation(place, data), nl=False)


def _notation(place: Place, data: Path) -> str:
    """Raises an error for the user if there is no such match."""
    if isinstance(place, AtService):
        with place.connected() as connection:
            text = connection.notation()
        return "\n".join(map(plain, text.split("\n")))
    match = recorded(place, data)
    if match.is_for != MODERATOR:
        raise click.ClickException("this bundle does not open everything")
    with origin_errors(match.origin):
        records = [one for one in match.records if one is not None]
        try:
            return notation_of(match.match, records)
        except KeyError:
            raise click.ClickException("the rules of this match are not here") from None
