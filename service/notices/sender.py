"""Sends notices to webhooks by the Standard Webhooks, and to people by their channels: signed, in
order by match, at least once.

What is sent is read from the table and marked there afterwards. After a crash in between it is sent
again with the same `webhook-id`, by which a receiver knows it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Container, MutableMapping
from datetime import UTC, datetime
from ssl import SSLContext
from time import monotonic
from typing import NamedTuple

import httpx
from msgspec.structs import replace
from standardwebhooks import Webhook as Signature

from service.clock import Clock
from service.event_store.errors import StoreUnavailable
from service.event_store.store_threads import in_store_thread
from service.notices.channels import ChannelMissing, is_channel, send
from service.notices.messages import message_of
from service.notices.public_address import AddressRefused, checked_url, resolved
from service.notices.registrant import Registrant
from service.notices.webhook_table import WebhookTable
from service.notices.webhooks import Delivery, State, Webhook
from service.observability import logs

SECONDS = 10.0
"""Time limit of an attempt, from the resolution of the name to the head of the answer."""

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

AT_ONCE = 16
"""Maximum attempts at the same time."""

PER_WEBHOOK = 2
"""Maximum attempts at the same time at one webhook, so that a slow one does not delay others."""

GONE = 410
"""The status by which a receiver ends its webhook."""


class Outcome(NamedTuple):
    """What came of an attempt: whether it was received, whether the receiver wants no more, and
    what is said of it."""

    received: bool
    gone: bool
    said: str


class Rest(NamedTuple):
    """A webhook of which nothing has arrived since so many failures; nothing is sent to it
    `until` that instant."""

    failures: int
    until: int


class Sender:
    """Sends what is due, for one store. `valid` says whether the key of a webhook is still one;
    with `private` http and the own network are allowed. E-mail goes by the server `smtp`."""

    def __init__(
        self,
        table: WebhookTable,
        clock: Clock,
        valid: Callable[[Registrant], Awaitable[bool]],
        *,
        private: bool,
        smtp: str | None = None,
    ) -> None:
        self._table = table
        self._clock = clock
        self._valid = valid
        self._private = private
        self._smtp = smtp
        self._certificates: SSLContext | None = None
        self._failed: dict[tuple[str, int], Delivery] = {}
        self._rests: dict[str, Rest] = {}

    async def run(self) -> None:
        """Sends for as long as the instance leads. A slow receiver delays nobody else."""
        running: dict[Delivery, asyncio.Task[None]] = {}
        written = monotonic()
        try:
            while True:
                if monotonic() - written >= WRITE_SECONDS:
                    written = monotonic()
                    await self._write_failures()
                for one in await self._next(running):
                    running[one] = asyncio.create_task(self._try_to_send(one))
                await _one_done(running)
        finally:
            for task in running.values():
                task.cancel()

    async def _next(self, running: Collection[Delivery]) -> list[Delivery]:
        """What is to be sent beside what is being sent already. A webhook of which an attempt has
        failed rests, and all such have half of the room: dead ones do not delay others."""
        now = self._clock.now()
        full = sum(one.webhook in self._rests for one in running) >= AT_ONCE // 2
        left_out = tuple(name for name, rest in self._rests.items() if full or rest.until > now)
        try:
            found = await in_store_thread(self._table.due, now, 10 * AT_ONCE, left_out)
        except StoreUnavailable:
            return []  # Reported where it was found; it is tried again.
        written = [one for one in found if (one.webhook, one.number) not in self._failed]
        return _shared_out(written, running, self._rests)

    async def _write_failures(self) -> None:
        """Writes the attempts that have failed. A crash before it forgets them, and they are made
        again."""
        failed = dict(self._failed)
        if not failed:
            return
        try:
            await in_store_thread(self._table.attempted, *failed.values())
        except StoreUnavailable:
            return  # The same.
        for written in failed:
            del self._failed[written]

    async def _try_to_send(self, delivery: Delivery) -> None:
        try:
            await self._attempt(delivery)
        except StoreUnavailable:
            pass  # The same.
        except Exception as error:  # noqa: BLE001  it is tried again
            logs.failure("notice_not_sent", error)

    async def _attempt(self, delivery: Delivery) -> None:
        webhook = await in_store_thread(self._table.find, delivery.webhook)
        if webhook is None:
            self._rests.pop(delivery.webhook, None)
            return
        if not await self._valid(webhook.key):
            await in_store_thread(self._table.remove, webhook.id)
            return
        outcome = await self._sent(webhook, delivery)
        if outcome.gone:
            await in_store_thread(self._table.remove, webhook.id)
            return
        now = self._clock.now()
        done = attempted(delivery, outcome, now)
        if outcome.received:
            self._rests.pop(done.webhook, None)
            await in_store_thread(self._table.attempted, done)
            return
        self._failed[done.webhook, done.number] = done
        self._rests[done.webhook] = rested(self._rests.get(done.webhook), now)

    async def _sent(self, webhook: Webhook, delivery: Delivery) -> Outcome:
        try:
            async with asyncio.timeout(SECONDS):
                if is_channel(webhook.url):
                    return await self._told(webhook, delivery)
                request = await self._request(webhook, delivery)
                async with self._client() as client:
                    # Only the status counts: the body may be endless.
                    answer = await client.send(request, stream=True, follow_redirects=False)
                    await answer.aclose()
        except (AddressRefused, ChannelMissing) as refused:
            return Outcome(False, False, f"refused: {refused}")
        except TimeoutError:
            return Outcome(False, False, "no answer in 10 s")
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return Outcome(False, False, "not reached")
        except Exception as error:  # noqa: BLE001  it counts as an attempt, whatever it was
            logs.failure("notice_not_sent", error)
            return Outcome(False, False, "not reached")
        status = answer.status_code
        return Outcome(200 <= status < 300, status == GONE, str(status))

    async def _told(self, webhook: Webhook, delivery: Delivery) -> Outcome:
        """Sends a message to a person."""
        message = message_of(delivery.id, delivery.body)
        received = await asyncio.to_thread(send, webhook.url, self._smtp, message)
        return Outcome(received, False, "sent" if received else "not sent")

    def _client(self) -> httpx.AsyncClient:
        """A client of its own for each attempt: a connection to an address that several names share
        was opened with the certificate of one of them. No proxy of the environment is used."""
        if self._certificates is None:
            self._certificates = httpx.create_ssl_context(trust_env=False)
        return httpx.AsyncClient(verify=self._certificates, trust_env=False, timeout=SECONDS)

    async def _request(self, webhook: Webhook, delivery: Delivery) -> httpx.Request:
        """The request to an address that was judged now. The name stays in the `Host` header, and
        is the one that the certificate must have."""
        parts = checked_url(webhook.url, private=self._private)
        address = await resolved(parts, private=self._private)
        host = f"[{address}]" if ":" in address else address
        target = httpx.URL(webhook.url)
        headers = {
            "host": target.netloc.decode(),
            "content-type": "application/json",
            "user-agent": "arbiter-webhooks",
            **signed(webhook, delivery, self._clock.now()),
        }
        extensions = {"sni_hostname": parts.hostname} if parts.scheme == "https" else {}
        return httpx.Request(
            "POST", target.copy_with(host=host), content=delivery.body, headers=headers,
            extensions=extensions,
        )  # fmt: skip


def signed(webhook: Webhook, delivery: Delivery, now: int) -> dict[str, str]:
    """The three headers of the Standard Webhooks."""
    at = datetime.fromtimestamp(now // 1_000_000, UTC)
    signature = Signature(webhook.secret).sign(delivery.id, at, delivery.body.decode())
    return {
        "webhook-id": delivery.id,
        "webhook-timestamp": str(now // 1_000_000),
        "webhook-signature": signature,
    }


def attempted(delivery: Delivery, outcome: Outcome, now: int) -> Delivery:
    """A delivery after one more attempt: received, to be tried again later, or given up."""
    attempts = delivery.attempts + 1
    state: State = "waiting"
    if outcome.received:
        state = "delivered"
    elif attempts > len(PAUSES):
        state = "failed"
    due = now + PAUSES[attempts - 1] * 1_000_000 if state == "waiting" else delivery.due
    return replace(
        delivery, state=state, attempts=attempts, due=due, last=now, said=outcome.said
    )  # fmt: skip


def rested(before: Rest | None, now: int) -> Rest:
    """The rest of a webhook after one more failure. What fails during a rest was sent before it."""
    if before is not None and now < before.until:
        return before
    failures = 1 if before is None else before.failures + 1
    return Rest(failures, now + PAUSES[min(failures, LONGEST_REST) - 1] * 1_000_000)


def _shared_out(
    found: Collection[Delivery], running: Collection[Delivery], failing: Container[str]
) -> list[Delivery]:
    """Those of the deliveries that are attempted next: a few to each webhook, and not too many;
    half as many to those that are failing."""
    busy, chosen = list(running), []
    for delivery in found:
        same = [one for one in busy if one.webhook == delivery.webhook]
        again = any(one.number == delivery.number for one in same)
        fails = delivery.webhook in failing
        crowded = fails and sum(one.webhook in failing for one in busy) >= AT_ONCE // 2
        if not again and not crowded and len(same) < PER_WEBHOOK and len(busy) < AT_ONCE:
            busy.append(delivery)
            chosen.append(delivery)
    return chosen


async def _one_done(running: MutableMapping[Delivery, asyncio.Task[None]]) -> None:
    """Returns when an attempt has ended, or it is time to look again; forgets those that ended."""
    if not running:
        await asyncio.sleep(POLL_SECONDS)
        return
    first = asyncio.FIRST_COMPLETED
    await asyncio.wait(running.values(), timeout=POLL_SECONDS, return_when=first)
    for delivery in [one for one, task in running.items() if task.done()]:
        del running[delivery]
