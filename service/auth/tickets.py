"""Stream tickets, for readers that cannot send a key. A ticket is for one match and audience, is
valid for a short time, and can be used once.

A ticket carries all its data under a MAC, so that every instance with the same secret can read it.
Used tickets are remembered here, and in Redis for the other instances.
"""

import binascii
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from uuid import UUID

import msgspec
from msgspec import Struct

from service.auth.keys import Slot
from service.cluster.redis_client import RedisClient, RedisUnavailable

VALID_SECONDS = 30
SECRET_SIZE = 32
PREFIX = "arbiter.tickets"

_SECOND = 1_000_000
_MAC_SIZE = 32


class Ticket(Struct, frozen=True, array_like=True):
    """The content of a ticket. Until `expires` it allows to read `match` as `audience`, as long as
    the key for which it was issued, in `slot` of `ring`, is valid.

    `holder` is the MAC of that key's hash: it can be compared with a key, but does not reveal it.
    """

    id: bytes
    match: bytes
    audience: str
    slot: Slot
    ring: bytes
    holder: bytes
    expires: int


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Ticket)


class Tickets:
    """Issues and redeems tickets. `secret` is 32 bytes that all instances share."""

    def __init__(self, secret: bytes, redis_client: RedisClient | None = None) -> None:
        if len(secret) != SECRET_SIZE:
            raise ValueError(f"the secret of tickets must have {SECRET_SIZE} bytes")
        self._secret = secret
        self._redis_client = redis_client
        self._used: dict[bytes, int] = {}

    def issue(
        self, match: UUID, audience: str, slot: Slot, ring: UUID, key_hash: bytes, now: int
    ) -> tuple[str, int]:
        """A new ticket for the key with this hash, and the time of its expiry in microseconds."""
        expires = now + VALID_SECONDS * _SECOND
        payload = _encoder.encode(
            Ticket(
                secrets.token_bytes(16),
                match.bytes,
                audience,
                slot,
                ring.bytes,
                self._holder_of(key_hash),
                expires,
            )
        )
        return urlsafe_b64encode(self._mac(b"ticket", payload) + payload).decode().rstrip(
            "="
        ), expires

    async def redeem(self, text: str, match: UUID, now: int) -> Ticket | None:
        """The content of a ticket to the match at its first use; None if it is not valid."""
        ticket = self._current(text, match, now)
        return ticket if ticket is not None and await self._first_use(ticket, now) else None

    async def check(self, text: str, match: UUID, now: int) -> Ticket | None:
        """What `redeem` would return; the ticket stays as it is."""
        ticket = self._current(text, match, now)
        if ticket is None or ticket.id in self._used:
            return None
        if self._redis_client is None:
            return ticket
        redis, name = self._redis_client.redis, _used_name(ticket)
        try:
            return None if await self._redis_client.call(lambda: redis.exists(name)) else ticket
        except RedisUnavailable:
            return ticket

    def _current(self, text: str, match: UUID, now: int) -> Ticket | None:
        """The content of a ticket to the match that has not expired, used or not."""
        ticket = self._read(text)
        if ticket is None or ticket.match != match.bytes or now >= ticket.expires:
            return None
        return ticket

    def known(self, text: str) -> bytes | None:
        """The id of a ticket, used or expired or not; None if it was never issued."""
        ticket = self._read(text)
        return None if ticket is None else ticket.id

    def key_hash_of(self, ticket: Ticket, hashes: Iterable[bytes]) -> bytes | None:
        """The one of these key hashes for which the ticket was issued; None if it is not among
        them."""
        for key_hash in hashes:
            if hmac.compare_digest(self._holder_of(key_hash), ticket.holder):
                return key_hash
        return None

    def _read(self, text: str) -> Ticket | None:
        try:
            raw = urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            return None
        mac, payload = raw[:_MAC_SIZE], raw[_MAC_SIZE:]
        return (
            _decoder.decode(payload)
            if hmac.compare_digest(mac, self._mac(b"ticket", payload))
            else None
        )

    async def _first_use(self, ticket: Ticket, now: int) -> bool:
        """Whether this is the ticket's first use, as far as this instance and Redis know."""
        if ticket.id in self._used:
            return False
        self._drop_expired(now)
        self._used[ticket.id] = ticket.expires
        if self._redis_client is None:
            return True
        redis, name = self._redis_client.redis, _used_name(ticket)
        try:
            is_first = await self._redis_client.call(
                lambda: redis.set(name, 1, nx=True, ex=VALID_SECONDS + 5)
            )
        except RedisUnavailable:
            return True
        return bool(is_first)

    def _drop_expired(self, now: int) -> None:
        """Drops expired tickets, which cannot be used any more."""
        while self._used:
            oldest = next(iter(self._used))
            if self._used[oldest] > now:
                return
            del self._used[oldest]

    def _holder_of(self, key_hash: bytes) -> bytes:
        return self._mac(b"holder", key_hash)

    def _mac(self, use: bytes, payload: bytes) -> bytes:
        return hmac.digest(self._secret, use + b"\0" + payload, "sha256")


def _used_name(ticket: Ticket) -> str:
    """The key in Redis that exists once a ticket was used."""
    return f"{PREFIX}:{ticket.id.hex()}"
