"""What someone asked for with a key: webhooks, with what was sent to them, and calendars, in rows
of tables next to the log. It ends with the key.

Addresses are people's own. They are in no event, in no backup and in no copy, and a deleted one is
gone with everything that was sent to it. Where they lie anyway, as in a copy that was made by other
means, they belong to another incarnation or another place, and are deleted before anything is sent.
"""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from hmac import digest
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from msgspec import Struct, msgpack

from service.auth.keyring import KeyReference
from service.event_store.database import Cursor, Database
from service.notices.notices import Kind, Notice
from service.read_models.follower import statements

NAME = "notices"
"""The name under which notices follow the log."""

OWN = "own-notices"
"""The same of those for one seat alone."""

HOME_TABLE, WEBHOOK_TABLE = "arbiter_notice_home", "arbiter_webhooks"
DELIVERY_TABLE, NEW_TABLE = "arbiter_deliveries", "arbiter_new_webhooks"


def registration_table(table: str) -> str:
    """The statement for a table of what was registered with keys: who has it, a token by which it
    is found if it has one, and of what is sent to it the count, how often and since when it has
    failed without anything that arrived, and until when it rests."""
    return (
        f"CREATE TABLE IF NOT EXISTS {table} (id {{text}} PRIMARY KEY, since BIGINT,"
        " owner {text}, token {bytes}, registered {bytes}, sent BIGINT NOT NULL,"
        " failures BIGINT NOT NULL, failing BIGINT, rests BIGINT NOT NULL) {keyed}"
    )


TABLES = (
    *statements(NAME, OWN),
    f"CREATE TABLE IF NOT EXISTS {HOME_TABLE} (id INTEGER PRIMARY KEY, incarnation {{bytes}},"
    " home {text})",
    f"INSERT INTO {HOME_TABLE} VALUES (1, NULL, NULL) ON CONFLICT DO NOTHING",  # noqa: S608
    registration_table(WEBHOOK_TABLE),
    f"CREATE TABLE IF NOT EXISTS {DELIVERY_TABLE} (webhook {{text}}, number BIGINT, id {{text}},"
    " subject {text}, kind {text}, body {bytes}, made BIGINT, state {text}, attempts BIGINT,"
    " due BIGINT, last BIGINT, said {text}, expires BIGINT, PRIMARY KEY (webhook, number)) {keyed}",
    f"CREATE UNIQUE INDEX IF NOT EXISTS {DELIVERY_TABLE}_by_id ON {DELIVERY_TABLE} (webhook, id)",
    f"CREATE INDEX IF NOT EXISTS {DELIVERY_TABLE}_waiting ON {DELIVERY_TABLE}"
    " (webhook, due, number) WHERE state = 'waiting'",
    f"CREATE INDEX IF NOT EXISTS {DELIVERY_TABLE}_order ON {DELIVERY_TABLE}"
    # With all that the search for the earliest one reads, or SQLite prefers the primary key.
    " (webhook, subject, number, kind, state) WHERE state = 'waiting'",
    f"CREATE INDEX IF NOT EXISTS {DELIVERY_TABLE}_reminders ON {DELIVERY_TABLE} (subject)"
    " WHERE kind = 'reminder'",
    f"CREATE INDEX IF NOT EXISTS {DELIVERY_TABLE}_expiring ON {DELIVERY_TABLE} (expires)"
    " WHERE state = 'waiting' AND expires IS NOT NULL",
    # Those that were not reminded yet of the deadlines in force.
    f"CREATE TABLE IF NOT EXISTS {NEW_TABLE} (webhook {{text}} PRIMARY KEY) {{keyed}}",
)

State = Literal["waiting", "delivered", "failed", "dropped"]


class Webhook(Struct, frozen=True):
    """An address, and what is sent to it: notices of these kinds, of one match, of one tournament
    with its matches, or of everything. With a `seat` it is reminded of that seat's deadlines alone;
    `remind` is how many seconds before. `since` is in microseconds.

    One for `push` is a browser's: it gets an empty message when it is its seat's turn.

    `secret` signs what is sent. `salt` is known to no one: the ids of notices are made from it.
    """

    id: str
    url: str
    secret: bytes
    salt: bytes
    kinds: tuple[Kind, ...]
    match: str | None
    tournament: str | None
    seat: int | None
    remind: int
    key: KeyReference
    since: int
    push: bool = False

    @property
    def shown_secret(self) -> str:
        """The secret as the Standard Webhooks write it."""
        return f"whsec_{b64encode(self.secret).decode()}"

    @property
    def player(self) -> int | None:
        """The player of a tournament whose key registered it; None for other keys."""
        slot = self.key.slot
        return int(slot[1:]) if slot.startswith("p") else None

    def notice_id(self, *parts: str | int) -> str:
        """The id of a notice, which is the same whenever it is made again. It shows nothing of
        the event: a position of the log would count what is hidden."""
        hash_ = digest(self.salt, "\n".join(map(str, parts)).encode(), "sha256")
        return f"msg_{urlsafe_b64encode(hash_)[:27].decode()}"

    def wants(self, kind: Kind, subject: str, tournament: str | None, at: int) -> bool:
        """Whether a notice of this kind is for it, about a match (of a tournament) or a tournament,
        that happened then."""
        if kind not in self.kinds or at < self.since:
            return False
        if self.match is not None:
            return self.match == subject
        return self.tournament is None or self.tournament in (subject, tournament)


