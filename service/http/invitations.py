"""`/v1/matches/{id}/invitations`: links with which seats' holders get their keys."""

from typing import Annotated

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from domain.people import Actor
from projections.timestamps import rfc3339
from service.application.invitations import NewInvitation
from service.auth.invitation_events import UnknownInvitation
from service.auth.request_guard import RequestGuard
from service.http.access import EVERYBODY, only
from service.http.authentication import organiser_of
from service.http.authorization import DIRECTORS
from service.http.context import context
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.idempotency import idempotency_key, read_once
from service.http.invitation_links import link, qr_code
from service.http.invitation_schemas import (
    Acceptance,
    AcceptedInvitation,
    InvitationList,
    InvitationRequest,
    MadeInvitation,
    listed,
)
from service.http.operation import IDEMPOTENCY_KEY, Header, delete, get, post
from service.http.parameters import PageQuery
from service.http.problems import AnyRequest, Failed
from service.http.rate_limiting import client_address
from service.http.request_body import Body, check_no_body
from service.http.responses import (
    SHOWN_ONCE,
    created,
    json,
    private_headers,
)

SHORTEST_REQUEST_KEY = 16
"""Minimum characters of the idempotency key with which an invitation is accepted: whoever has the
link and this key is shown the seat's key."""


InvitationInPath = Annotated[str, PathParameter(description="The id of the invitation")]
ACCEPTING_KEY = Header(
    "Idempotency-Key",
    f"{SHORTEST_REQUEST_KEY} to 255 visible ASCII characters, drawn at random and told nobody; "
    "needed. For ten minutes the same request is shown the same key",
    f"^[!-~]{{{SHORTEST_REQUEST_KEY},255}}$",
    required=True,
    errors=("bad_idempotency_key", "idempotency_key_needed"),
)
INVITATION = Body(
    InvitationRequest, {"a_week": {"seat": 0}, "an_hour": {"seat": 1, "expires_in": 3_600}}
)
ACCEPTANCE = Body(Acceptance, {"token": {"token": "mF_9.B5f-4.1JqM"}})


class InvitationsController(Controller):
    """Making, listing, revoking and accepting invitations."""

    path = "/v1/matches/{match_id:uuid}/invitations"
    tags = ("matches",)
    dependencies = MATCH_DEPENDENCIES

    @post(
        operation_id="inviteToSeat",
        summary="Make a link with which a seat's holder gets a key",
        security=only("organiser"),
        answer=MadeInvitation,
        body=INVITATION,
        headers=[IDEMPOTENCY_KEY],
        errors="no_such_seat request_in_flight record_altered",
    )
    async def make(
        self, call: NamedDependency[MatchCall], actor: NamedDependency[Actor]
    ) -> ASGIResponse:
        """Needs an organiser's key. The link can be accepted once, until it expires or is revoked.
        Opening it changes nothing. Nobody but organisers and moderators learns that it exists; once
        it is accepted the seat is told that it has one more key.

        Keys that the seat has already stay valid: create the match with `"keys":"invitations"`, and
        nobody else has ever had one.
        """
        await organiser_of(call.instance, call.request)
        match = await call.cached_match()
        new, once = await read_once(call.request, INVITATION)
        if new.seat >= match.created.seats:
            raise Failed("no_such_seat")
        made = await call.instance.invitations.make(call.id, new.seat, new.expires_in, actor, once)
        return created(
            _made(call, made),
            repeated=made.token is None,
            headers=SHOWN_ONCE,
        )

    @get(
        operation_id="listInvitations",
        summary="The invitations to a match",
        **DIRECTORS,
        answer=InvitationList,
        query=PageQuery,
    )
    async def list_invitations(
        self, call: NamedDependency[MatchCall], parameters: NamedDependency[PageQuery]
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's. Neither links nor keys are stored,
        so nobody is shown one."""
        now = call.instance.clock.now()
        found = await call.instance.invitations.listed(call.id)
        page, following = parameters.page(found)
        shown = InvitationList([listed(each, now) for each in page], following)
        return json(shown, 200, private_headers())

    @delete(
        "/{invitation:str}",
        operation_id="revokeInvitation",
        summary="Take back an invitation",
        **DIRECTORS,
        errors="no_such_invitation invitation_accepted record_altered",
    )
    async def revoke(
        self,
        call: NamedDependency[MatchCall],
        invitation: InvitationInPath,
        actor: NamedDependency[Actor],
    ) -> None:
        """Needs an organiser's key or the match's moderator's. One that was revoked or has expired
        stays so: 204 again. For one that was accepted it is too late (409 `invitation_accepted`):
        end the seat's key."""
        await check_no_body(call.request)
        await call.instance.invitations.revoke(call.id, invitation, actor)

    @post(
        "/accept",
        operation_id="acceptInvitation",
        summary="Get the key to a seat by its invitation",
        security=EVERYBODY,
        answer=AcceptedInvitation,
        body=ACCEPTANCE,
        headers=[ACCEPTING_KEY],
        errors="no_such_invitation too_many_requests invitation_accepted invitation_expired "
        "invitation_revoked seat_replaced record_altered",
    )
    async def accept(self, call: NamedDependency[MatchCall]) -> ASGIResponse:
        """For whoever has the link: the token is what stands behind its `#`. The first to send it
        gets the seat's key. The same request, with the same `Idempotency-Key`, is shown it again
        for ten minutes; another one is refused.
        """
        await call.cached_match()
        token = (await ACCEPTANCE.read(call.request)).token
        key = idempotency_key(call.request)
        if key is None or len(key) < SHORTEST_REQUEST_KEY:
            raise Failed("idempotency_key_needed")
        guesses = _Guesses(context(call.request).guard, call.request)
        await guesses.check()
        try:
            given = await call.instance.invitations.accept(call.id, token, key)
        except UnknownInvitation:
            await guesses.count()
            raise
        return created(
            AcceptedInvitation(str(call.id), given.seat, given.name, given.key),
            repeated=given.repeated,
            headers=SHOWN_ONCE,
        )


class _Guesses:
    """The unknown tokens that were sent from the address of a request; after as many as unknown
    keys may be sent, the next one is refused unseen."""

    def __init__(self, guard: RequestGuard, request: AnyRequest) -> None:
        self._limiter = guard.limiter
        self._limit = guard.failures
        self._address = client_address(guard, request.scope)

    @property
    def _counter(self) -> str:
        return f"invitations/{self._address}"

    async def check(self) -> None:
        """Raises Failed if there were too many."""
        if self._limit is None or self._address is None:
            return
        wait = await self._limiter.used_up(self._limit, self._counter)
        if wait is not None:
            raise Failed("too_many_requests", headers={"Retry-After": str(wait)})

    async def count(self) -> None:
        """Counts one more."""
        if self._limit is not None and self._address is not None:
            await self._limiter.count(self._limit, self._counter)


def _made(call: MatchCall, new: NewInvitation) -> MadeInvitation:
    made, address = new.made, None
    if new.token is not None:
        address = link(call.instance.settings.public_url, call.request, call.id, new.token)
    qr = None if address is None else qr_code(address)
    return MadeInvitation(made.id, made.seat, made.name, rfc3339(made.expires), address, qr)
