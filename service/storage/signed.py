"""Whether the logs in a store still extend everything that was signed of them."""

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
from service.door.dealer import Dealer
from service.storage.store import Store, beside

PAGE = 1_000

SAMPLE = 100
"""So many logs are looked at where not all of them are."""

MOST_NAMED = 10


class Altered(PersistenceError):
    """Logs are not those of which something was signed."""

    def __init__(self, matches: list[UUID]) -> None:
        named = ", ".join(map(str, matches[:MOST_NAMED]))
        more = f" and {len(matches) - MOST_NAMED} more" if len(matches) > MOST_NAMED else ""
        super().__init__(f"checkpoints were signed of other logs than these: {named}{more}")


def check_signed(store: Store, *, every: bool, looked: Callable[[], None] | None = None) -> int:
    """Looks at some logs, or at every one, of which anything was signed; how many those were.
    `looked` is called after each.

    Raises Altered if one of them is another than it was.
    """
    dealer, altered, count = Dealer(store.secrets), [], 0
    for match in signed(store) if every else sampled(signed(store), SAMPLE):
        if not stands(store, dealer, match):
            altered.append(match)
        count += 1
        if looked is not None:
            looked()
    if altered:
        raise Altered(altered)
    return count


def signed(store: Store) -> Iterator[UUID]:
    """Every match of whose log something was signed, once."""
    topics = [stored_name(CheckpointSigned)]
    position = 0
    while page := store.recorder.select_notifications(
        position, PAGE, None, topics, inclusive_of_start=False
    ):
        for stored in page:
            if stored.originator_version == 1:
                yield beside(UUID(str(stored.originator_id)))
        position = page[-1].id


def sampled(matches: Iterable[UUID], most: int) -> list[UUID]:
    """At most so many of them, each as likely as any other."""
    luck, chosen = SystemRandom(), list[UUID]()
    for seen, match in enumerate(matches):
        if seen < most:
            chosen.append(match)
        elif (place := luck.randrange(seen + 1)) < most:
            chosen[place] = match
    return chosen


def stands(store: Store, dealer: Dealer, match: UUID) -> bool:
    """Whether the log of a match begins with every one of which a checkpoint was signed, and has
    not grown behind one that was signed as its whole."""
    try:
        told = [record.event for record in store.read(beside(match))]
        log = Log(str(match), store.states(match), dealer.hidden(match).log_key)
    except (LookupError, msgspec.DecodeError):
        return False
    leaves, tree = map(leaf_hash, log.leaves()), Tree()
    for said in told:
        assert isinstance(said, CheckpointSigned)
        tree = grown(tree, islice(leaves, max(0, said.size - tree.size)))
        whole = not said.over or said.size == len(log.states)
        if not whole or (tree.size, tree.root) != (said.size, said.root):
            return False
    return True