class Delivery(Struct, frozen=True):
    """A notice to one webhook. `number` counts the notices to it; `id` is the `webhook-id`, the
    same in each attempt. `due` is when the next attempt is to be made, `last` when the last one
    was, and `said` what came of it. A reminder `expires` with its deadline, or as soon as that is
    no longer in force. Times are microseconds since 1970."""

    webhook: str
    number: int
    id: str
    subject: str
    kind: Kind
    body: bytes
    made: int
    state: State
    attempts: int
    due: int
    last: int | None
    said: str | None
    expires: int | None


class DueDelivery(NamedTuple):
    """A delivery to be attempted, and its webhook. `failures` counts the attempts at the webhook
    since something arrived there; it rests until `rests`, in microseconds."""

    webhook: Webhook
    delivery: Delivery
    failures: int = 0
    rests: int = 0

    @property
    def id(self) -> tuple[str, int]:
        """What identifies the delivery among all."""
        return self.delivery.webhook, self.delivery.number


class Addressed(Struct, frozen=True):
    """A notice, the webhook that it is for, its id there, when it is to be sent, and, of a
    reminder, from when on no more."""

    webhook: str
    id: str
    notice: Notice
    due: int
    expires: int | None = None


CALENDAR_TABLE = "arbiter_calendars"


class Calendar(Struct, frozen=True):
    """An address at which a calendar program reads when matches take place: those of one match, of
    a tournament, or of a `player` of it. `since` is in microseconds. Only the hash of its token is
    stored."""

    id: str
    token_hash: bytes
    match: str | None
    tournament: str | None
    player: int | None
    key: KeyReference
    since: int


T = TypeVar("T", Webhook, Calendar)

_encode = msgpack.Encoder().encode


class Registrations(Generic[T]):
    """The webhooks, or the calendars, of one store: rows of a table of the form
    `registration_table`. All methods block; any thread may use it, and any number of instances."""

    def __init__(self, database: Database, table: str, decode: Callable[[bytes], T]) -> None:
        self._db = database
        self._table = table
        self._decode: Callable[[bytes], T] = decode

    def add(self, registration: T) -> None:
        """Adds one; it is on disk when this returns. One with this id stays as it is."""
        token = registration.token_hash if isinstance(registration, Calendar) else None
        with self._db.transaction() as cursor:
            cursor.execute(
                f"INSERT INTO {self._table} VALUES (?, ?, ?, ?, ?, 0, 0, NULL, 0) "  # noqa: S608
                "ON CONFLICT DO NOTHING",
                (
                    registration.id,
                    registration.since,
                    registration.key.owner,
                    token,
                    _encode(registration),
                ),
            )
            self._added(cursor, registration.id)

    def remove(self, name: str) -> None:
        """Removes the one with this id, and what belongs to it."""
        with self._db.transaction() as cursor:
            self._removed(cursor, name)
            cursor.execute(f"DELETE FROM {self._table} WHERE id = ?", (name,))  # noqa: S608

    def find(self, name: str) -> T | None:
        """The one with this id."""
        return next(iter(self._selected("WHERE id = ?", (name,))), None)

    def all(self) -> list[T]:
        """All of them, in the order in which they were made."""
        return self._selected("ORDER BY since, id")

    def by_token(self, token_hash: bytes) -> T | None:
        """The one whose token has this hash."""
        return next(iter(self._selected("WHERE token = ?", (token_hash,))), None)

    def _selected(self, behind: str, parameters: Sequence[Any] = ()) -> list[T]:
        query = f"SELECT registered FROM {self._table} {behind}"  # noqa: S608  one of ours
        return [self._decode(bytes(row)) for (row,) in self._db.select(query, parameters)]

    def _added(self, cursor: Cursor, name: str) -> None:
        """In the transaction in which one is added."""

    def _removed(self, cursor: Cursor, name: str) -> None:
        """In the transaction in which one is removed."""
