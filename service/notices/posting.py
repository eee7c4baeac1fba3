"""One attempt at sending a notice to a webhook, signed, by the Standard Webhooks."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from ssl import SSLContext
from typing import NamedTuple

import httpx
from standardwebhooks import Webhook as Signature

from service.clock import Clock
from service.event_store.store_threads import in_side_thread
from service.notices.public_address import (
    AddressRefused,
    HostNames,
    HostUnknown,
    check_addresses,
    checked_url,
)
from service.notices.registrations import Delivery, Webhook
from service.notices.web_push import PushKey
from service.observability import logs

SECONDS = 10.0
"""Time limit of an attempt, from the resolution of the name to the head of the answer."""

CONNECT_SECONDS = 3.0
"""Time limit of a connection to one address; then the host's next one is tried."""

MAX_ADDRESSES = 4
"""Maximum addresses of a host that are tried."""

GONE, NOT_FOUND = 410, 404
"""Statuses that end a webhook: 410 from any receiver, 404 from the push service of a browser."""


class AttemptOutcome(NamedTuple):
    """What came of an attempt: whether it was received, whether the receiver wants no more, what is
    said of it, and whether the name of the host was looked up in vain."""

    received: bool
    gone: bool
    said: str
    unknown: bool = False


class NoticePoster:
    """Sends notices. With `private` http and the own network are allowed. `push_key`, which blocks,
    is the key for what browsers are sent."""

    def __init__(
        self, clock: Clock, names: HostNames, push_key: Callable[[], PushKey], *, private: bool
    ) -> None:
        self._clock = clock
        self._names = names
        self._push_key = push_key
        self._private = private
        self._certificates: SSLContext | None = None

    async def attempt(self, webhook: Webhook, delivery: Delivery, seconds: float) -> AttemptOutcome:
        """Sends a notice within so many seconds, and says what came of it."""
        try:
            async with asyncio.timeout(seconds):
                status = await self._post(webhook, delivery)
        except AddressRefused as refused:
            unknown = isinstance(refused, HostUnknown)
            return AttemptOutcome(False, False, f"refused: {refused}", unknown)
        except TimeoutError:
            return AttemptOutcome(False, False, f"no answer in {seconds:.0f} s")
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return AttemptOutcome(False, False, "not reached")
        except Exception as error:  # noqa: BLE001  it counts as an attempt, whatever it was
            logs.failure("notice_not_sent", error)
            return AttemptOutcome(False, False, "not reached")
        is_gone = status == GONE or (webhook.push and status == NOT_FOUND)
        return AttemptOutcome(200 <= status < 300, is_gone, str(status))

    async def _post(self, webhook: Webhook, delivery: Delivery) -> int:
        """The status with which a webhook answers. Only that counts: the body may be endless."""
        parts = checked_url(webhook.url, private=self._private)
        addresses = await self._names.addresses(parts.hostname or "")
        check_addresses(addresses, private=self._private)
        target = httpx.URL(webhook.url)
        now = self._clock.now()
        if webhook.push:
            own = (await in_side_thread(self._push_key)).headers(webhook.url, now)
        else:
            own = sign_headers(webhook, delivery, now)
        # The name stays in the `Host` header, and is the one that the certificate must have.
        headers = {"host": target.netloc.decode(), **own}
        content = b"" if webhook.push else delivery.body
        extensions = {"sni_hostname": parts.hostname} if parts.scheme == "https" else {}
        async with self._client() as client:
            requests = [
                client.build_request(
                    "POST", target.copy_with(host=str(address)), content=content,
                    headers=headers, extensions=extensions,
                )
                for address in addresses[:MAX_ADDRESSES]
            ]  # fmt: skip
            answer = await _first_answer(client, requests)
            await answer.aclose()
        return answer.status_code

    def _client(self) -> httpx.AsyncClient:
        """A client of its own for each attempt: a connection to an address that several names share
        was opened with the certificate of one of them. No proxy of the environment is used."""
        if self._certificates is None:
            self._certificates = httpx.create_ssl_context(trust_env=False)
        timeout = httpx.Timeout(SECONDS, connect=CONNECT_SECONDS)
        return httpx.AsyncClient(verify=self._certificates, trust_env=False, timeout=timeout)


async def _first_answer(
    client: httpx.AsyncClient, requests: Sequence[httpx.Request]
) -> httpx.Response:
    """The head of the answer to the first request whose address can be reached."""
    *others, last = requests
    for request in others:
        with suppress(httpx.ConnectError, httpx.ConnectTimeout):
            return await client.send(request, stream=True, follow_redirects=False)
    return await client.send(last, stream=True, follow_redirects=False)


def sign_headers(webhook: Webhook, delivery: Delivery, now: int) -> dict[str, str]:
    """The headers of a notice: the three of the Standard Webhooks, and what it is."""
    at = datetime.fromtimestamp(now // 1_000_000, UTC)
    signature = Signature(webhook.secret).sign(delivery.id, at, delivery.body.decode())
    return {
        "content-type": "application/json",
        "user-agent": "arbiter-webhooks",
        "webhook-id": delivery.id,
        "webhook-timestamp": str(now // 1_000_000),
        "webhook-signature": signature,
    }
