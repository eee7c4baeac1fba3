"""Sends what is due: in order by match, at least once, and to each owner of webhooks within a share
of their own.

What is sent is read from the table and marked there afterwards. After a crash in between it is sent
again with the same `webhook-id`, by which a receiver knows it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping

from msgspec.structs import replace

from service.auth.keyring import KeyReference
from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.notices.posting import SECONDS, AttemptOutcome, NoticePoster
from service.notices.registrations import Delivery, DueDelivery, State
from service.notices.shares import Turns, UnknownHosts, full, shared_out
from service.notices.webhook_table import WebhookTable
from service.observability import logs

PAUSES = (5, 30, 300, 1_800, 7_200, 18_000, 36_000, 36_000)
"""Seconds before the next attempt after the first, the second, ...; after the last it has
failed."""

LONGEST_REST = 2
"""Which of the pauses is the longest rest of a webhook at which nothing arrives."""

POLL_SECONDS = 1.0
"""Pause between two looks at what is due, while nothing is."""

WRITE_SECONDS = 1.0
"""Pause between two writes of failed attempts: however many webhooks are dead, they cost the store
one transaction in that time."""

SECOND = 1_000_000


class Sender:
    """Sends what is due, for one store. `valid` says whether the key of a webhook is still one.
    `follow` brings the table to the present end of the log, from which it is known which reminders
    are still true; it blocks."""

    def __init__(
        self,
        table: WebhookTable,
        clock: Clock,
        valid: Callable[[KeyReference], Awaitable[bool]],
        posting: NoticePoster,
        follow: Callable[[], None],
    ) -> None:
        self._table = table
        self._clock = clock
        self._valid = valid
        self._posting = posting
        self._follow = follow
        self._unknown, self._turns = UnknownHosts(), Turns()
        self._failed: dict[tuple[str, int], DueDelivery] = {}

    async def run(self) -> None:
        """Sends for as long as the instance leads."""
        running: dict[DueDelivery, asyncio.Task[None]] = {}
        now = asyncio.get_running_loop().time
        last_write = now()
        try:
            while True:
                if now() - last_write >= WRITE_SECONDS:
                    last_write = now()
                    await self._write()
                while batch := await self._next(running):
                    for due in batch:
                        running[due] = asyncio.create_task(self._try_to_send(due))
                await _one_done(running)
        finally:
            for task in running.values():
                task.cancel()

    async def _next(self, running: Collection[DueDelivery]) -> list[DueDelivery]:
        """What is to be sent besides what is being sent already."""
        batch = await self._chosen(running)
        if not any(due.delivery.kind == "reminder" for due in batch):
            return batch
        try:
            await in_store_thread(self._follow)
        except StoreUnavailable:
            # Which reminders are still true is unknown. It was reported where it was found.
            return [due for due in batch if due.delivery.kind != "reminder"]
        return await self._chosen(running)

    async def _chosen(self, running: Collection[DueDelivery]) -> list[DueDelivery]:
        now, shares = self._clock.now(), full(running)
        shares = shares._replace(owners=[*shares.owners, *self._unknown.full()])
        try:
            due_now = await in_store_thread(self._table.due, now, shares)
        except StoreUnavailable:
            return []  # The same; it is tried again.
        # What has failed and is not written yet would be found once more.
        resting = {webhook for webhook, _ in self._failed}
        candidates = [due for due in due_now if due.webhook.id not in resting]
        chosen = shared_out(self._turns.ordered(candidates, running), running)
        self._turns.take(chosen)
        return chosen

    async def _write(self) -> None:
        """Writes the attempts that have failed, and drops reminders that come too late. A crash
        before it forgets these attempts, and they are made again."""
        failed = dict(self._failed)
        try:
            await in_store_thread(self._table.drop_expired, self._clock.now())
            if failed:
                await in_store_thread(self._table.attempted, *failed.values())
        except StoreUnavailable:
            return  # The same.
        for notice_id in failed:
            del self._failed[notice_id]

    async def _try_to_send(self, due: DueDelivery) -> None:
        try:
            await self._attempt(due)
        except StoreUnavailable:
            pass  # The same.
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("notice_not_sent", error)

    async def _attempt(self, due: DueDelivery) -> None:
        if not await self._valid(due.webhook.key):
            await in_store_thread(self._table.remove, due.webhook.id)
            return
        seconds = time_limit(due.delivery, self._clock.now())
        outcome = await self._posting.attempt(due.webhook, due.delivery, seconds)
        if outcome.unknown:
            self._unknown.add(due.webhook)
        if outcome.gone:
            await in_store_thread(self._table.remove, due.webhook.id)
            return
        delivery = attempted(due, outcome, self._clock.now())
        if outcome.received:
            await in_store_thread(self._table.attempted, delivery)
        else:
            self._failed[delivery.id] = delivery


def time_limit(delivery: Delivery, now: int) -> float:
    """The seconds that an attempt may take: a reminder does not arrive after its deadline."""
    if delivery.expires is None:
        return SECONDS
    return min(SECONDS, max(0, delivery.expires - now) / SECOND)


def attempted(due: DueDelivery, outcome: AttemptOutcome, now: int) -> DueDelivery:
    """A delivery after one more attempt: received, to be tried again later, or given up; and the
    rest of its webhook, at which something has arrived, or nothing once more."""
    delivery = due.delivery
    attempts = delivery.attempts + 1
    state: State = "waiting"
    if outcome.received:
        state = "delivered"
    elif attempts > len(PAUSES):
        state = "failed"
    again = now + _pause(delivery, attempts, now) if state == "waiting" else delivery.due
    after = replace(
        delivery, state=state, attempts=attempts, due=again, last=now, said=outcome.said
    )  # fmt: skip
    if outcome.received:
        return DueDelivery(due.webhook, after)
    failures = due.failures + 1
    rest = PAUSES[min(failures, LONGEST_REST) - 1] * SECOND
    return DueDelivery(due.webhook, after, failures, now + rest)


def _pause(delivery: Delivery, attempts: int, now: int) -> int:
    """Until the next attempt, in microseconds; for a reminder at most half of the time that is left
    until its deadline."""
    pause = PAUSES[attempts - 1] * SECOND
    return pause if delivery.expires is None else min(pause, (delivery.expires - now) // 2)


async def _one_done(running: MutableMapping[DueDelivery, asyncio.Task[None]]) -> None:
    """Returns when an attempt has ended, or it is time to look again; forgets those that ended."""
    if not running:
        await asyncio.sleep(POLL_SECONDS)
        return
    first = asyncio.FIRST_COMPLETED
    await asyncio.wait(running.values(), timeout=POLL_SECONDS, return_when=first)
    for due in [delivery for delivery, task in running.items() if task.done()]:
        del running[due]
