"""A revoked key stays revoked, also when it is being read at that moment."""

from contextlib import suppress

from eventsourcing.persistence import OperationalError

from service.auth.key_form import hashed
from service.auth.keys import Keyring
from service.event_store.store import Store
from service.event_store.stream_ids import time_ordered
from tests.support.instance.interrupted_recorder import InterruptedRecorder
from tests.support.virtual_clock import VirtualClock


def test_a_key_revoked_here_while_it_is_read_is_unknown(store: Store, clock: VirtualClock) -> None:
    recorder = InterruptedRecorder(store.keyrings)
    keyring, match_id = Keyring(recorder, clock.now), time_ordered(0)
    (key,) = keyring.issue(match_id, ["s0"])
    recorder.happens = lambda: keyring.revoke(match_id, hashed(key))
    keyring.load(key)
    assert keyring.known(key) is None


def test_a_key_revoked_elsewhere_while_it_is_read_is_unknown_after_the_next_refresh(
    store: Store, clock: VirtualClock
) -> None:
    recorder, match_id = InterruptedRecorder(store.keyrings), time_ordered(0)
    keyring, other_keyring = Keyring(recorder, clock.now), Keyring(store.keyrings, clock.now)
    (key,) = keyring.issue(match_id, ["s0"])

    def revoked_and_refreshed() -> None:
        other_keyring.revoke(match_id, hashed(key))
        keyring.refresh()

    recorder.happens = revoked_and_refreshed
    keyring.load(key)
    keyring.refresh()
    assert keyring.known(key) is None


def test_an_interrupted_revocation_counts_everywhere_or_not_at_all(
    store: Store, clock: VirtualClock
) -> None:
    """The process that revokes may be killed between any two of its writes."""
    recorder, match_id = InterruptedRecorder(store.keyrings), time_ordered(0)
    killed, serving = Keyring(recorder, clock.now), Keyring(store.keyrings, clock.now)
    (key,) = killed.issue(match_id, ["s0"])
    assert serving.load(key) is not None

    recorder.inserts_left = 1
    with suppress(OperationalError):
        killed.revoke(match_id, hashed(key))
    serving.refresh()

    valid = any(issued.hash == hashed(key) for issued in serving.listed(match_id))
    assert (serving.known(key) is not None) == valid
