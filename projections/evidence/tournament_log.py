"""The log of a tournament, and the receipts of its players."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from domain.events import PUBLIC, Event, Record
from domain.proof.commitments import NO_SALT, commitment, hash_of_leaf
from domain.proof.receipts import ACCEPTED, Binding, ReceiptText, Receiver
from domain.proof.receipts import text as receipt_text
from domain.proof.seen import begun, nonce_of, seen, seen_key, told
from domain.proof.subjects import Subject
from domain.tournament.events import MatchSettled, PlayerEntered
from domain.tournament.lots import GAME, RULES_VERSION
from domain.tournament.show_events import OpponentChosen, PlayerEliminated
from domain.tournament.stage_events import LotsCommitted, TournamentClosed
from projections.audience.disclosure import MODERATOR, may_see, named
from projections.evidence.bundle import Log
from projections.texts.timestamps import rfc3339


class TournamentLog(Log):
    """The log of a tournament up to the last input from which something public follows. What only
    some may see stands in it as soon as something public comes after it: the length of a log that
    everyone may read must not say when it happened."""

    def __init__(self, tournament: str, states: Sequence[bytes], key: bytes) -> None:
        super().__init__(Subject("tournament", tournament), states, key)
        end = public_end(self.records)
        self.states, self.records = self.states[:end], self.records[:end]

    @property
    def rules(self) -> tuple[str, int]:
        """Those of tournaments."""
        return GAME, RULES_VERSION

    @property
    def over(self) -> bool:
        """Whether it is closed."""
        return any(isinstance(record.event, TournamentClosed) for record in self.records)

    @property
    def complete(self) -> bool:
        """Never: a result may be corrected after the close."""
        return False

    @property
    def settled(self) -> Iterator[str]:
        """The matches that have been settled, in order."""
        return settled_in(self.records)

    def receipts(self, receiver: Receiver | None = None) -> Iterator[str]:
        """As of any log; the receivers are players."""
        for one in self.inputs(receiver):
            yield self.receipt(one)

    def inputs(self, receiver: Receiver | None = None) -> Sequence["PlayerInput"]:
        """What became of players, or of one of them, at their own request or at that of others."""
        stored = zip(self.records, self.states, map(hash_of_leaf, self.leaves()), strict=True)
        return player_inputs(self.subject.id, stored, receiver)

    def receipt(self, one: "PlayerInput") -> str:
        """The text of the receipt for it."""
        return receipt_text(one.receipt(self.subject, self._binding(one)))

    def _binding(self, one: "PlayerInput") -> Binding:
        nonce = nonce_of(self.key, one.index)
        blinded = seen(seen_key(self.key), nonce, one.chain)
        return Binding(one.commitment, one.seed_committed, nonce, blinded)


class PlayerInput(Struct, frozen=True):
    """A public event that names a player and stands right behind the request for it. `count` is its
    number among the events that the player may see, `chain` binds all these up to the end of its
    batch, `seed_committed` is the hash of the last commitment to lots by then."""

    index: int
    at: int
    player: int
    count: int
    commitment: bytes
    chain: bytes
    seed_committed: bytes | None

    def receipt(self, subject: Subject, binding: Binding) -> ReceiptText:
        """What is signed about it."""
        at = rfc3339(self.at)
        return ReceiptText(
            subject=subject,
            seat=self.player,
            count=self.count,
            phase=None,
            received=at,
            recorded=at,
            status=ACCEPTED,
            key=None,
            binding=binding,
        )


Stored = tuple[Record[Event] | None, bytes, bytes]
"""A record, None if it is sealed, its stored bytes, and the hash of its leaf."""


class _Audiences:
    """What each of some players has been told: the chain of it, and of how many events."""

    def __init__(self, tournament: str, players: Iterable[int]) -> None:
        self.chains = {player: begun(tournament, named(player)) for player in players}
        self.counts = dict.fromkeys(self.chains, 0)

    def tell(self, event: Event, hashed: bytes) -> None:
        """Adds an event, the leaf of which has this hash."""
        for player, chain in self.chains.items():
            if may_see(player, event):
                self.chains[player] = told(chain, hashed)
                self.counts[player] += 1


def player_of(index: int, record: Record[Event]) -> int | None:
    """The player who has a receipt for the event at an index; None if nobody has. The players with
    whom a tournament is created stand behind its creation, and have none; nor has a player who is
    eliminated, which no one asks for. That for a choice has the candidate who chose."""
    event = record.event
    if record.back != 1 or index < 2 or event.audience != PUBLIC:
        return None
    player = getattr(event, "player", None)
    if isinstance(event, OpponentChosen | PlayerEliminated):
        player = event.candidate if isinstance(event, OpponentChosen) else None
    return player if isinstance(player, int) else None


def player_inputs(
    tournament: str, stored: Iterable[Stored], receiver: Receiver | None = None
) -> list[PlayerInput]:
    """Every event with a receipt, or with one for this receiver, among these, which are all of the
    log in order."""
    every = [
        (index, record, state, hashed)
        for index, (record, state, hashed) in enumerate(stored)
        if record is not None
    ]
    receivers = (
        {receiver} if isinstance(receiver, int) else _named(record for _, record, *_ in every)
    )
    audiences, seed = _Audiences(tournament, receivers), None
    found: list[PlayerInput] = []
    for _, batch in groupby(every, lambda one: one[0] - one[1].back):
        made: PlayerInput | None = None
        for index, record, state, hashed in batch:
            audiences.tell(record.event, hashed)
            if isinstance(record.event, LotsCommitted):
                seed = sha256(state).digest()
            player = player_of(index, record)
            if player in audiences.counts:
                bound = audiences.counts[player], commitment(NO_SALT, state), b"", None
                made = PlayerInput(index, record.at, player, *bound)
        if made is not None:
            chain = audiences.chains[made.player]
            found.append(replace(made, chain=chain, seed_committed=seed))
    return found


def _named(records: Iterable[Record[Event]]) -> set[int]:
    """The players of a tournament."""
    return {one.event.player for one in records if isinstance(one.event, PlayerEntered)}


def public_end(records: Sequence[Record[Event]]) -> int:
    """How many events there are up to the end of the last batch with a public one."""
    end, public = 0, False
    for index, record in enumerate(records):
        if record.back == 0:
            end = index if public else end
            public = False
        public = public or record.event.audience == PUBLIC
    return len(records) if public else end


def settled_in(records: Iterable[Record[Event] | None]) -> Iterator[str]:
    """The matches that have been settled, in order."""
    for record in records:
        if record is not None and isinstance(record.event, MatchSettled):
            yield record.event.match


ORGANISERS = MODERATOR
"""The audience that may see all of a tournament."""
