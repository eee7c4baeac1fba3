"""Checks that the logs in a store still extend every checkpoint that was signed of them."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from secrets import SystemRandom
from uuid import UUID

import msgspec
from eventsourcing.persistence import PersistenceError

from domain.events import stored_name
from domain.log_events import CheckpointSigned
from domain.merkle import Tree, grown, leaf_hash
from projections.evidence.bundle import Log
from service.event_store.digests import RecordAltered
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store, paired_stream

PAGE = 1_000

SAMPLE = 100
"""Number of logs checked where not all of them are."""

MOST_NAMED = 10


class LogsAltered(PersistenceError):
    """Some logs do not extend the checkpoints that were signed of them."""

    def __init__(self, matches: list[UUID]) -> None:
        named = ", ".join(map(str, matches[:MOST_NAMED]))
        more = f" and {len(matches) - MOST_NAMED} more" if len(matches) > MOST_NAMED else ""
        super().__init__(f"these logs do not extend their signed checkpoints: {named}{more}")


def check_signed(store: Store, *, every: bool, on_checked: Callable[[], None] | None = None) -> int:
    """Checks a sample of the signed logs, or every one; returns how many it checked. `on_checked`
    is called after each.

    Raises LogsAltered if any of them does not extend its checkpoints. Blocks.
    """
    secret_store, altered, count = SecretStore(store.secrets), [], 0
    for match in signed(store) if every else sample(signed(store), SAMPLE):
        if not extends_signed(store, secret_store, match):
            altered.append(match)
        count += 1
        if on_checked is not None:
            on_checked()
    if altered:
        raise LogsAltered(altered)
    return count


def signed(store: Store) -> Iterator[UUID]:
    """Every match with a signed checkpoint, once."""
    topics = [stored_name(CheckpointSigned)]
    position = 0
    while page := store.recorder.select_notifications(
        position, PAGE, None, topics, inclusive_of_start=False
    ):
        for stored in page:
            if stored.originator_version == 1:
                yield paired_stream(UUID(str(stored.originator_id)))
        position = page[-1].id


def sample(matches: Iterable[UUID], most: int) -> list[UUID]:
    """A uniform random sample of at most `most` of them."""
    generator, chosen = SystemRandom(), list[UUID]()
    for seen, match in enumerate(matches):
        if seen < most:
            chosen.append(match)
        elif (index := generator.randrange(seen + 1)) < most:
            chosen[index] = match
    return chosen


def extends_signed(store: Store, secret_store: SecretStore, match: UUID) -> bool:
    """Whether the log of a match extends every checkpoint signed of it, and has not grown after one
    that was signed as final."""
    try:
        checkpoints = [record.event for record in store.read(paired_stream(match))]
        log = Log(str(match), store.states(match), secret_store.read(match).log_key)
    except (RecordAltered, msgspec.DecodeError):
        return False
    leaves, tree = map(leaf_hash, log.leaves()), Tree()
    for checkpoint in checkpoints:
        assert isinstance(checkpoint, CheckpointSigned), "the stream has nothing else"
        tree = grown(tree, islice(leaves, max(0, checkpoint.size - tree.size)))
        whole = not checkpoint.over or checkpoint.size == len(log.states)
        if not whole or (tree.size, tree.root) != (checkpoint.size, checkpoint.root):
            return False
    return True
