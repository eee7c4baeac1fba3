"""The keys of one store, which authorise organisers, moderators, seats and players. Only their
hashes are stored.

A ring is a stream of its own in the store's `keys` table.
"""

import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

from eventsourcing.persistence import (
    AggregateRecorder,
    IntegrityError,
    PersistenceError,
    StoredEvent,
)
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.people import Actor, KeyOrigin
from service.auth.configured_key import ConfiguredKey
from service.auth.grants import Grant, Grants, grant_of_key, matching
from service.auth.keyring import (
    CONFIGURED,
    OPERATOR,
    ORGANISERS,
    InvitationMade,
    KeyIssued,
    KeyReference,
    KeyRevoked,
    KeysChanged,
    Recorded,
    RingEvent,
    RingKey,
    Slot,
    WantedKey,
    by_token,
    changed_rings,
    decode_rows,
    hash_key,
    key_prefix,
    keys_of,
    new_id,
    new_key,
    parse_key,
    ring_row,
    valid_keys,
)
from service.auth.renewals import given_again, renewed
from service.event_store.recorder import KEYRINGS
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

    def issue(self, ring: UUID, slots: Sequence[Slot], name: str = "") -> list[str]:
        """Issues a new key for each of these slots of a ring, in order. Blocks."""
        return self.issue_named(ring, [(slot, name) for slot in slots], OPERATOR)

    def issue_named(self, ring: UUID, holders: Sequence[tuple[Slot, str]], by: Actor) -> list[str]:
        """Issues a new key for each slot and the person's name, in order: keys with which a match
        or a tournament is made at someone's request, or the operator's. Blocks."""
        keys = [new_key(slot, ring) for slot, _ in holders]
        holder_keys = zip(holders, keys, strict=True)
        events = [self._issued(slot, key, name, by) for (slot, name), key in holder_keys]
        self.append(ring, lambda _: events)
        return keys

    def issue_first(self, ring: UUID, slot: Slot, name: str = "") -> str | None:
        """Issues a key for a slot if its ring has no valid key; otherwise returns None, also when
        another process issues one at the same moment. Blocks."""
        key = new_key(slot, ring)
        issued = self._issued(slot, key, name, OPERATOR)
        has_issued = self.append(ring, lambda events: () if _valid(events) else (issued,))
        return key if has_issued else None

    def issue_later(
        self,
        match_id: UUID,
        key_wanted: WantedKey,
        check: Callable[[Sequence[RingKey]], None] = lambda _: None,
        is_shown: Callable[[], bool] = lambda: False,
    ) -> str | None:
        """Issues a key to a match that exists. An earlier one with the same id is revoked, unless
        it `is_shown`, even if it has ended: then none is issued. `check` is given the other valid
        keys and may raise: none is issued by anyone between that and the new one. Blocks."""
        key = new_key(key_wanted.slot, match_id)
        issued = self.issued_later(key_wanted, key)

        def decide(events: Sequence[Recorded]) -> list[RingEvent]:
            keys = keys_of(events)
            check([other for other in valid_keys(keys) if other.id != key_wanted.id])
            earlier = [other for other in keys if other.id == key_wanted.id]
            if earlier and is_shown():
                return []
            return [*(KeyRevoked(issued.at, other.hash) for other in valid_keys(earlier)), issued]

        return key if self.append(match_id, decide) else None

    def renew(self, slot: Slot, ring: UUID, key: str, request: str) -> str | None:
        """Ends a key of a slot, and returns the one in its place, also when this request has done
        so before. None if the key is not valid, nor was renewed by this request. Blocks."""
        now, key_hash = self._clock(), hash_key(key)

        def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
            old = next((other for other in _valid(events) if other.hash == key_hash), None)
            return () if old is None else renewed(old, ring, key, request, now)

        self.append(ring, decide)
        return given_again(self.events(ring), ring, slot, key, request, now)

    def revoke(self, ring: UUID, key_hash: bytes, by: Actor | UnsetType = UNSET) -> None:
        """Revokes a key: at once on this instance, on others at their next `refresh`. If `by`
        someone, the record of the match has to say so. Blocks."""
        revoked = KeyRevoked(self._clock(), key_hash, by)
        self.append(ring, lambda _: (revoked,))

    def reissue(
        self,
        ring: UUID,
        key_wanted: WantedKey,
        also: Callable[[Sequence[Recorded]], Sequence[RingEvent]],
    ) -> str | None:
        """Ends the keys of a slot of a tournament, and issues one in their place; `also` says what
        else happens in its ring. None if one with this id has been issued before. Blocks."""
        key = new_key(key_wanted.slot, ring)
        issued = replace(
            self._issued(key_wanted.slot, key, key_wanted.name, key_wanted.by), id=key_wanted.id
        )

        def decide(events: Sequence[Recorded]) -> list[RingEvent]:
            if issued.id in {earlier.id for earlier in keys_of(events)}:
                return []
            return [*self.ended(events, key_wanted.slot), *also(events), issued]

        return key if self.append(ring, decide) else None

    def end_slot(self, ring: UUID, slot: Slot, before: float = math.inf) -> None:
        """Ends the keys of a slot, as the record of its match or tournament says already: of a seat
        those of its holders before the one with this number. Blocks."""
        self.append(ring, lambda events: self.ended(events, slot, before))

    def ended(
        self, events: Sequence[Recorded], slot: Slot, before: float = math.inf
    ) -> list[RingEvent]:
        """What ends the keys of a slot that are valid after these events."""
        now = self._clock()
        keys = (key for key in _valid(events) if key.slot == slot and key.tenure < before)
        return [KeyRevoked(now, key.hash) for key in keys]

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

    def _issued(self, slot: Slot, key: str, name: str, by: Actor) -> KeyIssued:
        origin = KeyOrigin(by.by, by.key_id)
        return KeyIssued(self._clock(), slot, hash_key(key), new_id(), name, origin=origin)

    def issued_later(self, key_wanted: WantedKey, key: str) -> KeyIssued:
        """The event by which this very key is issued to a match that exists."""
        issued = self._issued(key_wanted.slot, key, key_wanted.name, key_wanted.by)
        return replace(issued, id=key_wanted.id, by=key_wanted.by, tenure=key_wanted.tenure)

    def rename(
        self,
        replace_states: Callable[..., None],
        ring: UUID,
        names: Collection[str],
        placeholder: str,
    ) -> None:
        """Has `placeholder` in place of these names of holders of keys and invitations. Blocks."""
        for stream in (ring, *map(partial(by_token, ring), self._tokens(ring))):
            states: dict[int, bytes] = {}
            for row in self._recorder.select_events(stream):
                for event in decode_rows([row]):
                    if isinstance(event, KeyIssued | InvitationMade) and event.name in names:
                        renamed = replace(event, name=placeholder)
                        states[row.originator_version] = ring_row(stream, 1, renamed).state
            if states:
                replace_states(stream, states, KEYRINGS)

    def _tokens(self, ring: UUID) -> list[bytes]:
        """The hashes of the tokens of all invitations."""
        return [event.hash for event in self.events(ring) if isinstance(event, InvitationMade)]

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

    def append(
        self,
        ring: UUID,
        decide: Callable[[Sequence[Recorded]], Sequence[RingEvent]],
        more: Sequence[StoredEvent] = (),
    ) -> bool:
        """Appends to a ring what `decide` makes of its events, with what other streams have to say
        of it and the rows of `more`, in one transaction; returns whether it made anything. If
        another process was first, it is decided again. Blocks."""
        while True:
            events_before = self.events(ring)
            events = decide(events_before)
            if not events:
                return False
            revoked = [event for event in events if isinstance(event, KeyRevoked)]
            by = (e for e in events if isinstance(e, KeyIssued | KeyRevoked) and e.by)
            changed = [KeysChanged(event.at, ring.bytes) for event in by][:1]
            rows = [
                ring_row(ring, version, event)
                for version, event in enumerate(events, len(events_before) + 1)
            ]
            rows += (*self._rows({REVOCATIONS: revoked, CHANGES: changed}), *more)
            with suppress(IntegrityError):
                self._recorder.insert_events(rows)
                break
        if revoked:
            self._forget(frozenset(event.hash for event in revoked))
        return True

    def _rows(self, streams: Mapping[UUID, Sequence[RingEvent | KeysChanged]]) -> list[StoredEvent]:
        """The events as the next rows of their streams. Blocks."""
        return [
            ring_row(stream, version, event)
            for stream, events in streams.items()
            if events
            for version, event in enumerate(events, len(self._recorder.select_events(stream)) + 1)
        ]


def _valid(events: Sequence[Recorded]) -> tuple[RingKey, ...]:
    return valid_keys(keys_of(events))
