"""Stream tickets, for readers that cannot send a key. A ticket is for the stream of one match and
audience, and valid until its key ends, at most a day. A stream that is opened with a ticket ends
the one that was opened with it before.

A ticket carries all its data under a MAC, so that every instance with the same secret can read it.
"""

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.events import later
from service.auth.keyring import KeyReference, Slot
from service.event_store.stream_ids import milliseconds_of

VALID_SECONDS = 24 * 3_600
SECRET_SIZE = 32

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

    def __init__(self, secret: bytes) -> None:
        self.use(secret)

    def use(self, secret: bytes) -> None:
        """Issues and redeems by this secret from now on; earlier tickets are worth nothing."""
        if len(secret) != SECRET_SIZE:
            raise ValueError(f"the secret of tickets must have {SECRET_SIZE} bytes")
        self._secret = secret

    def issue(self, ticket: UUID, match: UUID, audience: str, key: KeyReference) -> tuple[str, int]:
        """The ticket with this id, in which its time is, for this key; and the time of its expiry
        in microseconds."""
        expires = later(milliseconds_of(ticket) * 1_000, VALID_SECONDS * _SECOND)
        holder = self._holder_of(key.key_hash)
        payload = _encoder.encode(
            Ticket(
                id=ticket.bytes,
                match=match.bytes,
                audience=audience,
                slot=key.slot,
                ring=key.ring.bytes,
                holder=holder,
                expires=expires,
            )
        )
        text = urlsafe_b64encode(self._mac(b"ticket", payload) + payload).decode()
        return text.rstrip("="), expires

    def read(self, text: str, match: UUID, now: int) -> Ticket | None:
        """The content of a ticket to the match; None if it is not valid."""
        ticket = self._read(text)
        if ticket is None or ticket.match != match.bytes or now >= ticket.expires:
            return None
        return ticket

    def find_id(self, text: str) -> bytes | None:
        """The id of a ticket, expired or not; None if it was never issued."""
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
        genuine = hmac.compare_digest(mac, self._mac(b"ticket", payload))
        return _decoder.decode(payload) if genuine else None

    def _holder_of(self, key_hash: bytes) -> bytes:
        return self._mac(b"holder", key_hash)

    def _mac(self, use: bytes, payload: bytes) -> bytes:
        return hmac.digest(self._secret, use + b"\0" + payload, "sha256")
