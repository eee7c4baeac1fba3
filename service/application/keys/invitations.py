"""Invitations: links with which a seat's holder gets a key that the organiser never sees.

The invitations of a match are in the ring of its keys, so accepting one and issuing its key is a
single transaction, and of two who accept at once one gets a key. The match's record says that the
key was issued before it is shown; after a crash in between the leader completes the record,
as for every key.

Neither the token of an invitation is stored nor the key that is given for it, which follows from
the token, the acceptor's idempotency key, and a salt that is never shown. So it can be given again
to the one who has both, and no one else can make it.
"""

import secrets
from collections.abc import Sequence
from typing import Literal, NamedTuple
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder
from msgspec import Struct
from msgspec.structs import replace

from domain.events import later
from domain.match.commands import Conflict
from domain.match.deadlines import SECOND
from domain.match.seat_holders import holders, tenure
from domain.match.state import Match
from domain.people import Actor
from domain.tournament.state import KeyedRequest
from service.application.idempotency import IdempotencyStore, RecordRequest, stream_of
from service.application.keys.match_keys import MatchKeys
from service.application.matches.match_sessions import MatchSessions
from service.auth.key_events import (
    InvitationAccepted,
    InvitationMade,
    InvitationRevoked,
    Recorded,
    RingEvent,
    Slot,
    WantedKey,
    decoded,
    new_id,
    stored,
)
from service.auth.key_form import SALT_BYTES, derived_key, hashed, is_repeated
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.store_threads import in_store_thread

State = Literal["open", "accepted", "revoked", "expired"]


class UnknownInvitation(LookupError):
    """The match has no invitation with this id or token."""


class Invitation(Struct, frozen=True):
    """An invitation, as its events leave it."""

    made: InvitationMade
    accepted: InvitationAccepted | None = None
    revoked: InvitationRevoked | None = None

    @property
    def slot(self) -> Slot:
        """The slot of the seat's keys."""
        return f"s{self.made.seat}"

    def state(self, now: int) -> State:
        """What can be done with it at this instant, in microseconds."""
        if self.accepted is not None:
            return "accepted"
        if self.revoked is not None:
            return "revoked"
        return "open" if now < self.made.expires else "expired"

    def repeats(self, idempotency_key: str, now: int) -> bool:
        """Whether this is the request by which it was accepted, sent again in time."""
        accepted = self.accepted
        return accepted is not None and is_repeated(
            accepted.request, accepted.at, idempotency_key, now
        )

    def key(self, match_id: UUID, token: str, idempotency_key: str) -> str:
        """The seat's key for the one who accepted it with this token and idempotency key."""
        assert self.accepted is not None, "only then there is a key"
        return derived_key(self.slot, match_id, self.accepted.salt, token, idempotency_key)


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
        self,
        match_id: UUID,
        seat: int,
        seconds: int,
        by: Actor,
        request: KeyedRequest | None = None,
    ) -> NewInvitation:
        """Makes an invitation for the person who holds the seat now, valid for this many seconds;
        once per request.

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

            def unless_made(events: Sequence[Recorded]) -> Sequence[RingEvent]:
                return () if made.id in _folded(events) else (made,)

            by_token = stored(_by_token(match_id, made.hash), 1, made)
            await in_store_thread(self._keyring.append, match_id, unless_made, (by_token,))
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
        """Takes back an invitation; does nothing to one that no one can accept any more.

        Raises UnknownMatch, UnknownInvitation, Conflict (`invitation_accepted`) and
        StoreUnavailable.
        """
        await self._match(match_id)
        revoked = InvitationRevoked(self._clock.now(), invitation_id, by)

        def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
            invitation = _folded(events).get(invitation_id)
            if invitation is None:
                raise UnknownInvitation(invitation_id)
            state = invitation.state(revoked.at)
            if state == "accepted":
                raise Conflict("invitation_accepted")
            return (revoked,) if state == "open" else ()

        await in_store_thread(self._keyring.append, match_id, decide)

    async def accept(self, match_id: UUID, token: str, idempotency_key: str) -> GivenKey:
        """Gives the key of the seat to the person who has the token of its invitation: once, and
        for ten minutes again to the same idempotency key.

        Raises UnknownMatch, UnknownInvitation, Conflict (`invitation_accepted`,
        `invitation_expired`, `invitation_revoked`, `seat_replaced`), RecordAltered and
        StoreUnavailable.
        """
        match = await self._match(match_id)
        chosen = await in_store_thread(self._with_token, match_id, token)

        def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
            invitation = _folded(events)[chosen]
            return self._acceptance(match_id, match, invitation, token, idempotency_key)

        accepts_now = await in_store_thread(self._keyring.append, match_id, decide)
        accepted = (await in_store_thread(self._read, match_id))[chosen]
        key = accepted.key(match_id, token, idempotency_key)
        if not await self._match_keys.completed(match_id, key):
            raise Conflict("invitation_accepted")  # And the key was ended since.
        return GivenKey(accepted.made.seat, accepted.made.name, key, not accepts_now)

    def _acceptance(
        self,
        match_id: UUID,
        match: Match,
        invitation: Invitation,
        token: str,
        idempotency_key: str,
    ) -> Sequence[RingEvent]:
        """The acceptance, and what issues its key; nothing if this request has accepted the
        invitation already. Raises Conflict unless it can still be accepted."""
        now, made = self._clock.now(), invitation.made
        if invitation.repeats(idempotency_key, now):
            return ()
        state = invitation.state(now)
        if state != "open":
            raise Conflict(f"invitation_{state}")
        if made.tenure != tenure(match, made.seat):
            raise Conflict("seat_replaced")
        salt = secrets.token_bytes(SALT_BYTES)
        accepted = InvitationAccepted(now, made.id, hashed(idempotency_key), salt, new_id())
        key = replace(invitation, accepted=accepted).key(match_id, token, idempotency_key)
        wanted = WantedKey(invitation.slot, made.name, accepted.key_id, made.by, made.tenure)
        issued = self._keyring.issued_later(wanted, key)
        # Its holder alone is shown it.
        return accepted, replace(issued, origin=replace(issued.origin, since=issued.at))

    def _with_token(self, match_id: UUID, token: str) -> str:
        """The id of the invitation with this token. It is found by the token, so that an unknown
        one costs the same however many invitations there are. Blocks; raises UnknownInvitation."""
        found = decoded(self._recorder.select_events(_by_token(match_id, hashed(token))))
        if not found:
            raise UnknownInvitation
        (made,) = found
        assert isinstance(made, InvitationMade), "the stream has its making alone"
        return made.id

    def _read(self, match_id: UUID) -> dict[str, Invitation]:
        return _folded(self._keyring.events(match_id))

    async def _match(self, match_id: UUID) -> Match:
        return (await self._sessions.current(match_id)).match


def _folded(events: Sequence[Recorded]) -> dict[str, Invitation]:
    """All invitations by their ids, in the order in which they were made."""
    invitations: dict[str, Invitation] = {}
    for event in events:
        match event:
            case InvitationMade():
                invitations[event.id] = Invitation(event)
            case InvitationAccepted():
                invitations[event.id] = replace(invitations[event.id], accepted=event)
            case InvitationRevoked():
                invitations[event.id] = replace(invitations[event.id], revoked=event)
    return invitations


def _by_token(match_id: UUID, token_hash: bytes) -> UUID:
    """The stream by which an invitation is found: its making alone, once more."""
    return stream_of("invitation by token", f"{match_id.hex} {token_hash.hex()}")


def _id(chosen: UUID) -> str:
    """The id of an invitation, from the form in which requests are recorded."""
    return f"{chosen.int:016x}"
