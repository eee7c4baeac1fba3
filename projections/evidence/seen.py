"""The inputs with receipts, and what their receivers have been told, in one fold of the record: the
chain of each receiver over the leaves of their events, and for every input what its receipt says.

The bundle, the verifier and every match in memory keep it: of an input the chain right after its
last consequence, so that its receipt is the same at any time and costs nothing to look up.
"""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from msgspec import UNSET, Struct

from domain.events import PUBLIC, Event, Record, only_seat
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    ClientSeedGiven,
    Directed,
    DrawRefused,
    SeedCommitted,
)
from domain.people import Actor
from domain.proof.commitments import NO_SALT, commitment, salt
from domain.proof.receipts import ACCEPTED, DIRECTOR, Binding, ReceiptText, Receiver, status
from domain.proof.seen import begin_chain, chain_proof, extend_chain, nonce_of, seen_key
from domain.proof.subjects import Subject
from domain.rulings.events import RulingOrdered, RulingProposed, RulingWithdrawn
from domain.tournament.stage_events import LotsCommitted, OpponentChosen, PlayerEliminated
from projections.audience.disclosure import name_audience
from projections.audience.submissions import turned_down
from projections.fields import rfc3339

SUBMITTED = (ActionReceived, ClientSeedGiven)
COMMITTED = (SeedCommitted, LotsCommitted)
_NAMES_RULING = (RulingOrdered, RulingProposed, RulingWithdrawn)


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


class NotedInput(Struct):
    """An input with a receipt, which is for the `receiver`: what a seat has submitted, what a
    `person` has ordered as a moderator or an organiser, perhaps a `ruling`, or what became of a
    player of a tournament.

    `count` is its number among the events of its receiver, of an order in the public's count, or
    theirs by then; `key` is the idempotency key. Times are in microseconds; `recorded` is there if
    that was noticeably later than it was received, at `at`. `bound` is None where it is not known
    what the receiver had been told.
    """

    index: int
    at: int
    receiver: Receiver
    count: int
    phase: str | None = None
    recorded: int | None = None
    status: str = ACCEPTED
    key: str | None = None
    person: str = ""
    ruling: str | None = None
    bound: ReceiptBinding | None = None

    def acknowledged(self, log_key: bytes) -> "Acknowledged":
        """What its receipt says and binds, by the secret of the log."""
        assert self.bound is not None, "its receiver is one of those whose chains were made"
        proof, chain, seed, public = self.bound
        nonce = nonce_of(log_key, self.index)
        binding = Binding(proof, seed, nonce, chain_proof(seen_key(log_key), nonce, chain))
        return Acknowledged(self, binding, NO_SALT if public else salt(log_key, self.index))

    def receipt(self, subject: Subject, binding: Binding) -> ReceiptText:
        """What is signed about it."""
        return ReceiptText(
            subject=subject,
            seat=self.receiver,
            count=self.count,
            phase=self.phase,
            received=rfc3339(self.at),
            recorded=rfc3339(self.at if self.recorded is None else self.recorded),
            status=self.status,
            key=self.key,
            binding=binding,
            ruling=self.ruling,
        )


class Acknowledged(NamedTuple):
    """An input with what its receipt binds, and the salt that opens its commitment."""

    noted: NotedInput
    binding: Binding
    salt: bytes

    def receipt(self, subject: Subject) -> ReceiptText:
        """What is signed about it."""
        return self.noted.receipt(subject, self.binding)


class _Batch(Struct):
    """A batch as far as it has been read: its first event, if that can be read, and the number of
    public events by then; and the input with a receipt, if there is one, with its stored bytes and
    the commitment in its leaf, None of a public one."""

    cause: int
    begun: Record[Event] | None = None
    public: int = 0
    noted: NotedInput | None = None
    stored: bytes = b""
    committed: bytes | None = None


