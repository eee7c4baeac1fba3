"""What the receivers of receipts have been told of a match, from its stored records."""

from collections.abc import Sequence

from domain.commitments import commitment, private_leaf, public_leaf, salt
from domain.events import PUBLIC, Event, Record
from domain.match_events import MatchCreated
from domain.merkle import leaf_hash
from domain.receipts import DIRECTOR
from projections.seen import SeenChains

Records = Sequence[Record[Event]]


def begun_chains(match: str, created: MatchCreated) -> SeenChains:
    """The chains of a match of which nobody has been told anything."""
    return SeenChains(match, (DIRECTOR, *range(created.seats)))


def chains_of(
    match: str, log_key: bytes, created: MatchCreated, records: Records, states: Sequence[bytes]
) -> SeenChains:
    """The chains after all these records, which begin the match."""
    chains = begun_chains(match, created)
    tell(chains, match, log_key, records, states, 0)
    return chains


def tell(
    chains: SeenChains,
    match: str,
    log_key: bytes,
    records: Records,
    states: Sequence[bytes],
    length: int,
) -> None:
    """Adds the records that follow the first `length` of the match, whole batches."""
    for index, (record, stored) in enumerate(zip(records, states, strict=True), length):
        public = record.event.audience == PUBLIC
        committed = None if public else commitment(salt(log_key, index), stored)
        leaf = (
            public_leaf(match, index, record.at, stored)
            if committed is None
            else private_leaf(match, index, committed)
        )
        chains.add(index, record, stored, leaf_hash(leaf), committed)
    chains.conclude()
