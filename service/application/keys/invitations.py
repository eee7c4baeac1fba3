"""Invitations: links with which the holder of a seat, or a player of a tournament, gets a key that
the organiser never sees.

The invitations of a match or a tournament are in the ring of its keys, so accepting one and issuing
its key is a single transaction, and of two who accept at once one gets a key. The match's record
says that the key was issued before it is shown; after a crash in between the leader completes the
record, as for every key. In a tournament the key is in place of the player's earlier ones, and a
new invitation in place of an open one.

Neither the token of an invitation is stored nor the key that is given for it, which follows from
the token, the acceptor's idempotency key, and a salt that is never shown. So it can be given again
to the one who has both, and no one else can make it.
"""

import secrets
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from eventsourcing.persistence import AggregateRecorder
from msgspec import UNSET
from msgspec.structs import replace

from domain.events import later
from domain.match.commands import Conflict
from domain.match.deadlines import SECOND
from domain.match.seat_holders import holders, tenure
from domain.match.state import Match
from domain.people import Actor
from domain.tournament.state import KeyedRequest
from service.application.idempotency import IdempotencyStore, RecordRequest
from service.application.keys.made_invitations import Invitation, fold_invitations, take_back
from service.application.keys.match_keys import MatchKeys
from service.application.matches.match_sessions import MatchSessions
from service.auth.keyring import (
    OPERATOR,
    SALT_BYTES,
    InvitationAccepted,
    InvitationMade,
    InvitationRevoked,
    Recorded,
    RingEvent,
    Slot,
    WantedKey,
    by_token,
    decode_rows,
    hash_key,
    id_of,
    new_choice,
    new_id,
    ring_row,
)
from service.auth.keys import Keyring
from service.clock import Clock
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import TOURNAMENT

DAY_SECONDS = 24 * 3_600
"""For how long someone who has registered may be given their key."""


class UnknownInvitation(LookupError):
    """There is no invitation with this id or token."""


class Invited(NamedTuple):
    """Whom an invitation is for: their slot, and for a seat their name and as which holder."""

    slot: Slot
    name: str
    tenure: int = 0

    @property
    def is_player(self) -> bool:
        """Whether it is a player of a tournament, and no seat of a match."""
        return self.slot[0] == "p"


class NewInvitation(NamedTuple):
    """An invitation that was made. Its token is shown once: None for a repeated request."""

    made: InvitationMade
    token: str | None


class GivenKey(NamedTuple):
    """The key that was given for an invitation that `made` has; `repeated` if it had been given
    before, to the same request."""

    made: InvitationMade
    key: str
    repeated: bool