class SeenChains:
    """The chains of some receivers of a match or a tournament. `noted` has the inputs with
    receipts, by the seat, the player or the person to whom they belong, in the order of the log."""

    __slots__ = ("_batch", "_chains", "_own", "_phase", "_public", "_seed", "_subject", "noted")

    def __init__(self, subject: Subject, receivers: Iterable[Receiver]) -> None:
        self._subject = subject
        self._chains = {
            receiver: begin_chain(subject.id, name_audience(receiver)) for receiver in receivers
        }
        self._batch = _Batch(0)
        self._seed: bytes | None = None
        self._phase: str | None = None
        self._public = 0
        self._own = Counter[int]()
        self.noted: dict[int | str, list[NotedInput]] = {}

    @property
    def inputs(self) -> list[NotedInput]:
        """All inputs with receipts, in the order of the log."""
        return sorted(chain.from_iterable(self.noted.values()), key=attrgetter("index"))

    def add(
        self, index: int, record: Record[Event], state: bytes, leaf_hash: bytes, proof: bytes | None
    ) -> None:
        """Adds the next event that can be read: its stored bytes, the hash of its leaf, and the
        commitment in that, None in a public one."""
        begins, event = is_input(record), record.event
        cause = index if begins else index - record.back
        if cause != self._batch.cause:
            self.conclude()
            self._batch = _Batch(cause)
        self._see(event, leaf_hash)
        batch = self._batch
        if begins:
            batch.begun, batch.public = record, self._public
            batch.stored, batch.committed = state, proof
            batch.noted = self._note_submission(index, record)
        elif record.back == 1:
            self._follow(index, record, state)
        elif isinstance(event, RulingOrdered) and batch.noted is not None:
            batch.noted.ruling = event.id
        if isinstance(event, COMMITTED):
            self._seed = sha256(state).digest()
        elif isinstance(event, AwaitingChanged):
            self._phase = event.phase

    def conclude(self) -> None:
        """Ends the batch of the last input: all that follows from it has been added."""
        batch, noted = self._batch, self._batch.noted
        if noted is None:
            return
        if noted.receiver in self._chains:
            proof = batch.committed or commitment(NO_SALT, batch.stored)
            told_by_then, public = self._chains[noted.receiver], batch.committed is None
            noted.bound = ReceiptBinding(proof, told_by_then, self._seed, public)
        owner = noted.person if noted.receiver == DIRECTOR else noted.receiver
        self.noted.setdefault(owner, []).append(noted)
        batch.noted = None

    def _see(self, event: Event, leaf_hash: bytes) -> None:
        chains, seat = self._chains, only_seat(event)
        if event.audience == PUBLIC:
            self._public += 1
            for receiver, so_far in chains.items():
                chains[receiver] = extend_chain(so_far, leaf_hash)
            return
        if seat is not None:
            self._own[seat] += 1
        for sees in (seat, DIRECTOR):
            if sees is not None and sees in chains:
                chains[sees] = extend_chain(chains[sees], leaf_hash)

    def _note_submission(self, index: int, record: Record[Event]) -> NotedInput | None:
        """What a seat has submitted by this event, if it has."""
        event = record.event
        if not isinstance(event, SUBMITTED):
            return None
        noted = NotedInput(index, record.at, event.seat, self._public + self._own[event.seat])
        if isinstance(event, ActionReceived):
            noted.phase, noted.key = self._phase, event.key
            noted.recorded = event.recorded if isinstance(event.recorded, int) else None
        return noted

    def _follow(self, index: int, record: Record[Event], state: bytes) -> None:
        """Adds the event right behind an input: it says who gave that, or what became of it. In a
        tournament it may be itself what became of a player."""
        batch, event = self._batch, record.event
        first = None if batch.begun is None else batch.begun.event
        if self._subject.kind == "tournament":
            player = player_of(index, event)
            if player is not None:
                count = self._public + self._own[player]
                batch.noted = NotedInput(index, record.at, player, count)
                batch.stored, batch.committed = state, None
        elif isinstance(event, Directed) and event.giver is not UNSET:
            # What a seat asks for has no receipt: all seats are told of it.
            return
        elif isinstance(event, Directed) and batch.begun is not None and batch.noted is None:
            batch.noted = noted = NotedInput(batch.cause, batch.begun.at, DIRECTOR, batch.public)
            noted.person = Actor.of(event).person
            if isinstance(first, DrawRefused):
                noted.status = status(first.code, is_refusal=True)
            elif isinstance(first, _NAMES_RULING):
                noted.ruling = first.id
        elif isinstance(first, ActionReceived) and batch.noted is not None:
            code, is_refusal = turned_down([event])
            batch.noted.status = status(code, is_refusal=is_refusal)


def player_of(index: int, event: Event) -> int | None:
    """The player of a tournament who has a receipt for the event at an index, right behind its
    input; None if nobody has. The players with whom a tournament is created stand behind its
    creation, and have none; nor has a player who is eliminated, which no one asks for. That for a
    choice has the candidate who chose."""
    if index < 2 or event.audience != PUBLIC:
        return None
    player = getattr(event, "player", None)
    if isinstance(event, OpponentChosen | PlayerEliminated):
        player = event.candidate if isinstance(event, OpponentChosen) else None
    return player if isinstance(player, int) else None
