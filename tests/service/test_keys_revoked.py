"""A revoked key stays revoked, whoever reads it at that very moment."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import AggregateRecorder, OperationalError, StoredEvent

from service.access.keys import Keyring, hashed
from service.clock import VirtualClock
from service.storage.store import Store


class Meanwhile(AggregateRecorder):
    """A recorder with a moment between reading and handing on, in which something happens."""

    def __init__(self, stock: AggregateRecorder) -> None:
        self._stock = stock
        self.happens: Callable[[], None] | None = None
        self.inserts_left: int | None = None

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Any:
        if self.inserts_left is not None:
            if self.inserts_left == 0:
                raise OperationalError("killed")
            self.inserts_left -= 1
        return self._stock.insert_events(stored_events, **kwargs)

    def select_events(self, originator_id: UUID | str, **kwargs: Any) -> Sequence[StoredEvent]:
        found = self._stock.select_events(originator_id, **kwargs)
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return found


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    env = {"PERSISTENCE_MODULE": "service.storage.sqlite", "SQLITE_DBNAME": str(database)}
    with closing(Store(env)) as store:
        yield store


def test_a_key_revoked_here_while_it_is_read_is_unknown(store: Store, clock: VirtualClock) -> None:
    recorder = Meanwhile(store.keyrings)
    keyring, match_id = Keyring(recorder, clock.now), uuid4()
    (key,) = keyring.issue(match_id, ["s0"])
    recorder.happens = lambda: keyring.revoke(match_id, hashed(key))
    keyring.learn(key)
    assert keyring.known(key) is None


def test_a_key_revoked_elsewhere_while_it_is_read_is_unknown_after_the_next_look(
    store: Store, clock: VirtualClock
) -> None:
    recorder, match_id = Meanwhile(store.keyrings), uuid4()
    keyring, elsewhere = Keyring(recorder, clock.now), Keyring(store.keyrings, clock.now)
    (key,) = keyring.issue(match_id, ["s0"])

    def revoked_and_heard_of() -> None:
        elsewhere.revoke(match_id, hashed(key))
        keyring.refresh()

    recorder.happens = revoked_and_heard_of
    keyring.learn(key)
    keyring.refresh()
    assert keyring.known(key) is None


def test_a_revocation_that_was_cut_short_is_heard_of_everywhere_or_not_at_all(
    store: Store, clock: VirtualClock
) -> None:
    """The process that revokes may be killed between any two of its writes."""
    recorder, match_id = Meanwhile(store.keyrings), uuid4()
    killed, serving = Keyring(recorder, clock.now), Keyring(store.keyrings, clock.now)
    (key,) = killed.issue(match_id, ["s0"])
    assert serving.learn(key) is not None

    recorder.inserts_left = 1
    with suppress(OperationalError):
        killed.revoke(match_id, hashed(key))
    serving.refresh()

    valid = any(issued.hash == hashed(key) for issued in serving.listed(match_id))
    assert (serving.known(key) is not None) == valid
