"""The rows of a record in which names are withheld."""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from zlib import crc32

from msgspec.structs import replace

from domain.encoding import decode_all
from domain.events import PUBLIC, Event
from domain.match.events import NameSalted, SeatNamed
from domain.proof.commitments import commitment_in, hash_of_leaf, leaf_of
from domain.proof.withholding import Withheld, withheld, withholding, without_name


def rows_without(
    subject: str, states: Sequence[bytes], key: bytes, names: Collection[str], placeholder: str
) -> Mapping[int, bytes]:
    """What is to be stored, by its index, of a match or a tournament with these rows and the `key`
    of its log, so that none of the names is in it, but `placeholder`. The salt of a name goes with
    it."""
    records = decode_all(states)
    first: dict[int, str] = {}
    for record in records:
        if isinstance(record.event, SeatNamed):
            first.setdefault(record.event.seat, record.event.name)
    salted = {seat for seat, name in first.items() if name in names}
    rows: dict[int, bytes] = {}
    for index, (record, state) in enumerate(zip(records, states, strict=True)):
        event = _without(record.event, names, placeholder, salted)
        if event is record.event or withheld(state) is not None:
            continue
        proof = (
            hash_of_leaf(leaf_of(subject, index, record, state, key))
            if event.audience == PUBLIC
            else commitment_in(state, index, key)
        )
        row = Withheld(sha256(state).digest(), proof, crc32(state))
        rows[index] = withholding(replace(record, event=event), row)
    return rows


def _without(
    event: Event, names: Collection[str], placeholder: str, salted: Collection[int]
) -> Event:
    if isinstance(event, NameSalted) and event.seat in salted:
        return replace(event, salt=b"")
    return without_name(event, names, placeholder)
