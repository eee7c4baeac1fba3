"""The tables of webhooks and deliveries in the database of the log. All methods block."""

import os
from collections.abc import Collection, Sequence
from typing import Any

from msgspec import msgpack

from service.event_store.database import Cursor, Database, SQLiteDatabase
from service.event_store.recorder import FollowedLog
from service.event_store.store import Store
from service.notices.notices import rename_in_body
from service.notices.registrations import (
    CALENDAR_TABLE,
    DELIVERY_TABLE,
    HOME_TABLE,
    NAME,
    NEW_TABLE,
    OWN,
    TABLES,
    WEBHOOK_TABLE,
    Addressed,
    Calendar,
    Delivery,
    DueDelivery,
    Registrations,
    Webhook,
    registration_table,
)
from service.notices.shares import AT_ONCE, NOTHING_FULL, PER_WEBHOOK, Full
from service.read_models.follower import Follower, Projection, restart

FILE_END = ".notices"
"""Ending of the name of the file in which the embedded store has them, next to its own."""

_COLUMNS = Delivery.__struct_fields__
_SENT = f"SELECT {', '.join(_COLUMNS)} FROM {DELIVERY_TABLE}"  # noqa: S608
_NEXT = (
    f"SELECT {{nth}} AS nth, to_whom.owner, to_whom.registered,"  # noqa: S608
    f" {', '.join(f'one.{name}' for name in _COLUMNS)}, to_whom.failures, to_whom.rests"
    f" FROM {WEBHOOK_TABLE} AS to_whom CROSS JOIN {DELIVERY_TABLE} AS one"
    " WHERE to_whom.rests <= ?{conditions} AND one.webhook = to_whom.id AND one.number ="
    f" (SELECT next.number FROM {DELIVERY_TABLE} AS next"
    " WHERE next.webhook = to_whom.id AND next.state = 'waiting' AND next.due <= ?"
    " AND (next.expires IS NULL OR next.expires > ?)"
    " AND (next.kind = 'reminder' OR next.number ="
    f" (SELECT MIN(earlier.number) FROM {DELIVERY_TABLE} AS earlier"
    " WHERE earlier.state = 'waiting' AND earlier.kind <> 'reminder'"
    " AND earlier.webhook = next.webhook AND earlier.subject = next.subject))"
    " ORDER BY next.due, next.number LIMIT 1 OFFSET {nth})"
)
_DUE = (
    "SELECT found.*, ROW_NUMBER() OVER (PARTITION BY owner ORDER BY nth, due, number) AS turn"
    " FROM ({queries}) AS found ORDER BY turn, due, webhook, number LIMIT ?"
)
"""What is due of whom: to each webhook the first few, of each match the earliest that waits alone,
each owner's in turns. Its work grows with the webhooks, not with what waits for them."""

_decode_webhook = msgpack.Decoder(Webhook).decode
_decode_calendar = msgpack.Decoder(Calendar).decode

PERSONAL = (WEBHOOK_TABLE, DELIVERY_TABLE, NEW_TABLE, CALENDAR_TABLE)
"""The tables with addresses and secrets: no backup and no copy has their rows."""

REPEATED = 7 * 24 * 3600 * 1_000_000
"""For how long what was sent can be listed, in microseconds."""

QUEUE = 1_000
"""Maximum notices that wait for one webhook, reminders left out; then the oldest are dropped."""

DEAD, DEAD_ATTEMPTS = REPEATED, 20
"""A webhook is removed after so many microseconds and so many attempts in which nothing arrived."""


