"""`arbiter matches`: the matches of a running service."""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import TextIO, get_args

import msgspec
import rich_click as click
from msgspec import Raw, Struct
from rich.table import Table
from rich.text import Text

from domain.match.state import Status
from projections.texts.plain_text import plain
from service.cli.console import few, out
from service.cli.ids import ID, served_id
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

SHORTEST = 13
"""Characters of an id that are shown at least: the millisecond of its creation, and a hyphen."""


class ListedMatch(Struct):
    """What is shown of a match in the list."""

    id: str
    game: str
    seats: tuple[str, ...]
    status: str
    created_at: str
    tournament: str | None


@click.command("matches")
@click.option("--game", help="Of this game, like liars-dice.")
@click.option("--status", type=click.Choice(get_args(Status)), help="In this state.")
@click.option("--tournament", type=ID, help="Of this tournament: its id, or the beginning of one.")
@click.option("--name", help="With a seat of this name, which is written out, in whatever case.")
@click.option("--limit", type=click.IntRange(1), help="Only that many. [default: all]")
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each, as the API has it.")
@url_option(LOCAL)
@key_option
def matches(
    game: str | None,
    status: str | None,
    tournament: str | None,
    name: str | None,
    limit: int | None,
    as_json: bool,
    url: str,
    key_file: TextIO | None,
) -> None:
    """List the matches of a service, the newest first, with the beginnings of ids that all other
    commands take. No key is needed."""
    with connected_service(url, read_key(key_file)) as service:
        of = None if tournament is None else str(served_id(service, tournament, "tournament"))
        wanted = {"game": game, "status": status, "tournament": of, "name": name}
        listed = service.rows("matches", "matches", Raw, **wanted, limit=min(PAGE, limit or PAGE))
        found = islice(listed, limit)
        if as_json:
            for raw in found:
                click.echo(bytes(raw))
        else:
            out.print(_table([_row(raw) for raw in found]))


def _row(raw: Raw) -> ListedMatch:
    try:
        return msgspec.json.decode(raw, type=ListedMatch)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise foreign(str(error)) from None


def _table(rows: Sequence[ListedMatch]) -> Table | str:
    """A row for each match. A column for the tournament is there if one has any."""
    if not rows:
        return "There are no such matches."
    tournaments = any(row.tournament for row in rows)
    titles = ["match", "status", "game", *(["tournament"] if tournaments else []), "created (UTC)"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, no_wrap=True)
    table.add_column("seats", overflow="fold")
    for row, short in zip(rows, _shortened([row.id for row in rows]), strict=True):
        of = [(row.tournament or "")[:SHORTEST]] if tournaments else []
        created = row.created_at.replace("T", " ")[:16]
        cells = (short, row.status, row.game, *of, created, few(row.seats))
        table.add_row(*(Text(plain(cell)) for cell in cells))
    return table


def _shortened(ids: Sequence[str]) -> Iterator[str]:
    """The beginnings of these ids, which are in order, that tell them from one another."""
    for before, own, behind in zip(["", *ids], ids, [*ids[1:], ""], strict=False):
        same = max(_same(own, other) for other in (before, behind))
        yield own[: max(SHORTEST, same + 1)]


def _same(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
