"""Invitations: links with which a seat's holder gets a key that the organiser never sees.

The invitations of a match are a stream of their own beside its keys. Accepting one and issuing its
key is a single transaction, so of two who accept at once one gets a key. The match's record says
that the key was issued before anybody is shown it; after a crash in between the leader completes
the record, as for every key.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec.structs import replace

from domain.commands import Conflict
from domain.deadlines import SECOND
from domain.events import later
from domain.match_state import Match
from domain.people import Actor
from domain.seat_holders import holders, tenure
from domain.tournament_state import Request
from service.application.idempotency import IdempotencyStore, RecordRequest, stream_of
from service.application.match_keys import MatchKeys
from service.application.match_sessions import MatchSessions
from service.auth.invitation_events import (
    Invitation,
    InvitationAccepted,
    InvitationEvent,
    InvitationMade,
    InvitationRevoked,
    UnknownInvitation,
    decoded,
    folded,
)
from service.auth.key_events import WantedKey, new_id, stored
from service.auth.key_form import SALT_BYTES, hashed
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.store_threads import in_store_thread

SCOPE = "invitations"

Recorded = tuple[InvitationEvent, Sequence[StoredEvent]]
"""An event, and the rows of other streams that are recorded with it."""

Decide = Callable[[dict[str, Invitation]], Recorded | None]
"""What is to be recorded after the invitations so far; None for nothing."""


class NewInvitation(NamedTuple):
    """An invitation that was made. Its token is shown once: None for a repeated request."""

    made: InvitationMade
    token: str | None


class GivenKey(NamedTuple):
    """The key to a seat that was given for an invitation; `repeated` if it had been given before,
    to the same request."""

    seat: int
    name: str
    key: str
    repeated: bool


class Invitations:
    """Makes, lists, revokes and accepts the invitations to the matches of one store."""

    def __init__(
        self,
        recorder: AggregateRecorder,
        keyring: Keyring,
        clock: Clock,
        idempotency: IdempotencyStore,
        sessions: MatchSessions,
        match_keys: MatchKeys,
    ) -> None:
        self._recorder = recorder
        self._keyring = keyring
        self._clock = clock
        self._idempotency = idempotency
        self._sessions = sessions
        self._match_keys = match_keys

    async def make(
        self, match_id: UUID, seat: int, seconds: int, by: Actor, request: Request | None = None
    ) -> NewInvitation:
        """Makes an invitation for whoever holds the seat now, valid for this many seconds; once per
        request.

        Raises UnknownMatch, Refused (`idempotency_key_reused`), RequestInFlight and
        StoreUnavailable.
        """
        match = await self._match(match_id)

        async def find_existing(chosen: UUID) -> NewInvitation | None:
            found = (await in_store_thread(self._read, match_id)).get(_id(chosen))
            return None if found is None else NewInvitation(found.made, None)

        async def create(chosen: UUID, record_request: RecordRequest) -> NewInvitation:
            await record_request()
            now, token = self._clock.now(), secrets.token_urlsafe(32)
            made = InvitationMade(
                at=now,
                id=_id(chosen),
                hash=hashed(token),
                seat=seat,
                name=holders(match)[seat],
                tenure=tenure(match, seat),
                by=by,
                expires=later(now, seconds * SECOND),
            )
            await in_store_thread(self._record, match_id, partial(_unless_made, match_id, made))
            found = (await in_store_thread(self._read, match_id))[made.id]
            # Another instance may have made it for the same request at the same moment.
            return NewInvitation(found.made, token if found.made == made else None)

        chosen = UUID(int=int(new_id(), 16))
        return await self._idempotency.once(request, chosen, find_existing, create)

    async def listed(self, match_id: UUID) -> list[Invitation]:
        """All invitations to a match, in the order in which they were made. Raises UnknownMatch and
        StoreUnavailable."""
        await self._match(match_id)
        return list((await in_store_thread(self._read, match_id)).values())

    async def revoke(self, match_id: UUID, invitation_id: str, by: Actor) -> None:
        """Takes back an invitation; does nothing to one that nobody can accept any more.

        Raises UnknownMatch, UnknownInvitation, Conflict (`invitation_accepted`) and
        StoreUnavailable.
        """
        await self._match(match_id)
        revoked = InvitationRevoked(self._clock.now(), invitation_id, by)
        await in_store_thread(self._record, match_id, partial(_revocation, revoked))

    async def accept(self, match_id: UUID, token: str, idempotency_key: str) -> GivenKey:
        """Gives the key of the seat to whoever has the token of its invitation: once, and for ten
        minutes again to the same idempotency key.

        Raises UnknownMatch, UnknownInvitation, Conflict (`invitation_accepted`,
        `invitation_expired`, `invitation_revoked`, `seat_replaced`), RecordAltered and
        StoreUnavailable.
        """
        match = await self._match(match_id)
        chosen = await in_store_thread(self._with_token, match_id, token)
        decide = partial(self._acceptance, match_id, match, chosen, token, idempotency_key)
        accepts_now = await in_store_thread(self._record, match_id, decide)
        await self._match_keys.complete(match_id)
        accepted = (await in_store_thread(self._read, match_id))[chosen]
        key = accepted.key(match_id, token, idempotency_key)
        if hashed(key) not in await in_store_thread(self._valid_keys, match_id):
            raise Conflict("invitation_accepted")  # And the key was ended since.
        return GivenKey(accepted.made.seat, accepted.made.name, key, not accepts_now)

    def _acceptance(
        self,
        match_id: UUID,
        match: Match,
        chosen: str,
        token: str,
        idempotency_key: str,
        invitations: dict[str, Invitation],
    ) -> Recorded | None:
        """The acceptance, and the rows that issue its key; None if this request has accepted the
        invitation already. Blocks."""
        now, invitation = self._clock.now(), invitations[chosen]
        if invitation.repeats(idempotency_key, now):
            return None
        invitation.check_open(now)
        made = invitation.made
        if made.tenure != tenure(match, made.seat):
            raise Conflict("seat_replaced")
        salt = secrets.token_bytes(SALT_BYTES)
        accepted = InvitationAccepted(now, made.id, hashed(idempotency_key), salt, new_id())
        key = replace(invitation, accepted=accepted).key(match_id, token, idempotency_key)
        wanted = WantedKey(invitation.slot, made.name, accepted.key_id, made.by, made.tenure)
        issued = self._keyring.rows_to_issue(match_id, wanted, key)
        return accepted, issued

    def _record(self, match_id: UUID, decide: Decide) -> bool:
        """Records what `decide` makes of the invitations so far, in one transaction; returns
        whether there was anything to record. Blocks."""
        stream = _stream(match_id)
        while True:
            found = self._recorder.select_events(stream)
            decided = decide(folded(decoded(found)))
            if decided is None:
                return False
            event, more = decided
            # If another instance was first, it is decided again.
            with suppress(IntegrityError):
                self._recorder.insert_events([stored(stream, len(found) + 1, event), *more])
                return True

    def _with_token(self, match_id: UUID, token: str) -> str:
        """The id of the invitation with this token. It is found by the token, so that an unknown
        one costs the same however many invitations there are. Blocks; raises UnknownInvitation."""
        found = decoded(self._recorder.select_events(_by_token(match_id, hashed(token))))
        if not found:
            raise UnknownInvitation
        return found[0].id

    def _read(self, match_id: UUID) -> dict[str, Invitation]:
        return folded(decoded(self._recorder.select_events(_stream(match_id))))

    def _valid_keys(self, match_id: UUID) -> set[bytes]:
        return {key.hash for key in self._keyring.listed(match_id)}

    async def _match(self, match_id: UUID) -> Match:
        return (await self._sessions.current(match_id)).match


def _unless_made(
    match_id: UUID, made: InvitationMade, invitations: dict[str, Invitation]
) -> Recorded | None:
    found_by = stored(_by_token(match_id, made.hash), 1, made)
    return None if made.id in invitations else (made, (found_by,))


def _revocation(revoked: InvitationRevoked, invitations: dict[str, Invitation]) -> Recorded | None:
    """The revocation; None if nobody can accept the invitation any more."""
    if revoked.id not in invitations:
        raise UnknownInvitation(revoked.id)
    state = invitations[revoked.id].state(revoked.at)
    if state == "accepted":
        raise Conflict("invitation_accepted")
    return (revoked, ()) if state == "open" else None


def _stream(match_id: UUID) -> UUID:
    """The stream of a match's invitations, in the table of the keys."""
    return stream_of(SCOPE, match_id.hex)


def _by_token(match_id: UUID, token_hash: bytes) -> UUID:
    """The stream by which an invitation is found: its making alone, once more."""
    return stream_of("invitation by token", f"{match_id.hex} {token_hash.hex()}")


def _id(chosen: UUID) -> str:
    """The id of an invitation, from the form in which requests are recorded."""
    return f"{chosen.int:016x}"
