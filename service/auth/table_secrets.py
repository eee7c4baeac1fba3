"""The secrets of an open table, by their hashes in the ring of its keys: the token of its link, and
the recovery code of each seat. All of it blocks."""

from collections.abc import Sequence
from uuid import UUID

from service.auth.key_events import (
    KeyRevoked,
    Recorded,
    RingEvent,
    Slot,
    TableSecretSet,
    by_token,
    keys_of,
    stored,
    valid_keys,
)
from service.auth.key_form import hashed
from service.auth.keys import Keyring
from service.auth.renewals import given_again, renewed


def set_secret(keyring: Keyring, ring: UUID, slot: Slot, secret: str, now: int) -> None:
    """Sets a secret, once: the first counts."""
    new = TableSecretSet(now, slot, hashed(secret))

    def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
        known = (one.slot for one in events if isinstance(one, TableSecretSet))
        return () if slot in known else (new,)

    keyring.append(ring, decide, (stored(by_token(ring, new.hash), 1, new),))


def slot_of_secret(keyring: Keyring, ring: UUID, secret: str) -> Slot | None:
    """What a secret is for; None for an unknown one. It is found by itself, so that an unknown one
    costs the same whatever has happened at the table."""
    found = keyring.events(by_token(ring, hashed(secret)))
    return next((one.slot for one in found if isinstance(one, TableSecretSet)), None)


def recover(
    keyring: Keyring, ring: UUID, slot: Slot, code: str, request: str, now: int
) -> tuple[str, bool] | None:
    """Ends the keys of a seat, and returns the one in their place, and whether this request had
    done so before; None for a seat whose keys the operator has ended."""

    def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
        if given_again(events, ring, slot, code, request) is not None:
            return ()
        valid = [one for one in valid_keys(keys_of(events)) if one.slot == slot]
        ended = [KeyRevoked(now, one.hash) for one in valid[:-1]]
        return [*ended, *(renewed(valid[-1], ring, code, request, now) if valid else ())]

    done = keyring.append(ring, decide)
    key = given_again(keyring.events(ring), ring, slot, code, request)
    return None if key is None else (key, not done)
