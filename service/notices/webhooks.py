"""Webhooks and what was sent to them: tables next to the log.

Addresses are people's own. They are in no event, in no backup and in no copy, and a deleted one is
gone with everything that was sent to it. Where they lie anyway, as in a copy that was made by other
means, they belong to another incarnation or another place, and are deleted before anything is sent.
"""

from base64 import b64encode, urlsafe_b64encode
from hmac import digest
from typing import Literal, NamedTuple

from msgspec import Struct

from service.auth.key_form import KeyReference
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

    One for `push` is a browser's: it is told that it is its seat's turn, and nothing of the match.

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

    def notice_id(self, *named: str | int) -> str:
        """The id of a notice, which is the same whenever it is made again. It tells nothing of what
        is named: a position of the log would count what is hidden."""
        made = digest(self.salt, "\n".join(map(str, named)).encode(), "sha256")
        return f"msg_{urlsafe_b64encode(made)[:27].decode()}"

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
        """What tells the delivery from all others."""
        return self.delivery.webhook, self.delivery.number


class Addressed(Struct, frozen=True):
    """A notice, the webhook that it is for, its id there, when it is to be sent, and, of a
    reminder, from when on no more."""

    webhook: str
    id: str
    notice: Notice
    due: int
    expires: int | None = None
