"""Invitations to the seats of a match, as their events leave them. The tags are the storage format.

The token of an invitation is not stored, only its hash; neither is the key that is given for it.
The key follows from the token, the acceptor's idempotency key, and a salt that nobody is shown: so
it can be given again to whoever has both, and nobody else can make it.
"""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

import msgspec
from eventsourcing.persistence import StoredEvent
from msgspec import Struct
from msgspec.structs import replace

from domain.commands import Conflict
from domain.people import Actor
from service.auth.key_events import Slot
from service.auth.key_form import derived_key, is_repeated

State = Literal["open", "accepted", "revoked", "expired"]


class InvitationMade(Struct, frozen=True, tag="invitation.made.1"):
    """`by` has made an invitation: until `expires` whoever has the token with this hash may have a
    key to the seat. It is for `name` alone, its holder with the number `tenure`
    (`domain.seat_holders`)."""

    at: int
    id: str
    hash: bytes
    seat: int
    name: str
    tenure: int
    by: Actor
    expires: int


class InvitationAccepted(Struct, frozen=True, tag="invitation.accepted.1"):
    """Somebody has accepted an invitation, with an idempotency key that has this hash, and got the
    key with the id `key_id`."""

    at: int
    id: str
    request: bytes
    salt: bytes
    key_id: str


class InvitationRevoked(Struct, frozen=True, tag="invitation.revoked.1"):
    """An invitation was taken back."""

    at: int
    id: str
    by: Actor


InvitationEvent = InvitationMade | InvitationAccepted | InvitationRevoked

_decoder = msgspec.msgpack.Decoder(InvitationEvent)


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

    def check_open(self, now: int) -> None:
        """Raises Conflict unless it can still be accepted."""
        state = self.state(now)
        if state != "open":
            raise Conflict(f"invitation_{state}")

    def repeats(self, idempotency_key: str, now: int) -> bool:
        """Whether this is the request by which it was accepted, sent again in time."""
        accepted = self.accepted
        return accepted is not None and is_repeated(
            accepted.request, accepted.at, idempotency_key, now
        )

    def key(self, match_id: UUID, token: str, idempotency_key: str) -> str:
        """The seat's key for whoever has accepted it with this token and idempotency key."""
        assert self.accepted is not None, "only then there is a key"
        return derived_key(self.slot, match_id, self.accepted.salt, token, idempotency_key)


def folded(events: Sequence[InvitationEvent]) -> dict[str, Invitation]:
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


def decoded(found: Sequence[StoredEvent]) -> list[InvitationEvent]:
    """The events of a stream of invitations."""
    return [_decoder.decode(stored.state) for stored in found]
