"""What is sent and answered about invitations."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.requirements import MOST_SEATS
from projections.fields import By, Next, Seat
from projections.timestamps import Timestamp, rfc3339
from service.application.invitations import Invitation, State

DAY = 24 * 3_600
DEFAULT_SECONDS, LONGEST_SECONDS = 7 * DAY, 30 * DAY
SHORTEST_SECONDS = 60


class InvitationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """An invitation to make, for whoever holds the seat now."""

    seat: Annotated[int, Meta(ge=0, lt=MOST_SEATS, description="The seat", examples=[0])]
    expires_in: Annotated[
        int,
        Meta(
            ge=SHORTEST_SECONDS,
            le=LONGEST_SECONDS,
            description="For how many seconds it can be accepted: by default seven days, at most "
            "thirty",
        ),
    ] = DEFAULT_SECONDS


class MadeInvitation(Struct, frozen=True):
    """A new invitation. Its link is shown once, and so is the link as a QR code: both are null in
    the answer to a repeated request."""

    id: str
    seat: Seat
    name: str
    expires: Timestamp
    link: Annotated[str | None, Meta(description="What to hand to the seat's holder")]
    qr: Annotated[str | None, Meta(description="The link as a QR code: an SVG document")]


class ListedInvitation(Struct, frozen=True):
    """An invitation without its link. `by` is the name of whoever made it, null for a key without a
    name; `accepted` and `revoked` are when it was, null if it was not."""

    id: str
    seat: Seat
    name: str
    state: State
    by: By
    since: Timestamp
    expires: Timestamp
    accepted: Timestamp | None
    revoked: Timestamp | None


class InvitationList(Struct, frozen=True):
    """Invitations to a match, in the order in which they were made."""

    invitations: list[ListedInvitation]
    next: Next


class Acceptance(Struct, frozen=True, forbid_unknown_fields=True):
    """The token of an invitation: what stands behind the `#` of its link."""

    token: Annotated[str, Meta(min_length=1, max_length=200, description="Behind the link's `#`")]


class AcceptedInvitation(Struct, frozen=True):
    """A seat and the key to it, which nobody else is shown."""

    match: str
    seat: Seat
    name: str
    key: str


def listed(invitation: Invitation, now: int) -> ListedInvitation:
    """The invitation as it is shown at this instant."""
    made, accepted, revoked = invitation.made, invitation.accepted, invitation.revoked
    return ListedInvitation(
        id=made.id,
        seat=made.seat,
        name=made.name,
        state=invitation.state(now),
        by=made.by.by,
        since=rfc3339(made.at),
        expires=rfc3339(made.expires),
        accepted=None if accepted is None else rfc3339(accepted.at),
        revoked=None if revoked is None else rfc3339(revoked.at),
    )
