"""The keys of one store as they are read, and a cache of what they allow."""

import threading
from collections.abc import Callable
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, PersistenceError

from domain.people import KeyOrigin
from service.auth.configured_key import ConfiguredKey
from service.auth.grants import Grant, Grants, grant_of_key, matching
from service.auth.keyring import (
    CONFIGURED,
    ORGANISERS,
    KeyIssued,
    KeyReference,
    KeyRevoked,
    Recorded,
    RingKey,
    Slot,
    changed_rings,
    decode_rows,
    hash_key,
    key_prefix,
    keys_of,
    parse_key,
    valid_keys,
)
from service.observability import logs

REVOCATIONS = UUID("6172622d-7265-f676-8000-000000000000")
"""A stream of all revocations, so that one query finds the new ones."""

CHANGES = UUID("6172622d-6368-fe67-8000-000000000000")
"""A stream of the matches of which keys were issued or ended, whose records have to say so."""

MAX_SLOTS = 50_000
"""Maximum slots in memory; the oldest are dropped."""


class CachedKeys:
    """The keys in one store. `configured` is the organiser's key from the settings, if any.

    Slots and the hashes of their valid keys are cached; `refresh` reads new revocations.
    `on_revoked` is called with the hashes of keys that are found to be revoked, in any thread;
    `on_used` with the match or tournament and the id of a key to it that came with a request.
    """

    def __init__(
        self, recorder: AggregateRecorder, clock: Callable[[], int], configured: str | None = None
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._configured = ConfiguredKey(recorder, configured)
        self._slots: dict[str, Grants] = {}
        self._makers: dict[UUID, KeyOrigin] = {}
        self._revocation_count = 0
        self._lock = threading.Lock()
        self._revocations_read = 0
        self.on_revoked: Callable[[frozenset[bytes]], None] = lambda _: None
        self.on_used: Callable[[UUID, str], None] = lambda *_: None

    def refresh(self) -> None:
        """Drops newly revoked keys from the cache, and no others. Blocks."""
        revocations = self._recorder.select_events(REVOCATIONS, gt=self._revocations_read)
        if revocations:
            revoked = (e for e in decode_rows(revocations) if isinstance(e, KeyRevoked))
            self._forget(frozenset(event.hash for event in revoked))
            self._revocations_read = revocations[-1].originator_version
        self._configured.identify()

    def try_to_identify(self) -> None:
        """Finds the id of the key from the settings; if the store does not answer, or nothing can
        be recorded, the next `refresh` does. Blocks."""
        try:
            self._configured.identify()
        except PersistenceError as error:
            logs.failure("not_done", error, what="try_to_identify")

    def changed(self, after: int) -> tuple[int, list[UUID]]:
        """The matches of which keys were changed after the first `after` changes, and how many
        changes there are. Blocks."""
        rows = self._recorder.select_events(CHANGES, gt=after)
        return (rows[-1].originator_version if rows else after), changed_rings(rows)

    def events(self, ring: UUID) -> list[Recorded]:
        """Everything that has happened in a ring. What others have revoked is dropped from the
        cache: what is said to have ended here opens nothing here. Blocks."""
        events = decode_rows(self._recorder.select_events(ring))
        revoked = frozenset(event.hash for event in events if isinstance(event, KeyRevoked))
        slots = {key_prefix(event.slot, ring) for event in events if isinstance(event, KeyIssued)}
        if any(not revoked.isdisjoint(self._slots.get(slot, ())) for slot in slots):
            self._forget(revoked)
        return events

    def issued(self, ring: UUID) -> tuple[RingKey, ...]:
        """All keys that a ring ever had. Blocks."""
        return keys_of(self.events(ring))

    def maker(self, ring: UUID) -> KeyOrigin | None:
        """Who had the first key of a ring issued, and so made its match; None if it has none.
        Blocks, unless it is known."""
        origin = self._makers.get(ring)
        first = next(iter(self.issued(ring)), None) if origin is None else None
        if first is None:
            return origin
        with self._lock:
            while len(self._makers) >= MAX_SLOTS:
                self._makers.pop(next(iter(self._makers)))
            self._makers[ring] = first.origin
        return first.origin

    def list_valid(self, ring: UUID) -> tuple[RingKey, ...]:
        """The valid keys of a ring, by their hashes. Blocks."""
        return valid_keys(self.issued(ring))

    def find_cached(self, key: str) -> Grant | None:
        """What the key allows, if that is cached; None does not mean that the key is invalid."""
        key_hash = hash_key(key)
        grant = matching(self._configured.grants, key_hash)
        return grant or self._note_use(
            matching(self._slots.get(key.rpartition("_")[0], {}), key_hash)
        )

    def load(self, key: str) -> Grant | None:
        """What the key allows, read from the store; None if it is invalid. Blocks."""
        parts = parse_key(key)
        return None if parts is None else self._note_use(matching(self.read(*parts), hash_key(key)))

    def reference(self, key: str) -> KeyReference:
        """A reference to a valid key."""
        key_hash = hash_key(key)
        configured = matching(self._configured.grants, key_hash) is not None
        slot_and_ring = (CONFIGURED, ORGANISERS) if configured else parse_key(key)
        assert slot_and_ring is not None, "every valid key can be parsed"
        return KeyReference(*slot_and_ring, key_hash)

    def cached(self, slot: Slot, ring: UUID) -> Grants:
        """What the valid keys of a slot allow, if that is cached; else empty."""
        if slot == CONFIGURED:
            return self._configured.grants
        return self._slots.get(key_prefix(slot, ring), {})

    def _note_use(self, grant: Grant | None) -> Grant | None:
        ring = None if grant is None else grant.match or grant.tournament
        if grant is not None and ring is not None and grant.holder is not None:
            self.on_used(ring, grant.holder.key_id)
        return grant

    def read(self, slot: Slot, ring: UUID) -> Grants:
        """What the valid keys of a slot allow, read from the store. Blocks."""
        revocation_count = self._revocation_count
        loaded = {k.hash: grant_of_key(k, ring) for k in self.list_valid(ring) if k.slot == slot}
        with self._lock:
            # Keys that were read before a revocation must not enter the cache after it.
            if loaded and revocation_count == self._revocation_count:
                while len(self._slots) >= MAX_SLOTS:
                    self._slots.pop(next(iter(self._slots)))
                self._slots[key_prefix(slot, ring)] = loaded
        return loaded

    def read_again(self) -> None:
        """Reads the slots again when they are needed next."""
        with self._lock:
            self._slots.clear()
            self._revocation_count += 1

    def _forget(self, revoked: frozenset[bytes]) -> None:
        with self._lock:
            for name, grants in list(self._slots.items()):
                if revoked.isdisjoint(grants):
                    continue
                valid_grants = {
                    valid: grant for valid, grant in grants.items() if valid not in revoked
                }
                if valid_grants:
                    self._slots[name] = valid_grants
                else:
                    del self._slots[name]
            self._revocation_count += 1
        self.on_revoked(revoked)
