"""A sender of notices, one attempt at a time."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from uuid import UUID

from service.auth.keyring import KeyReference
from service.notices.notices import Kind, Notice
from service.notices.posting import NoticePoster
from service.notices.public_address import HostNames
from service.notices.registrations import NAME, Addressed, Delivery, Webhook
from service.notices.sender import Sender
from service.notices.web_push import PushKey
from service.notices.webhook_table import WebhookTable, add_notices
from service.read_models.follower import select_position, set_position
from tests.support.instants import NOON
from tests.support.virtual_clock import VirtualClock

STARTED: tuple[Kind, ...] = ("started",)
KEY = KeyReference("org", UUID(int=1), b"hash")
SEAT = KeyReference("seat:0", UUID(int=2), b"hash")

PUSH_KEY = PushKey(b"secret")


def push_key() -> PushKey:
    return PUSH_KEY


def hook(name: str, url: str, owner: KeyReference = KEY) -> Webhook:
    return Webhook(name, url, b"secret", b"salt", STARTED, None, None, None, 60, owner, NOON)


def begun(*matches: str) -> list[Notice]:
    return [Notice("started", match, NOON, "match.started", {}) for match in matches]


class Sending:
    """A sender of a webhook at an address, on a clock that stands still."""

    def __init__(
        self, table: WebhookTable, url: str, private: bool = True, names: HostNames | None = None
    ) -> None:
        self.table, self.clock, self.valid = table, VirtualClock(NOON), True
        table.add(hook("w", url))
        posting = NoticePoster(self.clock, names or HostNames(), push_key, private=private)
        self.sender = Sender(table, self.clock, self._valid, posting, self._follow)
        self.follow: Callable[[], None] = lambda: None
        self.ids = count()

    def add(self, *subjects: str) -> None:
        notices = [Addressed("w", f"msg_{next(self.ids)}", one, NOON) for one in begun(*subjects)]
        add(self.table, notices)

    def states(self) -> list[tuple[str, int, str | None]]:
        return [(one.state, one.attempts, one.said) for one in self.sent()]

    def sent(self) -> list[Delivery]:
        return self.table.deliveries("w", 0, 100)

    async def send_due(self) -> int:
        """Makes one attempt at what is due now. Returns how many were made."""
        chosen = await self.sender._next([])
        await asyncio.gather(*map(self.sender._try_to_send, chosen))
        await self.sender._write()
        return len(chosen)

    async def _valid(self, _: KeyReference) -> bool:
        return self.valid

    def _follow(self) -> None:
        self.follow()

    def remind(self, deadline: int) -> None:
        """Adds a reminder that is due now."""
        reminder = Notice("reminder", "timed", NOON, "match.reminder", {})
        added = [Addressed("w", "msg_reminder", reminder, NOON, deadline)]
        add(self.table, added)


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
