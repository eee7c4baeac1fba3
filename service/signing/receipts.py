"""Receipts: each seat gets a signed receipt for each of its submissions, the organiser one for the
creation of the match."""

from uuid import UUID

from msgspec import Struct

from domain import commitments, creation_notes
from domain.commitments import NO_SALT
from domain.creation_notes import Beginning, CreationText
from domain.encoding import decode
from domain.match_events import ActionReceived, ClientSeedGiven
from domain.match_state import AnyGame, Match
from domain.receipts import text
from projections.audience_projection import OwnRows
from projections.submissions import Outcome, receipt, receipt_text
from service.event_store.checked_records import own_states
from service.event_store.closed_records import ClosedRecords
from service.event_store.secret_store import MatchSecrets, SecretStore
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.signing.seat_submissions import SeatSubmissions
from service.signing.signing_keys import ServiceSigner


class SubmissionCommitment(Struct, frozen=True):
    """The commitment to the stored bytes of a submission, the salt that opens it, and the hash of
    the match's commitment to its seed."""

    commitment: bytes
    salt: bytes
    seed_committed: bytes | None


class Acknowledged(Struct, frozen=True):
    """A recorded submission, with what its receipt needs. `seq` is its number in the sender's own
    count, `key` its idempotency key, `recorded` the time of its record if that is noticeably later
    than its receipt. Without a `commitment`, both are read from the store, where the submission has
    this `checksum`; `seed_committed` is the hash of the match's commitment to its seed."""

    seat: int
    seq: int
    key: str | None
    outcome: Outcome
    recorded: int | None = None
    commitment: SubmissionCommitment | None = None
    checksum: int = 0
    seed_committed: bytes | None = None


class Receipted(Struct, frozen=True):
    """A receipt as sent to the seat: the signed note and the opening of its commitment, which is
    the salt and, in a list, the stored bytes. The opening is None where the sender must not be able
    to prove what they sent."""

    note: str
    salt: bytes | None
    event: bytes | None = None


def withheld(game: AnyGame, match: Match) -> bool:
    """Whether receipts leave out the openings of their commitments: in games of bluff until the
    end, under a closed record always."""
    return match.created.record == "closed" if match.over else withheld_at_first(game, match)


def withheld_at_first(game: AnyGame, match: Match) -> bool:
    """The same for the response to an action, even if it is repeated after the end: a repeat has
    the first response's body."""
    return game.bluff or match.created.record == "closed"


def commit_to(
    secrets: MatchSecrets,
    position: int,
    stored: bytes,
    seed_committed: bytes | None,
    *,
    public: bool = False,
) -> SubmissionCommitment:
    """The commitments in the receipt for the submission at a position of the record."""
    salt = NO_SALT if public else commitments.salt(secrets.log_key, position - 1)
    return SubmissionCommitment(commitments.commitment(salt, stored), salt, seed_committed)


class Receipts:
    """Signs receipts. They need not be stored: with the same signing key, a submission always gets
    the same receipt."""

    def __init__(
        self,
        signer: ServiceSigner,
        store: Store,
        secret_store: SecretStore,
        closed: ClosedRecords,
    ) -> None:
        """A record found damaged is added to `closed`; the caller gets RecordAltered."""
        self._signer = signer
        self._closed = closed
        self._store = store
        self._secret_store = secret_store

    def created(self, match_id: UUID, beginning: Beginning) -> str:
        """The creation note of a match: the same at any time with the same signing key."""
        return self._signer.receipt(creation_notes.text(CreationText(str(match_id), beginning)))

    async def given(self, match_id: UUID, submission: Acknowledged, *, sealed: bool) -> Receipted:
        """The receipt for a submission just answered; without the salt if `sealed`."""
        if submission.commitment is not None:
            recorded, committed = submission.recorded, submission.commitment
        else:
            own = OwnRows([submission.outcome.position], [submission.checksum], [0])
            with self._closed.closing():
                recorded, committed = await in_store_thread(
                    self._read_again, match_id, own, submission.seed_committed
                )
        signed = receipt_text(
            str(match_id),
            submission.seat,
            submission.seq,
            submission.outcome,
            recorded,
            submission.key,
            committed.commitment,
            committed.seed_committed,
        )
        return Receipted(self._signer.receipt(text(signed)), None if sealed else committed.salt)

    async def listed(
        self,
        match_id: UUID,
        seat: int,
        own: OwnRows,
        after: int,
        limit: int,
        *,
        seed_committed: bytes | None,
        sealed: bool,
    ) -> tuple[list[Receipted], int | None]:
        """The receipts for the seat's submissions after its own number `after`, at most `limit`;
        and the `after` of the next page, if there is one. `own` is where the seat's own events are
        stored: no others are read. Raises StoreUnavailable or RecordAltered."""
        with self._closed.closing():
            return await in_store_thread(
                self._listed, match_id, seat, own, after, limit, seed_committed, sealed
            )

    def _listed(
        self,
        match_id: UUID,
        seat: int,
        own: OwnRows,
        after: int,
        limit: int,
        seed: bytes | None,
        sealed: bool,
    ) -> tuple[list[Receipted], int | None]:
        secrets = self._secret_store.read(match_id)
        submissions = SeatSubmissions(self._store, match_id, seat, own)
        found: list[Receipted] = []
        last = after
        for submission, stored in submissions.after(after):
            if len(found) == limit:
                return found, last
            last = submission.count
            public = isinstance(submission.event, ClientSeedGiven)
            committed = commit_to(secrets, submission.outcome.position, stored, seed, public=public)
            signed = self._signer.receipt(
                text(receipt(str(match_id), submission, committed.commitment, seed))
            )
            found.append(Receipted(signed, *((None, None) if sealed else (committed.salt, stored))))
        return found, None

    def _read_again(
        self, match_id: UUID, own: OwnRows, seed: bytes | None
    ) -> tuple[int | None, SubmissionCommitment]:
        """When an earlier submission was recorded, and its commitment. Blocks."""
        (stored,), (position,) = own_states(self._store, match_id, own), own.positions
        event = decode(stored).event
        assert isinstance(event, ActionReceived), "only actions have idempotency keys"
        recorded = event.recorded if isinstance(event.recorded, int) else None
        return recorded, commit_to(self._secret_store.read(match_id), position, stored, seed)
