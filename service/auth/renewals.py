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
from service.auth.key_events import (
    KeyIssued,
    KeyRevoked,
    Recorded,
    Renewal,
    RingEvent,
    RingKey,
    Slot,
    keys_of,
    new_id,
    valid_keys,
)
from service.auth.key_form import SALT_BYTES, derived_key, hashed, is_of_match, is_repeated


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
        hash=hashed(new),
        id=new_id(),
        name=old.name,
        by=holder,
        tenure=old.tenure,
        origin=origin,
        renews=old.id,
    )
    return [KeyRevoked(now, old.hash, renewal=Renewal(hashed(request), salt)), issued]


def recovered(
    events: Sequence[Recorded], ring: UUID, slot: Slot, code: str, request: str
) -> str | None:
    """The valid key of a slot that was issued to whoever has its recovery code, for this request;
    None for others."""
    valid = {one.hash for one in valid_keys(keys_of(events)) if one.slot == slot}
    for event in events:
        if isinstance(event, KeyRevoked) and event.renewal is not UNSET:
            key = derived_key(slot, ring, event.renewal.salt, code, request)
            if hashed(key) in valid:
                return key
    return None


def key_in_place(
    events: Sequence[Recorded], ring: UUID, key: str, request: str, now: int
) -> str | None:
    """The valid key that stands in place of this one, for the request that renewed it; None
    for others, and when the request is too old."""
    offered, keys = hashed(key), keys_of(events)
    ended = (one for one in events if isinstance(one, KeyRevoked) and one.hash == offered)
    first, old = next(ended, None), next((one for one in keys if one.hash == offered), None)
    renewal = None if first is None else first.renewal or None
    if first is None or old is None or renewal is None:
        return None
    if not is_repeated(renewal.request, first.at, request, now):
        return None
    new = derived_key(old.slot, ring, renewal.salt, key, request)
    return new if hashed(new) in {one.hash for one in valid_keys(keys)} else None
