"""Names that are withheld, in the tables of the index."""

from collections.abc import Collection

from msgspec.structs import replace

from domain.names import person_of
from service.event_store.database import Cursor
from service.read_models.match_projection import decode_match, listed_rows
from service.read_models.sealed_rows import sealed


def rename_in_match(cursor: Cursor, match: str, names: Collection[str], placeholder: str) -> None:
    """Shows `placeholder` in place of these names in the row of a match, which is found by them no
    more."""
    for (state,) in listed_rows(cursor, "arbiter1_matches", [match]).values():
        before = decode_match(state)
        row = before.row
        seats = tuple(placeholder if name in names else name for name in row.seats)
        scheduled = replace(before.scheduled, row=replace(row, seats=seats))
        changed = sealed(replace(before, scheduled=scheduled))
        cursor.execute("UPDATE arbiter1_matches SET listed = ? WHERE id = ?", (changed, match))
        place = before.created, match
        for name in names:
            delete = "DELETE FROM arbiter1_seats WHERE name = ? AND created = ? AND match = ?"
            cursor.execute(delete, (person_of(name), *place))
        insert = "INSERT INTO arbiter1_seats VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        cursor.execute(insert, (person_of(placeholder), *place))


def rename_in_tournament(
    cursor: Cursor, tournament: str, names: Collection[str], placeholder: str
) -> None:
    """A tournament is found by the name no more."""
    for name in names:
        delete = "DELETE FROM arbiter1_called WHERE name = ? AND tournament = ?"
        cursor.execute(delete, (person_of(name), tournament))
    insert = "INSERT INTO arbiter1_called VALUES (?, ?) ON CONFLICT DO NOTHING"
    cursor.execute(insert, (person_of(placeholder), tournament))
