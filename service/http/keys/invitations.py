"""`/v1/matches/{id}/invitations`: links with which seats' holders get their keys.

The token stands in the fragment of a link, which browsers send to no one: neither the service's
logs nor a proxy's have it, and programs that open links to show a preview cannot accept it.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.handlers import BaseRouteHandler
from litestar.params import PathParameter
from msgspec import UNSET, Meta, Struct, UnsetType, convert
from msgspec.structs import asdict

from domain.game import Refused
from domain.requirements import MOST_SEATS
from projections.fields import By, Next, Seat, Timestamp, rfc3339
from service.application.keys.invitations import GivenKey, UnknownInvitation
from service.application.keys.made_invitations import Invitation, State
from service.http.access.guards import DIRECTORS, ORGANISER, Guard
from service.http.description.routing import delete, examples, get, post, problems
from service.http.errors.mistakes import Mistake
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.rate_limiting import Guesses, client_address
from service.http.requests.context import Connection, context, link_to
from service.http.requests.dependencies import Once, Sent, TheActor, ThePage
from service.http.requests.qr_codes import qr_code
from service.http.requests.request_body import misshapen
from service.http.requests.responses import (
    SHORTEST_SECRET,
    Answer,
    created,
    idempotency_key,
    private,
)

DAY = 24 * 3_600


InvitationInPath = Annotated[str, PathParameter(description="The id of the invitation")]
ExpiresIn = Annotated[
    int,
    Meta(
        ge=60,
        le=30 * DAY,
        description="For how many seconds it can be accepted: by default seven days, at most "
        "thirty",
    ),
]
AcceptingKey = Annotated[
    str,
    idempotency_key(
        f"{SHORTEST_SECRET} to 255 visible ASCII characters, drawn at random and kept secret; "
        "needed. For ten minutes the same request is shown the same key",
        SHORTEST_SECRET,
    ),
]
TableKey = Annotated[
    str | None,
    idempotency_key(
        f"{SHORTEST_SECRET} to 255 visible ASCII characters, drawn at random and kept secret. With "
        "it the same request is shown the same key for ten minutes. Needed, except at open tables: "
        "there an answer that is lost without it is lost for good",
        SHORTEST_SECRET,
    ),
]
Recovery = Annotated[
    str | UnsetType, Meta(description="What to write down: with it its holder gets the seat back")
]
INVITATION = examples({"a_week": {"seat": 0}, "an_hour": {"seat": 1, "expires_in": 3_600}})
ACCEPTANCE = examples({"token": {"token": "mF_9.B5f-4.1JqM"}})


class InvitationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """An invitation to make, for the person who holds the seat now."""

    seat: Annotated[int, Meta(ge=0, lt=MOST_SEATS, description="The seat", examples=[0])]
    expires_in: ExpiresIn = 7 * DAY


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
    """An invitation without its link. `by` is the name of the person who made it, null for a key
    without a name; `accepted` and `revoked` are when it was, null if it was not."""

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
    """The token of an invitation: what stands after the `#` of its link. At an open table the
    person who takes a seat gives a `name`; elsewhere the seat has one."""

    token: Annotated[str, Meta(min_length=1, max_length=200, description="Behind the link's `#`")]
    name: Annotated[
        str | None,
        Meta(description="Only at an open table: the name of the person who takes the seat"),
    ] = None


class AcceptedInvitation(Struct, frozen=True):
    """A seat and the key to it, which no one else is shown; at an open table also the `recovery`
    code, with which its holder gets a new key."""

    match: str
    seat: Seat
    name: str
    key: str
    recovery: Recovery = UNSET


class Invited(Guard):
    """For everyone, to a match or a tournament that there is: an invitation is no key."""

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:  # noqa: ARG002
        """Raises UnknownMatch and UnknownTournament."""
        instance, path = context(connection).instance, connection.path_params
        if "match_id" in path:
            await instance.sessions.cached(path["match_id"])
        else:
            await instance.tournaments.current(path["tournament_id"])


INVITED = Invited()


class InvitationsController(Controller):
    """Making, listing, revoking and accepting invitations."""

    path = "/v1/matches/{match_id:uuid}/invitations"
    tags = ("matches",)

    @post(
        summary="Make a link with which a seat's holder gets a key",
        guards=[ORGANISER],
        opt=problems("no_such_seat"),
    )
    async def invite_to_seat(
        self,
        data: Annotated[InvitationRequest, INVITATION],
        sent: Sent,
        actor: TheActor,
        once: Once,
    ) -> Answer[MadeInvitation]:
        """Needs an organiser's key. The link can be accepted once, until it expires or is revoked.
        Opening it changes nothing. No one but organisers and moderators learns that it exists; once
        it is accepted the seat is told that it has one more key.

        Keys that the seat has already stay valid: create the match with `"keys":"invitations"`, and
        no one else has ever had one.
        """
        if data.seat >= (await sent.instance.sessions.cached(sent.id)).match.created.seats:
            raise Failed("no_such_seat")
        making, token = await sent.instance.invitations.make(
            sent.id, data.seat, data.expires_in, actor, once
        )
        link = link_to(sent.request, f"/play/{sent.id}?seat={data.seat}", token)
        expires, qr = rfc3339(making.expires), qr_code(link)
        answer = MadeInvitation(making.id, making.seat, making.name, expires, link, qr)
        return created(answer, repeated=token is None)

    @get(summary="The invitations to a match", guards=[DIRECTORS])
    async def list_invitations(self, sent: Sent, page: ThePage) -> Answer[InvitationList]:
        """Needs an organiser's key or the match's moderator's. Neither links nor keys are stored,
        so no one is shown one."""
        invitations, following = page.of(await sent.instance.invitations.list_all(sent.id))
        now = sent.instance.clock.now()
        return private(
            InvitationList(
                [show_invitation(invitation, now) for invitation in invitations], following
            )
        )

    @delete(
        "/{invitation:str}",
        summary="Take back an invitation",
        guards=[DIRECTORS],
        opt=problems("no_such_invitation invitation_accepted"),
    )
    async def revoke_invitation(
        self, sent: Sent, invitation: InvitationInPath, actor: TheActor
    ) -> None:
        """Needs an organiser's key or the match's moderator's. One that was revoked or has expired
        stays so: 204 again. For one that was accepted it is too late (409 `invitation_accepted`):
        end the seat's key."""
        await sent.instance.invitations.revoke(sent.id, invitation, actor)

    @post(
        "/accept",
        summary="Get the key to a seat by its invitation",
        guards=[INVITED],
        opt=problems(
            "no_such_invitation too_many_requests invitation_accepted invitation_expired "
            "invitation_revoked seat_replaced idempotency_key_needed table_full name_not_allowed",
            remembered=False,
        ),
    )
    async def accept_invitation(
        self, sent: Sent, data: Annotated[Acceptance, ACCEPTANCE], key: TableKey = None
    ) -> Answer[AcceptedInvitation]:
        """For the person who has the link: the token is what stands after its `#`. The first to
        send it gets the seat's key. The same request, with the same `Idempotency-Key`, is shown it
        again for ten minutes; another one is refused.
        """
        instance, match = sent.instance, str(sent.id)
        if (await instance.sessions.cached(sent.id)).match.created.table:
            name = named_in(data)
            with guessing(sent.request):
                seat_taken = await instance.tables.take(sent.id, data.token, name, own(key))
            given_key = seat_taken.given
            answer = AcceptedInvitation(
                match, seat_taken.seat, seat_taken.name, given_key.key, seat_taken.recovery
            )
            return created(answer, repeated=given_key.repeated)
        if key is None:
            raise Failed("idempotency_key_needed")
        given_key = await accept(sent.request, sent.id, data, key)
        answer = AcceptedInvitation(match, given_key.made.seat, given_key.made.name, given_key.key)
        return created(answer, repeated=given_key.repeated)


