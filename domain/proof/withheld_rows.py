"""The rows of a record in which names are withheld."""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from zlib import crc32

from msgspec.structs import replace

from domain.encoding import decode_all
from domain.events import PUBLIC, Event
from domain.match.events import NameSalted, SeatNamed
from domain.proof.commitments import committed_to, hash_of_leaf, leaf_of
from domain.proof.withholding import Withheld, withheld, withholding, without_name


def rows_without(
    subject: str, states: Sequence[bytes], key: bytes, names: Collection[str], shown: str
) -> Mapping[int, bytes]:
    """What is to be stored, by its index, of a match or a tournament with these rows and the `key`
    of its log, so that none of the names is in it, but `shown`. The salt of a name goes with it."""
    records = decode_all(states)
    first: dict[int, str] = {}
    for record in records:
        if isinstance(record.event, SeatNamed):
            first.setdefault(record.event.seat, record.event.name)
    salted = {seat for seat, name in first.items() if name in names}
    found: dict[int, bytes] = {}
    for index, (record, stored) in enumerate(zip(records, states, strict=True)):
        event = _without(record.event, names, shown, salted)
        if event is record.event or withheld(stored) is not None:
            continue
        proof = (
            hash_of_leaf(leaf_of(subject, index, record, stored, key))
            if event.audience == PUBLIC
            else committed_to(stored, index, key)
        )
        kept = Withheld(sha256(stored).digest(), proof, crc32(stored))
        found[index] = withholding(replace(record, event=event), kept)
    return found


def _without(event: Event, names: Collection[str], shown: str, salted: Collection[int]) -> Event:
    if isinstance(event, NameSalted) and event.seat in salted:
        return replace(event, salt=b"")
    return without_name(event, names, shown)
