"""`arbiter matches`: the matches of a running service."""

from itertools import islice
from typing import TextIO, get_args
from uuid import UUID

import msgspec
import rich_click as click
from msgspec import Raw, Struct

from domain.match.state import Status
from projections.texts.plain_text import plain
from service.cli.console import few, out
from service.cli.service_connection import (
    LOCAL,
    connected_service,
    foreign,
    key_option,
    read_key,
    url_option,
)

PAGE = 200
"""Maximum rows of a page of the list."""


class ListedMatch(Struct):
    """What is shown of a match in the list."""

    id: str
    game: str
    seats: tuple[str, ...]
    status: str
    created: str


@click.command("matches")
@click.option("--game", help="Of this game, like liars-dice.")
@click.option("--status", type=click.Choice(get_args(Status)), help="In this state.")
@click.option("--tournament", type=click.UUID, help="Of this tournament, by its id.")
@click.option("--name", help="With a seat of this name, which is written out, in whatever case.")
@click.option("--limit", type=click.IntRange(1), help="Only that many. [default: all]")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each, as the API has it.")
@url_option(LOCAL)
@key_option
def matches(
    game: str | None,
    status: str | None,
    tournament: UUID | None,
    name: str | None,
    limit: int | None,
    as_json: bool,
    url: str,
    key_file: TextIO | None,
) -> None:
    """List the matches of a service, the newest first: id, status, game, creation (UTC), seats. No
    key is needed."""
    with connected_service(url, read_key(key_file)) as service:
        of = None if tournament is None else str(tournament)
        wanted = {"game": game, "status": status, "tournament": of, "name": name}
        listed = service.rows("matches", "matches", Raw, **wanted, limit=min(PAGE, limit or PAGE))
        found = islice(listed, limit)
        if as_json:
            for raw in found:
                click.echo(bytes(raw))
        else:
            lines = [_line(_row(raw)) for raw in found] or ["There are no such matches."]
            out.print("\n".join(lines), soft_wrap=True)


def _row(raw: Raw) -> ListedMatch:
    try:
        return msgspec.json.decode(raw, type=ListedMatch)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise foreign(str(error)) from None


def _line(row: ListedMatch) -> str:
    created = row.created.replace("T", " ")[:16]
    return plain(f"{row.id}  {row.status:7}  {row.game}  {created}  {few(row.seats)}")
