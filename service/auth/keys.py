"""The keys of one store, which authorise organisers, moderators, seats and players. Only their
hashes are stored.

A ring is a stream of its own in the store's `keys` table.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

from eventsourcing.persistence import IntegrityError, StoredEvent
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.people import Actor, KeyOrigin
from service.auth.cached_keys import CHANGES, REVOCATIONS, CachedKeys
from service.auth.keyring import (
    OPERATOR,
    InvitationMade,
    KeyIssued,
    KeyRevoked,
    KeysChanged,
    Recorded,
    RingEvent,
    RingKey,
    Slot,
    WantedKey,
    by_token,
    decode_rows,
    hash_key,
    keys_of,
    new_id,
    new_key,
    ring_row,
    valid_keys,
)
from service.auth.renewals import given_again, renewed
from service.event_store.recorder import KEYRINGS


class Keyring(CachedKeys):
    """Issues, renews and ends the keys of one store."""

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
        invited = [event.hash for event in self.events(ring) if isinstance(event, InvitationMade)]
        for stream in (ring, *map(partial(by_token, ring), invited)):
            states: dict[int, bytes] = {}
            for row in self._recorder.select_events(stream):
                for event in decode_rows([row]):
                    if isinstance(event, KeyIssued | InvitationMade) and event.name in names:
                        renamed = replace(event, name=placeholder)
                        states[row.originator_version] = ring_row(stream, 1, renamed).state
            if states:
                replace_states(stream, states, KEYRINGS)

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
