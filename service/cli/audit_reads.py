"""How `arbiter audit` prints who has looked at a fact."""

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from projections.disclosure import Viewer, viewer
from projections.knowledge import Known
from projections.looks import Look
from projections.plain_text import quoted
from service.cli.audit_output import called, listing, spaced
from service.cli.audit_sources import Source


def looks_table(source: Source, known: Sequence[Known]) -> Table:
    """A row for each person to whom the fact was handed, and as which audience. What was handed out
    by a key counts as looked at."""
    table = listing("looked at by", "as", "at the earliest", "at the latest")
    for look in _first_looks(known):
        table.add_row(
            Text(_person(look)),
            Text(_audience(look, source)),
            Text(spaced(look.earliest)),
            Text(spaced(look.latest)),
        )
    return table


def _first_looks(known: Sequence[Known]) -> Iterable[Look]:
    """The first look of each key as each audience, where a fact could be known in several ways."""
    first: dict[tuple[str | None, ...], Look] = {}
    for look in (look for one in known for look in one.looked):
        first.setdefault((look.person, look.role, look.key_id, look.audience), look)
    return first.values()


def not_read(source: Source, known: Sequence[Known]) -> Text:
    """As which readers nobody has looked, by any key; or why that is unknown."""
    if source.reads.unknown is not None:
        return Text(f"whether it was sent, and who looked: {source.reads.unknown}\n", style="dim")
    read = {one.reader for one in known if one.looked}
    unread = dict.fromkeys(
        called(_reader(one.reader), source)
        for one in known
        if one.own is not None and one.reader not in read
    )
    return Text(f"sent to no key of: {', '.join(unread) or 'nobody else'}\n", style="dim")


def _reader(name: str) -> Viewer:
    reader = viewer(name)
    assert reader is not None, "readers are audiences"
    return reader


def _person(look: Look) -> str:
    name = "somebody" if look.person is None else quoted(look.person)
    return f"{name} ({look.role})"


def _audience(look: Look, source: Source) -> str:
    return "" if look.audience is None else called(_reader(look.audience), source)
