"""Renewals: a key is ended by its holder, who alone is shown the one in its place.

From then on the key is its holder's alone, also if its issuer has kept the old one
(/docs/api#make-a-key-yours). The new key is not stored. It follows from the old one, the
idempotency key of the request, and a salt that is never shown. A holder who lost the answer sends
the same request once more, and no one else learns anything by it.
"""

import secrets
from collections.abc import Sequence
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import replace

from domain.people import Actor
from service.auth.keyring import (
    SALT_BYTES,
    KeyIssued,
    KeyRevoked,
    Recorded,
    Renewal,
    RingEvent,
    RingKey,
    Slot,
    derived_key,
    hash_key,
    is_of_match,
    is_repeated,
    keys_of,
    new_id,
    valid_keys,
)


def renewed(old: RingKey, ring: UUID, key: str, request: str, now: int) -> list[RingEvent]:
    """What ends the valid key `old` of a ring and issues the one in its place, which has the same
    holder."""
    salt = secrets.token_bytes(SALT_BYTES)
    holder = Actor(old.name or None, old.id) if is_of_match(old.slot) else UNSET
    new = derived_key(old.slot, ring, salt, key, request)
    origin = replace(old.origin, since=now if old.origin.since is None else old.origin.since)
    issued = KeyIssued(
        at=now,
        slot=old.slot,
        hash=hash_key(new),
        id=new_id(),
        name=old.name,
        by=holder,
        tenure=old.tenure,
        origin=origin,
        renews=old.id,
    )
    return [KeyRevoked(now, old.hash, renewal=Renewal(hash_key(request), salt)), issued]


def given_again(
    events: Sequence[Recorded], ring: UUID, slot: Slot, secret: str, request: str, now: int = 0
) -> str | None:
    """The valid key of a slot that stands in place of another one, for the request that got it by
    this secret: the key that it ended, or a recovery code. None for others, and when the request is
    too old at the instant `now`."""
    valid = {ring_key.hash for ring_key in valid_keys(keys_of(events))}
    for event in events:
        if not isinstance(event, KeyRevoked) or not event.renewal:
            continue
        key = derived_key(slot, ring, event.renewal.salt, secret, request)
        if hash_key(key) in valid and is_repeated(event.renewal.request, event.at, request, now):
            return key
    return None