class Invitations:
    """Makes, lists, revokes and accepts the invitations to the matches and tournaments of one
    store."""

    def __init__(
        self,
        recorder: AggregateRecorder,
        keyring: Keyring,
        idempotency: IdempotencyStore,
        sessions: MatchSessions,
        match_keys: MatchKeys,
        clock: Clock,
    ) -> None:
        self._recorder = recorder
        self._keyring = keyring
        self._clock = clock
        self._idempotency = idempotency
        self._sessions = sessions
        self._match_keys = match_keys

    async def make(
        self, ring: UUID, number: int, seconds: int, by: Actor, request: KeyedRequest | None = None
    ) -> NewInvitation:
        """Makes an invitation for the person who holds this seat of a match now, or for this player
        of a tournament, valid for this many seconds; once per request.

        Raises UnknownMatch, Refused (`idempotency_key_reused`), RequestInFlight
        and StoreUnavailable.
        """
        invitee = await self._find_invitee(ring, number)

        async def find_existing(id_: UUID) -> NewInvitation | None:
            invitation = (await in_store_thread(self._read, ring)).get(id_of(id_))
            return None if invitation is None else NewInvitation(invitation.made, None)

        async def create(id_: UUID, record_request: RecordRequest) -> NewInvitation:
            await record_request()
            token = secrets.token_urlsafe(32)
            making = self._make_event(id_of(id_), hash_key(token), invitee, seconds, by)

            def unless_made(events: Sequence[Recorded]) -> Sequence[RingEvent]:
                if making.id in fold_invitations(events):
                    return ()
                return (*take_back(events, making.player, making.at, by), making)

            row = ring_row(by_token(ring, making.hash), 1, making)
            await in_store_thread(self._keyring.append, ring, unless_made, (row,))
            invitation = (await in_store_thread(self._read, ring))[making.id]
            # Another instance may have made it for the same request at the same moment.
            is_mine = invitation.made.hash == making.hash
            return NewInvitation(invitation.made, token if is_mine else None)

        return await self._idempotency.once(request, new_choice(), find_existing, create)

    def _make_event(
        self, name: str, token_hash: bytes, invitee: Invited, seconds: int, by: Actor
    ) -> InvitationMade:
        now, number = self._clock.now(), int(invitee.slot[1:])
        return InvitationMade(
            at=now,
            id=name,
            hash=token_hash,
            seat=0 if invitee.is_player else number,
            name=invitee.name,
            tenure=invitee.tenure,
            by=by,
            expires=later(now, seconds * SECOND),
            player=number if invitee.is_player else UNSET,
        )

    async def give(self, ring: UUID, number: int, token: str, idempotency_key: str) -> GivenKey:
        """Gives a player who has registered, or who has taken a seat of an open table, their key,
        by an invitation with this token, which no one else has: as `accept` does, and with the same
        errors. A seat has one such invitation."""
        invitee = await self._find_invitee(ring, number)

        def make(name: str) -> None:
            making = self._make_event(name, hash_key(token), invitee, DAY_SECONDS, OPERATOR)
            row = ring_row(by_token(ring, making.hash), 1, making)

            def unless_made(events: Sequence[Recorded]) -> Sequence[RingEvent]:
                invitations = fold_invitations(events).values()
                if not invitee.is_player and any(
                    invitation.slot == invitee.slot for invitation in invitations
                ):
                    return ()
                return (
                    ()
                    if making.hash in {invitation.made.hash for invitation in invitations}
                    else (making,)
                )

            self._keyring.append(ring, unless_made, (row,))

        try:
            return await self.accept(ring, token, idempotency_key)
        except UnknownInvitation:
            await in_store_thread(make, new_id())
        return await self.accept(ring, token, idempotency_key)

    async def list_all(self, match_id: UUID) -> list[Invitation]:
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
            invitation = fold_invitations(events).get(invitation_id)
            if invitation is None:
                raise UnknownInvitation(invitation_id)
            state = invitation.state(revoked.at)
            if state == "accepted":
                raise Conflict("invitation_accepted")
            return (revoked,) if state == "open" else ()

        await in_store_thread(self._keyring.append, match_id, decide)

    async def accept(self, ring: UUID, token: str, idempotency_key: str) -> GivenKey:
        """Gives the key of a seat or a player to the person who has the token of the invitation:
        once, and for ten minutes again to the same idempotency key.

        Raises UnknownMatch, UnknownTournament, UnknownInvitation, Conflict (`invitation_accepted`,
        `invitation_expired`, `invitation_revoked`, `seat_replaced`), RecordAltered and
        StoreUnavailable.
        """
        making = await in_store_thread(self._with_token, ring, token)
        number = making.seat if making.player is UNSET else making.player
        invitee = await self._find_invitee(ring, number)

        def decide(events: Sequence[Recorded]) -> Sequence[RingEvent]:
            invitation = fold_invitations(events)[making.id]
            events_of_key = self._acceptance(ring, invitee, invitation, token, idempotency_key)
            # A seat keeps its earlier keys.
            ends = invitee.is_player and events_of_key
            return (*(self._keyring.ended(events, invitee.slot) if ends else ()), *events_of_key)

        accepts_now = await in_store_thread(self._keyring.append, ring, decide)
        acceptance = (await in_store_thread(self._read, ring))[making.id]
        key = acceptance.key(ring, token, idempotency_key)
        if not await self._lasts(ring, key, invitee):
            raise Conflict("invitation_accepted")  # And the key was ended since.
        return GivenKey(making, key, not accepts_now)

    def _acceptance(
        self, ring: UUID, invitee: Invited, invitation: Invitation, token: str, idempotency_key: str
    ) -> Sequence[RingEvent]:
        """The acceptance, and what issues its key; nothing if this request has accepted the
        invitation already. Raises Conflict unless it can still be accepted."""
        now, making = self._clock.now(), invitation.made
        if invitation.repeats(idempotency_key, now):
            return ()
        state = invitation.state(now)
        if state != "open":
            raise Conflict(f"invitation_{state}")
        if making.tenure != invitee.tenure:
            raise Conflict("seat_replaced")
        salt = secrets.token_bytes(SALT_BYTES)
        acceptance = InvitationAccepted(now, making.id, hash_key(idempotency_key), salt, new_id())
        key = replace(invitation, accepted=acceptance).key(ring, token, idempotency_key)
        key_wanted = WantedKey(
            invitation.slot, making.name, acceptance.key_id, making.by, making.tenure
        )
        issue = self._keyring.issued_later(key_wanted, key)
        if invitee.is_player:
            # No record of a match has to say so.
            issue = replace(issue, by=UNSET)
        # Its holder alone is shown it.
        return acceptance, replace(issue, origin=replace(issue.origin, since=issue.at))

    async def _lasts(self, ring: UUID, key: str, invitee: Invited) -> bool:
        """Whether a key that was given is valid; that of a seat is on the record of its match."""
        if not invitee.is_player:
            return await self._match_keys.completed(ring, key)
        valid = await in_store_thread(self._keyring.list_valid, ring)
        return hash_key(key) in {valid_key.hash for valid_key in valid}

    def _with_token(self, ring: UUID, token: str) -> InvitationMade:
        """The invitation with this token. It is found by the token, so that an unknown one costs
        the same however many invitations there are. Blocks; raises UnknownInvitation."""
        events = decode_rows(self._recorder.select_events(by_token(ring, hash_key(token))))
        if not events:
            raise UnknownInvitation
        (making,) = events
        assert isinstance(making, InvitationMade), "the stream has its making alone"
        return making

    async def _find_invitee(self, ring: UUID, number: int) -> Invited:
        """The holder of a seat now, or a player."""
        if ring.version == TOURNAMENT:
            return Invited(f"p{number}", "")
        match = await self._match(ring)
        return Invited(f"s{number}", holders(match)[number], tenure(match, number))

    def _read(self, match_id: UUID) -> dict[str, Invitation]:
        return fold_invitations(self._keyring.events(match_id))

    async def _match(self, match_id: UUID) -> Match:
        return (await self._sessions.current(match_id)).match
