"""The keys of one store, which authorise organisers, moderators, seats and players. Only their
hashes are stored.

A ring is a stream of its own in the store's `keys` table.
"""

import hmac
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from eventsourcing.persistence import (
    AggregateRecorder,
    IntegrityError,
    PersistenceError,
    StoredEvent,
)
from msgspec.structs import replace

from domain.people import Actor, KeyOrigin
from service.auth.grants import CachedSlot, Grant, grant_of_key
from service.auth.key_events import (
    OPERATOR,
    ConfiguredKeyIdentified,
    KeyIssued,
    KeyRevoked,
    KeysChanged,
    Recorded,
    RingEvent,
    RingKey,
    Slot,
    changed_rings,
    decoded,
    keys_of,
    new_id,
    stored,
    valid_keys,
)
from service.auth.key_form import CONFIGURED, ORGANISERS, hashed, key_prefix, new_key, parse_key
from service.auth.renewals import key_in_place, renewed
from service.observability import logs

REVOCATIONS = UUID("6172622d-7265-f676-8000-000000000000")
"""A stream of all revocations, so that one query finds the new ones."""

CHANGES = UUID("6172622d-6368-fe67-8000-000000000000")
"""A stream of the matches of which keys were issued or ended, whose records have to say so."""

MAX_SLOTS = 50_000
"""Maximum slots in memory; the oldest are dropped."""


