"""Receipts: what every seat is given, signed, for each of its submissions."""

from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain.encoding import decode
from domain.match_events import ActionReceived, ClientSeedGiven
from domain.match_state import AnyGame, Match
from domain.receipts import Receipt, status, text
from projections.evidence.bundle import Log
from projections.instants import rfc3339
from service.door.dealer import Dealer
from service.door.judging import commit_to
from service.door.pending import Answer, Verdict
from service.proof.signing import Signing
from service.storage.reading import from_store
from service.storage.store import Store


class Receipted(Struct, frozen=True):
    """A receipt as it is handed out: the signed note, and what opens its commitment: the salt and,
    in a list, the stored bytes. None where the sender must not be able to prove what he sent."""

    note: str
    salt: bytes | None
    event: bytes | None = None


def withheld(game: AnyGame, match: Match) -> bool:
    """Whether what opens commitments stays with the service, for now or for ever: in games of bluff
    until the end, under a closed record always."""
    over = match.status in ("ended", "void")
    return match.created.record == "closed" if over else withheld_at_first(game, match)


def withheld_at_first(game: AnyGame, match: Match) -> bool:
    """The same in the answer to an action, also when that is repeated after the end: a repeat has
    the first answer's body."""
    return game.bluff or match.created.record == "closed"


class Receipts:
    """Signs receipts. The same submission has the same receipt whenever it is asked for, as long as
    the key is the same: nothing of it has to be kept."""

    def __init__(self, signing: Signing, store: Store, dealer: Dealer) -> None:
        self._signing = signing
        self._store = store
        self._dealer = dealer

    async def given(
        self, match_id: UUID, answer: Answer, seat: int, key: str | None, *, sealed: bool
    ) -> Receipted:
        """The receipt for what has just been answered; `sealed`: without the salt."""
        verdict = answer.verdict
        if verdict.committed is None:
            verdict = await from_store(self._read_again, match_id, verdict)
        assert verdict.committed is not None
        received = rfc3339(verdict.at)
        receipt = Receipt(
            str(match_id),
            seat,
            answer.seq,
            verdict.phase,
            received,
            received if verdict.recorded is None else rfc3339(verdict.recorded),
            status(verdict.code, refused=verdict.refused),
            key,
            verdict.committed.commitment,
        )
        note = self._signing.receipt(text(receipt))
        return Receipted(note, None if sealed else verdict.committed.salt)

    async def listed(
        self, match_id: UUID, seat: int, after: int, limit: int, *, sealed: bool
    ) -> tuple[list[Receipted], int | None]:
        """The receipts for the seat's submissions behind its own number `after`; and the `after` of
        those that follow, if any. Raises StoreUnavailable."""
        return await from_store(self._listed, match_id, seat, after, limit, sealed)

    def _listed(
        self, match_id: UUID, seat: int, after: int, limit: int, sealed: bool
    ) -> tuple[list[Receipted], int | None]:
        hidden = self._dealer.hidden(match_id)
        log = Log(str(match_id), self._store.states(match_id), hidden.log_key)
        found: list[Receipted] = []
        last = 0
        for made in log.submissions(seat):
            if made.count <= after:
                continue
            if len(found) == limit:
                return found, last
            note, last = self._signing.receipt(log.receipt(made)), made.count
            stored = log.states[made.index]
            public = isinstance(made.event, ClientSeedGiven)
            committed = commit_to(hidden, made.index + 1, stored, public=public)
            opens = (None, None) if sealed else (committed.salt, stored)
            found.append(Receipted(note, *opens))
        return found, None

    def _read_again(self, match_id: UUID, verdict: Verdict) -> Verdict:
        """The verdict with what was recorded of a submission that came before."""
        (stored,) = self._store.states(match_id, verdict.position - 1, verdict.position)
        event = decode(stored).event
        assert isinstance(event, ActionReceived)
        recorded = event.recorded if isinstance(event.recorded, int) else None
        committed = commit_to(self._dealer.hidden(match_id), verdict.position, stored)
        return replace(verdict, recorded=recorded, committed=committed)
