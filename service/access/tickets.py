"""Tickets to streams, for readers that cannot send a key: for one match and audience, for a short
while, and once.

A ticket says everything itself under a MAC, so that any instance with the same secret can read it.
That it has been used is remembered here, and in Redis for the others.
"""

import binascii
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from uuid import UUID

import msgspec
from msgspec import Struct

from service.access.keys import Slot
from service.instances.link import Away, Link

VALID_SECONDS = 30
SECRET_SIZE = 32
PREFIX = "arbiter.tickets"

_SECOND = 1_000_000
_MAC_SIZE = 32


class Ticket(Struct, frozen=True, array_like=True):
    """What a ticket says: that until `expires` whoever shows it may read `match` as `audience`, as
    long as the key in `slot` of `ring` is valid for which it was given.

    `holder` is made of that key's hash and the secret: it can be compared and not be searched for.
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
    """Gives tickets and takes them. `secret` is 32 bytes that every instance has."""

    def __init__(self, secret: bytes, link: Link | None = None) -> None:
        if len(secret) != SECRET_SIZE:
            raise ValueError(f"the secret of tickets has {SECRET_SIZE} bytes")
        self._secret = secret
        self._link = link
        self._used: dict[bytes, int] = {}

    def give(
        self, match: UUID, audience: str, slot: Slot, ring: UUID, key_hash: bytes, now: int
    ) -> tuple[str, int]:
        """A new ticket for the key with this hash, and when it expires, in microseconds."""
        expires = now + VALID_SECONDS * _SECOND
        said = _encoder.encode(
            Ticket(
                secrets.token_bytes(16),
                match.bytes,
                audience,
                slot,
                ring.bytes,
                self._holder(key_hash),
                expires,
            )
        )
        return urlsafe_b64encode(self._mac(b"ticket", said) + said).decode().rstrip("="), expires

    async def take(self, text: str, match: UUID, now: int) -> Ticket | None:
        """What a ticket to the match says, the first time; None if it is worthless."""
        ticket = self._read(text)
        if ticket is None or ticket.match != match.bytes or now >= ticket.expires:
            return None
        return ticket if await self._first(ticket, now) else None

    def known(self, text: str) -> bytes | None:
        """Which ticket this is, whether or not it is still good for anything; None if nobody was
        given it."""
        ticket = self._read(text)
        return None if ticket is None else ticket.id

    def held(self, ticket: Ticket, hashes: Iterable[bytes]) -> bytes | None:
        """Which of these keys' hashes the ticket was given for."""
        for key_hash in hashes:
            if hmac.compare_digest(self._holder(key_hash), ticket.holder):
                return key_hash
        return None

    def _read(self, text: str) -> Ticket | None:
        try:
            raw = urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            return None
        mac, said = raw[:_MAC_SIZE], raw[_MAC_SIZE:]
        return (
            _decoder.decode(said) if hmac.compare_digest(mac, self._mac(b"ticket", said)) else None
        )

    async def _first(self, ticket: Ticket, now: int) -> bool:
        """Whether nobody has shown it before, as far as this instance and Redis know."""
        if ticket.id in self._used:
            return False
        self._forget(now)
        self._used[ticket.id] = ticket.expires
        if self._link is None:
            return True
        redis, name = self._link.redis, f"{PREFIX}:{ticket.id.hex()}"
        try:
            first = await self._link.ask(lambda: redis.set(name, 1, nx=True, ex=VALID_SECONDS + 5))
        except Away:
            return True
        return bool(first)

    def _forget(self, now: int) -> None:
        """Lets go of what has expired: nobody can show it any more."""
        while self._used:
            oldest = next(iter(self._used))
            if self._used[oldest] > now:
                return
            del self._used[oldest]

    def _holder(self, key_hash: bytes) -> bytes:
        return self._mac(b"holder", key_hash)

    def _mac(self, use: bytes, said: bytes) -> bytes:
        return hmac.digest(self._secret, use + b"\0" + said, "sha256")
