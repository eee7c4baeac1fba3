"""Notices in a table, as if its follower had read them from the log."""

from collections.abc import Sequence

from service.notices.registrations import NAME, Addressed
from service.notices.webhook_table import WebhookTable, add_notices
from service.read_models.follower import select_position, set_position


def add(table: WebhookTable, notices: Sequence[Addressed], settled: Sequence[str] = ()) -> None:
    """Adds notices, and drops the reminders of the matches `settled`."""
    with table._db.transaction() as cursor:
        add_notices(cursor, notices, settled)


def position(table: WebhookTable, name: str = NAME) -> int:
    """How far the follower of this name is."""
    ((position,),) = table._db.select(select_position(name))
    return int(position)


def move(table: WebhookTable, position: int) -> None:
    """Moves the follower of notices, as after a power failure or elsewhere."""
    with table._db.transaction() as cursor:
        cursor.execute(set_position(NAME), (position,))
