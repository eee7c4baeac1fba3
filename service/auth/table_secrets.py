"""The secrets of an open table, by their hashes in the ring of its keys: the token of its link, and
the recovery code of each seat. All of it blocks."""

import hmac
from collections.abc import Sequence
from uuid import UUID

from service.auth.key_events import (
    KeyRevoked,
    Recorded,
    RingEvent,
    Slot,
    TableSecretSet,
    keys_of,
    valid_keys,
)
from service.auth.key_form import hashed
from service.auth.keys import Keyring
from service.auth.renewals import recovered, renewed


def set_secret(keyring: Keyring, ring: UUID, slot: Slot, secret: str, now: int) -> None:
    """Sets a secret, once: the first counts."""

    def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
        known = (one.slot for one in events if isinstance(one, TableSecretSet))
        return () if slot in known else (TableSecretSet(now, slot, hashed(secret)),)

    keyring.append(ring, decide)


def slot_of_secret(keyring: Keyring, ring: UUID, secret: str) -> Slot | None:
    """What a secret is for; None for an unknown one."""
    offered = hashed(secret)
    found = (one for one in keyring.events(ring) if isinstance(one, TableSecretSet))
    return next((one.slot for one in found if hmac.compare_digest(one.hash, offered)), None)


def recover(
    keyring: Keyring, ring: UUID, slot: Slot, code: str, request: str, now: int
) -> tuple[str, bool]:
    """Ends the keys of a seat, and returns the one in their place, and whether this request had
    done so before."""

    def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
        if recovered(events, ring, slot, code, request) is not None:
            return ()
        *others, last = [one for one in valid_keys(keys_of(events)) if one.slot == slot]
        ended = [KeyRevoked(now, one.hash) for one in others]
        return [*ended, *renewed(last, ring, code, request, now)]

    done = keyring.append(ring, decide)
    key = recovered(keyring.events(ring), ring, slot, code, request)
    assert key is not None, "it was just issued"
    return key, not done
