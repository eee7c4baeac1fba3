"""Invitations, as the events of a ring leave them."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain.people import Actor
from service.auth.keyring import (
    InvitationAccepted,
    InvitationMade,
    InvitationRevoked,
    Recorded,
    RingEvent,
    Slot,
    derived_key,
    is_repeated,
)

State = Literal["open", "accepted", "revoked", "expired"]


class Invitation(Struct, frozen=True):
    """An invitation, as its events leave it."""

    made: InvitationMade
    accepted: InvitationAccepted | None = None
    revoked: InvitationRevoked | None = None

    @property
    def slot(self) -> Slot:
        """The slot of the keys of the seat, or of the player."""
        making = self.made
        return f"s{making.seat}" if making.player is UNSET else f"p{making.player}"

    def state(self, now: int) -> State:
        """What can be done with it at this instant, in microseconds."""
        if self.accepted is not None:
            return "accepted"
        if self.revoked is not None:
            return "revoked"
        return "open" if now < self.made.expires else "expired"

    def repeats(self, idempotency_key: str, now: int) -> bool:
        """Whether this is the request by which it was accepted, sent again in time."""
        acceptance = self.accepted
        return acceptance is not None and is_repeated(
            acceptance.request, acceptance.at, idempotency_key, now
        )

    def key(self, ring: UUID, token: str, idempotency_key: str) -> str:
        """The key for the one who accepted it with this token and idempotency key."""
        assert self.accepted is not None, "only then there is a key"
        return derived_key(self.slot, ring, self.accepted.salt, token, idempotency_key)


def fold_invitations(events: Sequence[Recorded]) -> dict[str, Invitation]:
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


def take_back(
    events: Sequence[Recorded], player: int | UnsetType, at: int, by: Actor
) -> list[RingEvent]:
    """What takes back the open invitations of a player of a tournament at an instant."""
    if player is UNSET:
        return []
    every = fold_invitations(events).values()
    mine = (
        invitation
        for invitation in every
        if invitation.made.player == player and invitation.state(at) == "open"
    )
    return [InvitationRevoked(at, invitation.made.id, by) for invitation in mine]