class Keyring:
    """The keys in one store. `configured` is the organiser's key from the settings, if any.

    Slots and the hashes of their valid keys are cached; `refresh` reads new revocations.
    `on_revoked` is called with the hashes of keys that are found to be revoked, in any thread;
    `on_used` with the match and the id of a key to it that came with a request.
    """

    def __init__(
        self, recorder: AggregateRecorder, clock: Callable[[], int], configured: str | None = None
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._configured = None if configured is None else hashed(configured)
        self._configured_grant = Grant("organiser")
        self._slots: dict[str, CachedSlot] = {}
        self._revocation_count = 0
        self._lock = threading.Lock()
        self._revocations_read = 0
        self.on_revoked: Callable[[frozenset[bytes]], None] = _nobody_asks
        self.on_used: Callable[[UUID, str], None] = _nobody_notes

    def issue(self, ring: UUID, slots: Sequence[Slot], name: str = "") -> list[str]:
        """Issues a new key for each of these slots of a ring, in order. Blocks."""
        return self.issue_named(ring, [(slot, name) for slot in slots], OPERATOR)

    def issue_named(self, ring: UUID, holders: Sequence[tuple[Slot, str]], by: Actor) -> list[str]:
        """Issues a new key for each slot and the person's name, in order: keys with which a match
        or a tournament is made at somebody's request, or the operator's. Blocks."""
        keys = [new_key(slot, ring) for slot, _ in holders]
        named = zip(holders, keys, strict=True)
        events = [self._issued(slot, key, name, by) for (slot, name), key in named]
        self._append(ring, lambda _: events)
        return keys

    def issue_first(self, ring: UUID, slot: Slot, name: str = "") -> str | None:
        """Issues a key for a slot if its ring has no valid key; otherwise returns None, also when
        another process issues one at the same moment. Blocks."""
        key = new_key(slot, ring)
        issued = self._issued(slot, key, name, OPERATOR)
        done = self._append(ring, lambda keys: () if valid_keys(keys) else (issued,))
        return key if done else None

    def issue_later(
        self,
        match_id: UUID,
        slot: Slot,
        name: str,
        key_id: str,
        by: Actor,
        tenure: int = 0,
        check: Callable[[Sequence[RingKey]], None] = lambda _: None,
    ) -> str:
        """Issues a key with this id to a match that exists. An earlier one with the same id, which
        nobody has been shown, is revoked. `check` is given the other valid keys and may raise: none
        is issued by anybody between that and the new one. Blocks."""
        key = new_key(slot, match_id)
        issued = self._issued_later(slot, key, name, key_id, by, tenure)

        def decide(keys: Sequence[RingKey]) -> list[RingEvent]:
            valid = valid_keys(keys)
            check([each for each in valid if each.id != key_id])
            revoked = [KeyRevoked(issued.at, each.hash) for each in valid if each.id == key_id]
            return [*revoked, issued]

        self._append(match_id, decide)
        return key

    def rows_to_issue(
        self,
        match_id: UUID,
        slot: Slot,
        key: str,
        name: str,
        key_id: str,
        by: Actor,
        tenure: int,
    ) -> list[StoredEvent]:
        """The rows that issue this very key, which its holder alone is shown, to a match that
        exists; to be inserted together with others. Blocks."""
        issued = self._issued_later(slot, key, name, key_id, by, tenure)
        issued = replace(issued, origin=replace(issued.origin, since=issued.at))
        return self._rows({match_id: [issued], CHANGES: [KeysChanged(issued.at, match_id.bytes)]})

    def renew(self, ring: UUID, key: str, request: str) -> str | None:
        """Ends a key of a ring, and returns the one in its place, also when this request has done
        so before. None if the key is not valid, nor was renewed by this request. Blocks."""
        now, offered = self._clock(), hashed(key)

        def decide(keys: Sequence[RingKey]) -> Sequence[RingEvent]:
            old = next((each for each in valid_keys(keys) if each.hash == offered), None)
            return () if old is None else renewed(old, ring, key, request, now)

        self._append(ring, decide)
        found = decoded(self._recorder.select_events(ring))
        return key_in_place(found, ring, key, request, now)

    def revoke(self, ring: UUID, key_hash: bytes) -> None:
        """Revokes a key: at once on this instance, on others at their next `refresh`. Blocks."""
        revoked = KeyRevoked(self._clock(), key_hash)
        self._append(ring, lambda _: (revoked,))

    def end(self, match_id: UUID, key_hash: bytes, by: Actor) -> None:
        """Revokes a key of a match, whose record has to say so. Blocks."""
        revoked = KeyRevoked(self._clock(), key_hash, by)
        self._append(match_id, lambda _: (revoked,))

    def end_earlier(self, match_id: UUID, slot: Slot, tenure: int) -> None:
        """Revokes the keys of a seat's holders before the one with the number `tenure`. The match's
        record says so already: somebody else has the seat. Blocks."""
        now = self._clock()

        def decide(keys: Sequence[RingKey]) -> list[RingEvent]:
            earlier = (each for each in valid_keys(keys) if each.slot == slot)
            return [KeyRevoked(now, each.hash) for each in earlier if each.tenure < tenure]

        self._append(match_id, decide)

    def refresh(self) -> None:
        """Drops newly revoked keys from the cache, and no others. Blocks."""
        revocations = self._recorder.select_events(REVOCATIONS, gt=self._revocations_read)
        if revocations:
            revoked = (e for e in decoded(revocations) if isinstance(e, KeyRevoked))
            self._forget(frozenset(event.hash for event in revoked))
            self._revocations_read = revocations[-1].originator_version
        self._identify_configured()

    def try_to_identify(self) -> None:
        """Finds the id of the key from the settings; if the store does not answer, or nothing can
        be recorded, the next `refresh` does. Blocks."""
        try:
            self._identify_configured()
        except PersistenceError as error:
            logs.failure("not_done", error, what="try_to_identify")

    def _identify_configured(self) -> None:
        """The first instance that has the key from the settings records an id for it."""
        if self._configured is None or self._configured_grant.holder is not None:
            return
        mine = new_id()
        recorded = ConfiguredKeyIdentified(mine, _mac(mine, self._configured))
        while True:
            found = self._recorder.select_events(ORGANISERS)
            known = _id_of(self._configured, decoded(found))
            if known is not None:
                self._configured_grant = Grant("organiser", holder=Actor(None, known))
                return
            with suppress(IntegrityError):
                self._recorder.insert_events([stored(ORGANISERS, len(found) + 1, recorded)])

    def changed(self, after: int) -> tuple[int, list[UUID]]:
        """The matches of which keys were changed behind the first `after` changes, and how many
        changes there are. Blocks."""
        found = self._recorder.select_events(CHANGES, gt=after)
        return (found[-1].originator_version if found else after), changed_rings(found)

    def issued(self, ring: UUID) -> tuple[RingKey, ...]:
        """All keys that a ring ever had. Blocks."""
        return keys_of(decoded(self._recorder.select_events(ring)))

    def listed(self, ring: UUID) -> tuple[RingKey, ...]:
        """The valid keys of a ring, by their hashes. Blocks."""
        return valid_keys(self.issued(ring))

    def known(self, key: str) -> Grant | None:
        """What the key allows, if that is cached; None does not mean that the key is invalid."""
        offered = hashed(key)
        if self._configured is not None and hmac.compare_digest(offered, self._configured):
            return self._configured_grant
        slot = self._slots.get(key.rpartition("_")[0])
        return None if slot is None else self._used(slot.grant_for(offered))

    def load(self, key: str) -> Grant | None:
        """What the key allows, read from the store; None if it is invalid. Blocks."""
        parsed = parse_key(key)
        loaded = None if parsed is None else self._load_slot(*parsed)
        return None if loaded is None else self._used(loaded.grant_for(hashed(key)))

    def slot_of(self, key: str) -> tuple[Slot, UUID]:
        """The slot and ring of a valid key."""
        if self._configured is not None and hmac.compare_digest(hashed(key), self._configured):
            return CONFIGURED, ORGANISERS
        found = parse_key(key)
        assert found is not None, "every valid key can be parsed"
        return found

    def hashes(self, slot: Slot, ring: UUID) -> list[bytes] | None:
        """The hashes of a slot's valid keys, if the slot is cached; else None."""
        if slot == CONFIGURED:
            return [] if self._configured is None else [self._configured]
        known = self._slots.get(key_prefix(slot, ring))
        return None if known is None else known.hashes

    def grant_by(self, slot: Slot, ring: UUID, key_hash: bytes) -> Grant | None:
        """What the key with this hash allows, if its slot is cached; else None."""
        if slot == CONFIGURED:
            return self._configured_grant
        known = self._slots.get(key_prefix(slot, ring))
        return None if known is None else known.grant_for(key_hash)

    def load_hashes(self, slot: Slot, ring: UUID) -> list[bytes]:
        """The hashes of a slot's valid keys, read from the store. Blocks."""
        loaded = self._load_slot(slot, ring)
        return [] if loaded is None else loaded.hashes

    def _used(self, grant: Grant | None) -> Grant | None:
        if grant is not None and grant.match is not None and grant.holder is not None:
            self.on_used(grant.match, grant.holder.key_id)
        return grant

    def _load_slot(self, slot: Slot, ring: UUID) -> CachedSlot | None:
        revocation_count = self._revocation_count
        valid = [key for key in self.listed(ring) if key.slot == slot]
        if not valid:
            return None
        loaded = CachedSlot([key.hash for key in valid], [grant_of_key(key, ring) for key in valid])
        with self._lock:
            # Keys that were read before a revocation must not enter the cache after it.
            if revocation_count == self._revocation_count:
                while len(self._slots) >= MAX_SLOTS:
                    self._slots.pop(next(iter(self._slots)))
                self._slots[key_prefix(slot, ring)] = loaded
        return loaded

    def _issued(self, slot: Slot, key: str, name: str, by: Actor) -> KeyIssued:
        origin = KeyOrigin(by.by, by.key_id)
        return KeyIssued(self._clock(), slot, hashed(key), new_id(), name, origin=origin)

    def _issued_later(
        self, slot: Slot, key: str, name: str, key_id: str, by: Actor, tenure: int
    ) -> KeyIssued:
        issued = self._issued(slot, key, name, by)
        return replace(issued, id=key_id, by=by, tenure=tenure)

    def _forget(self, revoked: frozenset[bytes]) -> None:
        with self._lock:
            for name, slot in list(self._slots.items()):
                if revoked.isdisjoint(slot.hashes):
                    continue
                left = slot.without(revoked)
                if left.hashes:
                    self._slots[name] = left
                else:
                    del self._slots[name]
            self._revocation_count += 1
        self.on_revoked(revoked)

    def _append(
        self, ring: UUID, decide: Callable[[Sequence[RingKey]], Sequence[RingEvent]]
    ) -> bool:
        """Appends to a ring what `decide` makes of its keys, with what other streams have to say of
        it, in one transaction; returns whether it made anything. If another process was first, it
        is decided again."""
        while True:
            found = self._recorder.select_events(ring)
            events = decide(keys_of(decoded(found)))
            if not events:
                return False
            revoked = [event for event in events if isinstance(event, KeyRevoked)]
            changed = [KeysChanged(event.at, ring.bytes) for event in events if event.by][:1]
            rows = [
                stored(ring, version, event) for version, event in enumerate(events, len(found) + 1)
            ]
            rows += self._rows({REVOCATIONS: revoked, CHANGES: changed})
            with suppress(IntegrityError):
                self._recorder.insert_events(rows)
                break
        if revoked:
            self._forget(frozenset(event.hash for event in revoked))
        return True

    def _rows(self, streams: Mapping[UUID, Sequence[RingEvent | KeysChanged]]) -> list[StoredEvent]:
        """The events as the next rows of their streams. Blocks."""
        return [
            stored(stream, version, event)
            for stream, events in streams.items()
            if events
            for version, event in enumerate(events, len(self._recorder.select_events(stream)) + 1)
        ]


def _nobody_asks(revoked: frozenset[bytes]) -> None:
    """No reader depends on a key."""


def _nobody_notes(match_id: UUID, key_id: str) -> None:
    """Nobody asks when a key was last used."""


def _mac(key_id: str, configured: bytes) -> bytes:
    return hmac.digest(key_id.encode(), configured, "sha256")


def _id_of(configured: bytes, events: Sequence[Recorded]) -> str | None:
    """The recorded id of the key from the settings with this hash; None if there is none."""
    for event in events:
        if isinstance(event, ConfiguredKeyIdentified):
            mac = _mac(event.id, configured)
            if hmac.compare_digest(event.mac, mac):
                return event.id
    return None
