"""`/v1/tournaments/{id}/players/{n}/invitation`: a link with which a player gets their key, which
no one else has ever seen."""

from typing import Annotated

from litestar import Controller
from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.game import Refused
from projections.fields import Player
from projections.texts.timestamps import Timestamp, rfc3339
from service.http.access.guards import ORGANISER
from service.http.description.described import examples, problems
from service.http.description.routing import post
from service.http.errors.problems import AnyRequest
from service.http.keys.invitations import (
    ACCEPTANCE,
    INVITED,
    Acceptance,
    AcceptingKey,
    ExpiresIn,
    accepted,
    link_to,
    qr_code,
)
from service.http.requests.dependencies import Once, TheInstance, TheTournament
from service.http.requests.parameters import TournamentId
from service.http.requests.responses import SHOWN_ONCE, Answer, created

InvitedPlayer = Annotated[int, PathParameter(description="The number of the player, from 0")]
INVITATION = examples({"a_week": {}, "an_hour": {"expires_in": 3_600}})


class NewPlayerInvitation(Struct, frozen=True, forbid_unknown_fields=True):
    """An invitation to make."""

    expires_in: ExpiresIn = 7 * 24 * 3_600


WEEK = NewPlayerInvitation()


class PlayerInvitation(Struct, frozen=True):
    """An invitation for a player. Its link is shown once, and so is the link as a QR code: both are
    null in the answer to a repeated request."""

    id: str
    player: Player
    name: str
    expires: Timestamp
    link: Annotated[str | None, Meta(description="What to hand to the player")]
    qr: Annotated[str | None, Meta(description="The link as a QR code: an SVG document")]


class InvitedPlayerKey(Struct, frozen=True):
    """A player and their key, which no one else is shown."""

    tournament: str
    player: Player
    name: str
    key: str


class PlayerInvitationsController(Controller):
    """Invitations for the players of tournaments."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("tournaments",)

    @post(
        "/players/{player:int}/invitation",
        summary="Make a link with which a player gets their key",
        guards=[ORGANISER],
        opt=problems("no_such_player"),
    )
    async def invite_player(
        self,
        tournament: TheTournament,
        player: InvitedPlayer,
        once: Once,
        data: Annotated[NewPlayerInvitation, INVITATION] = WEEK,
    ) -> Answer[PlayerInvitation]:
        """Needs an organiser's key. The link can be accepted once, until it expires or another one
        is made. Opening it changes nothing; when it is accepted the player's earlier keys end."""
        players = (await tournament.state()).players
        if player >= len(players):
            raise Refused("no_such_player")
        instance, by = tournament.instance, await tournament.by()
        made, token = await instance.invitations.make(
            tournament.id, player, data.expires_in, by, once
        )
        link = link_to(tournament.request, f"/t/{tournament.id}", token)
        expires, qr = rfc3339(made.expires), qr_code(link)
        shown = PlayerInvitation(made.id, player, players[player], expires, link, qr)
        return created(shown, repeated=token is None, headers=SHOWN_ONCE)

    @post(
        "/invitations/accept",
        summary="Get a player's key by an invitation",
        guards=[INVITED],
        opt=problems(
            "no_such_invitation too_many_requests invitation_accepted invitation_expired "
            "invitation_revoked idempotency_key_needed",
            remembered=False,
        ),
    )
    async def accept_player_invitation(
        self,
        request: AnyRequest,
        tournament_id: TournamentId,
        data: Annotated[Acceptance, ACCEPTANCE],
        key: AcceptingKey,
        instance: TheInstance,
    ) -> Answer[InvitedPlayerKey]:
        """For the person who has the link: the token is what stands after its `#`. The same
        request, with the same `Idempotency-Key`, is shown the key again for ten minutes."""
        given = await accepted(request, tournament_id, data, key)
        player = given.made.player or 0
        players = (await instance.tournaments.current(tournament_id)).state.players
        answer = InvitedPlayerKey(str(tournament_id), player, players[player], given.key)
        return created(answer, repeated=given.repeated, headers=SHOWN_ONCE)