class WebhookTable(Registrations[Webhook]):
    """The webhooks of one store, and what was and will be sent to them; with the
    `calendars`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, WEBHOOK_TABLE, _decode_webhook)
        self.calendars = Registrations(database, CALENDAR_TABLE, _decode_calendar)

    def belong(self, incarnation: bytes) -> None:
        """Makes the tables those of this incarnation of the store, here. If they were another's,
        or lie elsewhere now, they are a copy, of which nothing may be sent: they are emptied."""
        here = self._db.identity(WEBHOOK_TABLE)
        with self._db.transaction() as cursor:
            cursor.execute(
                f"SELECT incarnation, home FROM {HOME_TABLE} WHERE id = 1"  # noqa: S608
                f"{self._db.for_update}"
            )
            incarnation_before, home = cursor.fetchone()
            moved = bool(here) and not set(here) & set((home or "").splitlines())
            if incarnation_before is not None and (
                moved or bytes(incarnation_before) != incarnation
            ):
                restart(cursor, NAME, PERSONAL)
                restart(cursor, OWN, ())
            cursor.execute(
                f"UPDATE {HOME_TABLE} SET incarnation = ?, home = ?",  # noqa: S608
                (incarnation, "\n".join(here)),
            )

    def _added(self, cursor: Cursor, name: str) -> None:
        new = f"INSERT INTO {NEW_TABLE} VALUES (?) ON CONFLICT DO NOTHING"  # noqa: S608
        cursor.execute(new, (name,))

    def _removed(self, cursor: Cursor, name: str) -> None:
        for table in (DELIVERY_TABLE, NEW_TABLE):
            cursor.execute(f"DELETE FROM {table} WHERE webhook = ?", (name,))  # noqa: S608

    def new(self) -> list[Webhook]:
        """Those that were not reminded yet of the deadlines in force."""
        new = f"WHERE id IN (SELECT webhook FROM {NEW_TABLE}) ORDER BY since, id"  # noqa: S608
        return self._selected(new)

    def remind(self, webhook: Webhook, reminders: Sequence[Addressed]) -> None:
        """Adds the reminders of the deadlines in force for a webhook, which is new no longer."""
        with self._db.transaction() as cursor:
            for addressed in reminders:
                _insert(cursor, addressed)
            cursor.execute(f"DELETE FROM {NEW_TABLE} WHERE webhook = ?", (webhook.id,))  # noqa: S608

    def deliveries(self, webhook: str, after: int, limit: int) -> list[Delivery]:
        """What was and will be sent to a webhook, after number `after`, in order."""
        query = f"{_SENT} WHERE webhook = ? AND number > ? ORDER BY number LIMIT ?"
        return [Delivery(*row) for row in self._db.select(query, (webhook, after, limit))]

    def due(self, now: int, full: Full = NOTHING_FULL) -> list[DueDelivery]:
        """What is to be sent now to webhooks that do not rest and have room: of each match to each
        webhook the earliest that waits alone, so that they arrive in order; reminders have none.
        The first of each owner come before the second of any; among an owner's, those of each
        webhook."""
        conditions: list[str] = []
        values_bound: list[int | str] = []
        for column, values in (("to_whom.id", full.webhooks), ("to_whom.owner", full.owners)):
            if values:
                conditions.append(f" AND {column} NOT IN ({', '.join('?' * len(values))})")
                values_bound += values
        if full.failing:
            conditions.append(" AND to_whom.failures = 0")
        queries = (
            _NEXT.format(nth=nth, conditions="".join(conditions)) for nth in range(PER_WEBHOOK)
        )
        rows = self._db.select(
            _DUE.format(queries=" UNION ALL ".join(queries)),
            (*(now, *values_bound, now, now) * PER_WEBHOOK, 2 * AT_ONCE),
        )
        return list(map(_due, rows))

    def rename(self, subject: str, names: Collection[str], placeholder: str) -> None:
        """Has `placeholder` in place of these names in the notices about a match or tournament."""
        with self._db.transaction() as cursor:
            cursor.execute(
                f"SELECT webhook, number, body FROM {DELIVERY_TABLE} WHERE subject = ?",  # noqa: S608
                (subject,),
            )
            for webhook, number, body in cursor.fetchall():
                cursor.execute(
                    f"UPDATE {DELIVERY_TABLE} SET body = ? WHERE webhook = ? AND number = ?",  # noqa: S608
                    (rename_in_body(bytes(body), names, placeholder), webhook, number),
                )

    def attempted(self, *attempts: DueDelivery) -> None:
        """Writes what came of attempts, in one transaction."""
        with self._db.transaction() as cursor:
            for webhook, delivery, failures, rests in attempts:
                cursor.execute(
                    f"UPDATE {WEBHOOK_TABLE} SET failures = ?, rests = ?, failing ="  # noqa: S608
                    " CASE WHEN ? > 0 THEN COALESCE(failing, ?) END WHERE id = ?",
                    (failures, rests, failures, delivery.last, webhook.id),
                )
                cursor.execute(
                    f"UPDATE {DELIVERY_TABLE} SET state = ?, attempts = ?, due = ?, last = ?, "  # noqa: S608
                    "said = ? WHERE webhook = ? AND number = ?",
                    (
                        delivery.state, delivery.attempts, delivery.due, delivery.last,
                        delivery.said, delivery.webhook, delivery.number,
                    ),
                )  # fmt: skip

    def drop_expired(self, now: int) -> None:
        """Drops the reminders whose deadline has come before they arrived."""
        expired = f"FROM {DELIVERY_TABLE} WHERE state = 'waiting' AND expires <= ?"
        if self._db.select(f"SELECT 1 {expired} LIMIT 1", (now,)):
            with self._db.transaction() as cursor:
                cursor.execute(f"DELETE {expired}", (now,))

    def late(self, now: int) -> int:
        """The longest time that a notice has waited, in microseconds, of those to webhooks at
        which the last attempt has not failed."""
        ((due,),) = self._db.select(
            f"SELECT MIN(one.due) FROM {WEBHOOK_TABLE} AS to_whom JOIN {DELIVERY_TABLE} AS one"  # noqa: S608
            " ON one.webhook = to_whom.id WHERE to_whom.failures = 0 AND one.state = 'waiting'"
        )
        return 0 if due is None else max(0, now - int(due))

    def forget(self, now: int) -> None:
        """Forgets what was sent so long ago that no one can ask for it any more, and removes the
        webhooks at which nothing has arrived since then."""
        dead = f"SELECT id FROM {WEBHOOK_TABLE} WHERE failing <= ? AND failures >= ?"  # noqa: S608
        for (webhook,) in self._db.select(dead, (now - DEAD, DEAD_ATTEMPTS)):
            self.remove(webhook)
        with self._db.transaction() as cursor:
            cursor.execute(
                f"DELETE FROM {DELIVERY_TABLE} WHERE state <> 'waiting' AND made < ?",  # noqa: S608
                (now - REPEATED,),
            )

    def close(self) -> None:
        """Closes the tables; they must not be used afterwards."""
        self._db.close()

    def follower(self, log: FollowedLog, projection: Projection) -> Follower:
        """What adds notices from the log."""
        return Follower(self._db, log, projection)


def add_notices(cursor: Cursor, notices: Sequence[Addressed], settled: Sequence[str]) -> None:
    """Adds notices, which are now made, to those that wait, of which QUEUE remain. Reminders of the
    matches `settled` that have not arrived are dropped first."""
    for match in settled:
        of_match = "WHERE subject = ? AND kind = 'reminder' AND state = 'waiting'"
        cursor.execute(f"DELETE FROM {DELIVERY_TABLE} {of_match}", (match,))  # noqa: S608
    for addressed in notices:
        _insert(cursor, addressed)
    for webhook in {addressed.webhook for addressed in notices}:
        # Unlike `number`, `+number` makes no use of the primary key: behind it lies what was sent.
        cursor.execute(
            f"UPDATE {DELIVERY_TABLE} SET state = 'dropped' WHERE webhook = ?"  # noqa: S608
            " AND state = 'waiting' AND kind <> 'reminder' AND +number <="
            f" (SELECT sent FROM {WEBHOOK_TABLE} WHERE id = ?) - {QUEUE}",
            (webhook, webhook),
        )


def _due(row: Sequence[Any]) -> DueDelivery:
    _nth, _owner, webhook, *columns, failures, rests, _turn = row
    return DueDelivery(_decode_webhook(bytes(webhook)), Delivery(*columns), failures, rests)


class NoticesFile(SQLiteDatabase):
    """The file next to the embedded store that has what belongs in no backup. Only its owner may
    read it."""

    def __init__(self, store: str) -> None:
        path = f"{store}{FILE_END}"
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        super().__init__(path)
        self._db.execute("PRAGMA journal_mode=WAL")
        # A webhook was promised when it was answered, and a deleted one leaves nothing.
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")


def open_webhooks(store: Store) -> WebhookTable:
    """The webhooks of a store: in its database, or in a file next to it."""
    by_token = f"CREATE UNIQUE INDEX IF NOT EXISTS {CALENDAR_TABLE}_by_token ON {CALENDAR_TABLE}"
    calendars = (registration_table(CALENDAR_TABLE), f"{by_token} (token)")
    return WebhookTable(store.open_database((*TABLES, *calendars), PERSONAL, NoticesFile))


def _insert(cursor: Cursor, addressed: Addressed) -> None:
    """Adds a notice with the webhook's next number. One with its id stays, but for when it
    expires: its deadline may be in force again. There is none for a webhook that was removed."""
    this = (addressed.webhook, addressed.id)
    cursor.execute(
        f"UPDATE {DELIVERY_TABLE} SET expires = ? WHERE webhook = ? AND id = ?",  # noqa: S608
        (addressed.expires, *this),
    )
    cursor.execute(f"SELECT 1 FROM {DELIVERY_TABLE} WHERE webhook = ? AND id = ?", this)  # noqa: S608
    if cursor.fetchone() is not None:
        return
    cursor.execute(f"UPDATE {WEBHOOK_TABLE} SET sent = sent + 1 WHERE id = ?", (addressed.webhook,))  # noqa: S608
    cursor.execute(f"SELECT sent FROM {WEBHOOK_TABLE} WHERE id = ?", (addressed.webhook,))  # noqa: S608
    row = cursor.fetchone()
    if row is None:
        return
    notice = addressed.notice
    cursor.execute(
        f"INSERT INTO {DELIVERY_TABLE} ({', '.join(_COLUMNS)}) "  # noqa: S608
        f"VALUES ({', '.join('?' * len(_COLUMNS))}) ON CONFLICT (webhook, id) DO NOTHING",
        (
            addressed.webhook, row[0], addressed.id, notice.subject, notice.kind, notice.body,
            notice.at, "waiting", 0, addressed.due, None, None, addressed.expires,
        ),
    )  # fmt: skip