def own(key: str | None) -> str:
    """The idempotency key of a request at an open table; one that nobody knows if it has none."""
    return secrets.token_hex(SHORTEST_SECRET) if key is None else key


async def accept(request: AnyRequest, ring: UUID, acceptance: Acceptance, key: str) -> GivenKey:
    """The key for the invitation to a match or a tournament whose token was sent. Raises as
    `Invitations.accept` does, and Failed after too many unknown tokens from one address."""
    if acceptance.name is not None:
        raise misshapen("`name` is for open tables alone", pointer="/name")
    with guessing(request):
        return await context(request).instance.invitations.accept(ring, acceptance.token, key)


def named_in(acceptance: Acceptance) -> str:
    """The name of who takes a seat of an open table. Raises Failed without one."""
    if acceptance.name is None:
        wrong = Mistake("body", "missing_field", "Who takes a seat gives a name.", pointer="/name")
        raise misshapen("`name` is missing", wrong)
    return acceptance.name


@contextmanager
def guessing(request: AnyRequest) -> Iterator[None]:
    """While a token or a code of a request is looked up: as many unknown ones may be sent from one
    address as unknown keys. Raises Failed if there were too many."""
    guard = context(request).guard
    address = client_address(guard, request.scope)
    limit = None if address is None else guard.failures
    guesses = Guesses(guard.limiter, limit, f"invitations/{address}")
    wait = guesses.used_up()
    if wait is not None:
        raise Failed("too_many_requests", headers={"Retry-After": str(wait)})
    try:
        yield
    except (UnknownInvitation, Refused) as error:
        if isinstance(error, UnknownInvitation) or error.code == "no_such_registration":
            guesses.failed()
        raise


def show_invitation(invitation: Invitation, now: int) -> ListedInvitation:
    """The invitation as it is shown at this instant."""
    making, accepted, revoked = invitation.made, invitation.accepted, invitation.revoked
    fields = {
        "state": invitation.state(now),
        "by": making.by.by,
        "since": rfc3339(making.at),
        "expires": rfc3339(making.expires),
        "accepted": None if accepted is None else rfc3339(accepted.at),
        "revoked": None if revoked is None else rfc3339(revoked.at),
    }
    return convert(asdict(making) | fields, ListedInvitation)
