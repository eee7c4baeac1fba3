"""`/v1/matches/{id}/invitations`: links with which seats' holders get their keys."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import PathParameter

from domain.people import Actor
from domain.tournament_state import Request
from projections.timestamps import rfc3339
from service.application.invitations import Invitations, NewInvitation, UnknownInvitation
from service.application.match_sessions import MatchSessions
from service.http.context import Connection, context
from service.http.described import examples, problems
from service.http.guards import DIRECTORS, ORGANISER, Guard
from service.http.headers import SHORTEST_SECRET, idempotency_key
from service.http.idempotency import remembered
from service.http.invitation_links import link, qr_code
from service.http.invitation_schemas import (
    Acceptance,
    AcceptedInvitation,
    InvitationList,
    InvitationRequest,
    MadeInvitation,
    listed,
)
from service.http.parameters import MatchId, Page
from service.http.problems import AnyRequest, Failed
from service.http.rate_limiting import Guesses, client_address
from service.http.responses import SHOWN_ONCE, Answer, created, private
from service.instance import Instance

InvitationInPath = Annotated[str, PathParameter(description="The id of the invitation")]
AcceptingKey = Annotated[
    str,
    idempotency_key(
        f"{SHORTEST_SECRET} to 255 visible ASCII characters, drawn at random and told nobody; "
        "needed. For ten minutes the same request is shown the same key",
        SHORTEST_SECRET,
    ),
]
INVITATION = examples({"a_week": {"seat": 0}, "an_hour": {"seat": 1, "expires_in": 3_600}})
ACCEPTANCE = examples({"token": {"token": "mF_9.B5f-4.1JqM"}})


class Invited(Guard):
    """For everybody, to a match that there is: an invitation is no key."""

    async def __call__(self, connection: Connection, handler: BaseRouteHandler) -> None:  # noqa: ARG002
        """Raises UnknownMatch."""
        instance = context(connection).instance
        await instance.sessions.cached(connection.path_params["match_id"])


INVITED = Invited()


class InvitationsController(Controller):
    """Making, listing, revoking and accepting invitations."""

    path = "/v1/matches/{match_id:uuid}/invitations"
    tags = ("matches",)

    @post(
        operation_id="inviteToSeat",
        summary="Make a link with which a seat's holder gets a key",
        guards=[ORGANISER],
        opt=problems("no_such_seat"),
    )
    async def make(
        self,
        request: AnyRequest,
        match_id: MatchId,
        data: Annotated[InvitationRequest, INVITATION],
        actor: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        sessions: NamedDependency[MatchSessions],
        invitations: NamedDependency[Invitations],
    ) -> Answer[MadeInvitation]:
        """Needs an organiser's key. The link can be accepted once, until it expires or is revoked.
        Opening it changes nothing. Nobody but organisers and moderators learns that it exists; once
        it is accepted the seat is told that it has one more key.

        Keys that the seat has already stay valid: create the match with `"keys":"invitations"`, and
        nobody else has ever had one.
        """
        if data.seat >= (await sessions.cached(match_id)).match.created.seats:
            raise Failed("no_such_seat")
        made = await invitations.make(match_id, data.seat, data.expires_in, actor, once)
        shown = _made(request, match_id, made)
        return created(shown, repeated=made.token is None, headers=SHOWN_ONCE)

    @get(
        operation_id="listInvitations",
        summary="The invitations to a match",
        guards=[DIRECTORS],
    )
    async def list_invitations(
        self,
        match_id: MatchId,
        page: NamedDependency[Page],
        instance: NamedDependency[Instance],
        invitations: NamedDependency[Invitations],
    ) -> Answer[InvitationList]:
        """Needs an organiser's key or the match's moderator's. Neither links nor keys are stored,
        so nobody is shown one."""
        found, following = page.of(await invitations.listed(match_id))
        now = instance.clock.now()
        return private(InvitationList([listed(each, now) for each in found], following))

    @delete(
        "/{invitation:str}",
        operation_id="revokeInvitation",
        summary="Take back an invitation",
        guards=[DIRECTORS],
        opt=problems("no_such_invitation invitation_accepted"),
    )
    @remembered()
    async def revoke(
        self,
        match_id: MatchId,
        invitation: InvitationInPath,
        actor: NamedDependency[Actor],
        invitations: NamedDependency[Invitations],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. One that was revoked or has expired
        stays so: 204 again. For one that was accepted it is too late (409 `invitation_accepted`):
        end the seat's key."""
        await invitations.revoke(match_id, invitation, actor)

    @post(
        "/accept",
        operation_id="acceptInvitation",
        summary="Get the key to a seat by its invitation",
        guards=[INVITED],
        opt=problems(
            "no_such_invitation too_many_requests invitation_accepted invitation_expired "
            "invitation_revoked seat_replaced idempotency_key_needed"
        ),
    )
    async def accept(
        self,
        request: AnyRequest,
        match_id: MatchId,
        data: Annotated[Acceptance, ACCEPTANCE],
        invitations: NamedDependency[Invitations],
        key: AcceptingKey,
    ) -> Answer[AcceptedInvitation]:
        """For whoever has the link: the token is what stands behind its `#`. The first to send it
        gets the seat's key. The same request, with the same `Idempotency-Key`, is shown it again
        for ten minutes; another one is refused.
        """
        guesses = await _guesses(request)
        try:
            given = await invitations.accept(match_id, data.token, key)
        except UnknownInvitation:
            await guesses.failed()
            raise
        answer = AcceptedInvitation(str(match_id), given.seat, given.name, given.key)
        return created(answer, repeated=given.repeated, headers=SHOWN_ONCE)


async def _guesses(request: AnyRequest) -> Guesses:
    """The unknown tokens that were sent from the address of a request: as many as unknown keys may
    be sent. Raises Failed if there were too many."""
    guard = context(request).guard
    address = client_address(guard, request.scope)
    limit = None if address is None else guard.failures
    guesses = Guesses(guard.limiter, limit, f"invitations/{address}")
    wait = await guesses.used_up()
    if wait is not None:
        raise Failed("too_many_requests", headers={"Retry-After": str(wait)})
    return guesses


def _made(request: AnyRequest, match_id: UUID, new: NewInvitation) -> MadeInvitation:
    made, address = new.made, None
    if new.token is not None:
        public = context(request).instance.settings.server.public_url
        address = link(public, request, match_id, new.token)
    qr = None if address is None else qr_code(address)
    return MadeInvitation(made.id, made.seat, made.name, rfc3339(made.expires), address, qr)
