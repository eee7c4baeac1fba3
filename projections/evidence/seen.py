"""What the receivers of receipts have been told, in one fold of the record: the chain of each over
the leaves of its events, and for every input with a receipt what that receipt binds.

The bundle, the verifier and every match in memory keep it: of an input the chain right after its
last consequence, so that its receipt is the same at any time and costs nothing to look up.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import ClassVar, NamedTuple

from msgspec import Struct

from domain.events import PUBLIC, Event, Record, only_seat
from domain.match.events import (
    ActionReceived,
    ClientSeedGiven,
    Directed,
    DrawRefused,
    SeedCommitted,
)
from domain.people import Actor
from domain.proof.commitments import NO_SALT, commitment, salt
from domain.proof.receipts import ACCEPTED, DIRECTOR, Binding, ReceiptText, Receiver, status
from domain.proof.seen import begun, nonce_of, seen, seen_key, told
from domain.proof.subjects import of_match
from domain.rulings.events import RulingOrdered, RulingProposed, RulingWithdrawn
from projections.audience.disclosure import named
from projections.texts.timestamps import rfc3339

SUBMITTED = (ActionReceived, ClientSeedGiven)
_NAMES_RULING = (RulingOrdered, RulingProposed, RulingWithdrawn)
_TELLING = frozenset({Directed, RulingOrdered, SeedCommitted})
"""The consequences that say more of their input, or of what a receipt for it binds."""


def is_input(record: Record[Event]) -> bool:
    """Whether the event begins a batch."""
    return record.back == 0 or type(record.event) in SUBMITTED


class ReceiptBinding(NamedTuple):
    """What a receipt binds, before it is blinded: the commitment to the input, which may be public,
    the chain of the receiver, and the hash of the last commitment to a seed."""

    commitment: bytes
    chain: bytes
    seed_committed: bytes | None
    public: bool


class Bound(NamedTuple):
    """What a receipt binds, and the salt that opens its commitment."""

    binding: Binding
    salt: bytes


class Order(Struct, frozen=True):
    """An input of a moderator or an organiser, with who gave it right after it. `count` is its
    number in the public's count, or theirs by then; `ruling` is there if it is a ruling."""

    index: int
    at: int
    count: int
    status: str
    person: str
    ruling: str | None

    receiver: ClassVar = DIRECTOR

    def receipt(self, match: str, binding: Binding) -> ReceiptText:
        """What is signed about it."""
        at = rfc3339(self.at)
        return ReceiptText(
            subject=of_match(match),
            seat=DIRECTOR,
            count=self.count,
            phase=None,
            received=at,
            recorded=at,
            status=self.status,
            key=None,
            binding=binding,
            ruling=self.ruling,
        )


class _Batch(Struct):
    """An input and what is known of it so far; without a `receiver` it has no receipt, and without
    `stored` bytes it cannot be read. `committed` is None of a public one."""

    cause: int
    at: int = 0
    count: int = 0
    stored: bytes | None = None
    committed: bytes | None = None
    status: str = ACCEPTED
    receiver: Receiver | None = None
    person: str = ""
    ruling: str | None = None


class SeenChains:
    """The chains of some receivers of a match. `seen` has what the receipts of its submissions and
    orders bind, by their indices, `orders` those of each person."""

    __slots__ = ("_batch", "_chains", "_count", "_seed", "orders", "seen")

    def __init__(self, match: str, receivers: Iterable[Receiver]) -> None:
        self._chains = {receiver: begun(match, named(receiver)) for receiver in receivers}
        self._batch = _Batch(0)
        self._seed: bytes | None = None
        self._count = 0
        self.seen: dict[int, ReceiptBinding] = {}
        self.orders: dict[str, list[Order]] = {}

    def add(
        self,
        index: int,
        record: Record[Event],
        stored: bytes,
        hashed: bytes,
        committed: bytes | None,
    ) -> None:
        """Adds the next event that can be read: its stored bytes, the hash of its leaf, and the
        commitment in that, None in a public one."""
        begins = is_input(record)
        cause = index if begins else index - record.back
        if cause != self._batch.cause:
            self.conclude()
            self._batch = _Batch(cause)
        self._tell(record.event, hashed)
        if begins:
            self._input(record, stored, committed)
        elif type(record.event) in _TELLING:
            self._consequence(record, stored)

    def bound(self, log_key: bytes, index: int) -> Bound | None:
        """What the receipt for the input at `index` binds, by the secret of the match; None if it
        has no receipt."""
        found = self.seen.get(index)
        if found is None:
            return None
        nonce = nonce_of(log_key, index)
        blinded = seen(seen_key(log_key), nonce, found.chain)
        binding = Binding(found.commitment, found.seed_committed, nonce, blinded)
        return Bound(binding, NO_SALT if found.public else salt(log_key, index))

    def conclude(self) -> None:
        """Ends the batch of the last input: all that follows from it has been added."""
        batch = self._batch
        if batch.receiver is None or batch.stored is None:
            return
        if batch.receiver in self._chains:
            chain, public = self._chains[batch.receiver], batch.committed is None
            committed = batch.committed or commitment(NO_SALT, batch.stored)
            self.seen[batch.cause] = ReceiptBinding(committed, chain, self._seed, public)
        if batch.receiver == DIRECTOR:
            order = Order(
                batch.cause, batch.at, batch.count, batch.status, batch.person, batch.ruling
            )
            self.orders.setdefault(order.person, []).append(order)
        batch.receiver = None

    def _tell(self, event: Event, hashed: bytes) -> None:
        chains, seat = self._chains, only_seat(event)
        if event.audience == PUBLIC:
            self._count += 1
            for receiver, chain in chains.items():
                chains[receiver] = told(chain, hashed)
            return
        if seat in chains:
            chains[seat] = told(chains[seat], hashed)
        if DIRECTOR in chains:
            chains[DIRECTOR] = told(chains[DIRECTOR], hashed)

    def _input(self, record: Record[Event], stored: bytes, committed: bytes | None) -> None:
        event, batch = record.event, self._batch
        batch.at, batch.count = record.at, self._count
        batch.stored, batch.committed = stored, committed
        if isinstance(event, SUBMITTED):
            batch.receiver = event.seat
        elif isinstance(event, DrawRefused):
            batch.status = status(event.code, refused=True)
        elif isinstance(event, _NAMES_RULING):
            batch.ruling = event.id
        elif isinstance(event, SeedCommitted):
            self._seed = sha256(stored).digest()

    def _consequence(self, record: Record[Event], stored: bytes) -> None:
        event, batch = record.event, self._batch
        begun_here = batch.stored is not None and batch.receiver is None
        if isinstance(event, Directed) and record.back == 1 and begun_here:
            batch.receiver, batch.person = DIRECTOR, Actor(event.by, event.key_id).person
        elif isinstance(event, RulingOrdered):
            batch.ruling = event.id
        elif isinstance(event, SeedCommitted):
            self._seed = sha256(stored).digest()
