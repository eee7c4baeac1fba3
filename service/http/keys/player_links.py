"""`/v1/tournaments/{id}/players/{n}/invitation` and `/registration`: links with which players get
their keys, which no one else has ever seen, or enter themselves."""

import hmac
import secrets
from datetime import datetime
from hashlib import sha256
from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Refused
from domain.tournament.commands import MOST_PLAYERS
from domain.tournament.registration import CloseRegistration, OpenRegistration, Register, place_of
from projections.fields import Player, ShownOnce, Timestamp, check_year, microseconds, rfc3339
from service.auth.keyring import hash_key
from service.http.access.guards import ORGANISER
from service.http.description.routing import (
    OfTournament,
    answer_of,
    delete,
    examples,
    post,
    problems,
)
from service.http.keys.invitations import (
    ACCEPTANCE,
    INVITED,
    Acceptance,
    AcceptingKey,
    ExpiresIn,
    accept,
    guessing,
)
from service.http.requests.context import link_to
from service.http.requests.dependencies import Once, PlayerOfPath, TheTournament
from service.http.requests.qr_codes import qr_code
from service.http.requests.responses import SHOWN_ONCE, Answer, created

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


class PlayerInvitationsController(OfTournament):
    """Invitations for the players of tournaments."""

    @post(
        "/players/{player:int}/invitation",
        summary="Make a link with which a player gets their key",
        guards=[ORGANISER],
        opt=problems("no_such_player"),
    )
    async def invite_player(
        self,
        tournament: TheTournament,
        player: PlayerOfPath,
        once: Once,
        data: Annotated[NewPlayerInvitation, INVITATION] = WEEK,
    ) -> Answer[PlayerInvitation]:
        """Needs an organiser's key. The link can be accepted once, until it expires or another one
        is made. Opening it changes nothing; when it is accepted the player's earlier keys end."""
        players = (await tournament.state()).players
        if player >= len(players):
            raise Refused("no_such_player")
        instance, by = tournament.instance, tournament.by
        making, token = await instance.invitations.make(
            tournament.id, player, data.expires_in, by, once
        )
        link = link_to(tournament.request, f"/t/{tournament.id}/me?player={player}", token)
        expires, qr = rfc3339(making.expires), qr_code(link)
        answer = PlayerInvitation(making.id, player, players[player], expires, link, qr)
        return created(answer, repeated=token is None)

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
        self, tournament: TheTournament, data: Annotated[Acceptance, ACCEPTANCE], key: AcceptingKey
    ) -> Answer[InvitedPlayerKey]:
        """For the person who has the link: the token is what stands after its `#`. The same
        request, with the same `Idempotency-Key`, is shown the key again for ten minutes."""
        given_key = await accept(tournament.request, tournament.id, data, key)
        player = given_key.made.player or 0
        name = (await tournament.state()).players[player]
        answer = InvitedPlayerKey(str(tournament.id), player, name, given_key.key)
        return created(answer, repeated=given_key.repeated)


REGISTRATION = examples({"twelve": {"limit": 12, "waiting_list": True}})
ENTRY = examples({"ann": {"name": "Ann", "token": "mF_9.B5f-4.1JqM"}})


class NewRegistration(Struct, frozen=True, forbid_unknown_fields=True):
    """A registration: up to how many players in all, when it closes, and whether others may wait
    for a place."""

    limit: Annotated[
        int, Meta(ge=1, le=MOST_PLAYERS, description="How many players there are at most, in all")
    ] = MOST_PLAYERS
    closes: Annotated[datetime, Meta(tz=True)] | None = None
    waiting_list: Annotated[
        bool, Meta(description="Whether others wait for a place, or are refused")
    ] = False

    def __post_init__(self) -> None:
        if self.closes is not None:
            check_year(self.closes)


OPEN = NewRegistration()


class OpenedRegistration(Struct, frozen=True):
    """The `link` by which players enter themselves: shown once."""

    link: ShownOnce


class NewEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """A name, and the token that stands behind the `#` of the link, after `register-`."""

    name: str
    token: Annotated[str, Meta(min_length=1, max_length=200)]


class RegisteredPlayer(Struct, frozen=True):
    """A player who has entered, and their key, which no one else is shown."""

    player: Player
    name: str
    key: str


class WaitingPlayer(Struct, frozen=True):
    """How many are `waiting` up to this one; the same request sent again moves up."""

    waiting: int


class RegistrationController(OfTournament):
    """The registration of tournaments."""

    path = f"{OfTournament.path}/registration"

    @post(
        summary="Open the registration",
        guards=[ORGANISER],
        opt=problems("registration_closed tournament_closed"),
    )
    async def open_registration(
        self,
        tournament: TheTournament,
        once: Once,
        data: Annotated[NewRegistration, REGISTRATION] = OPEN,
    ) -> Answer[OpenedRegistration]:
        """Needs an organiser's key. Anyone who has the link enters a name once. Opened again, it
        has another link, and the earlier one ends."""
        token, now = secrets.token_urlsafe(32), tournament.instance.clock.now()
        closes = None if data.closes is None else microseconds(data.closes)
        command = OpenRegistration(hash_key(token), data.limit, closes, data.waiting_list, now)
        change = await tournament.execute(command, once)
        secret = None if change.repeated else f"register-{token}"
        link = link_to(tournament.request, f"/t/{tournament.id}/me", secret)
        return created(OpenedRegistration(link), repeated=change.repeated)

    @delete(
        summary="Close the registration",
        response_description="It is closed",
        guards=[ORGANISER],
        opt=problems("tournament_closed"),
    )
    async def close_registration(self, tournament: TheTournament) -> None:
        """Needs an organiser's key. Those who wait stay where they are."""
        await tournament.execute(CloseRegistration())

    @post(
        "/entries",
        summary="Enter a tournament",
        guards=[INVITED],
        responses={202: answer_of(WaitingPlayer)},
        opt=problems(
            "no_such_registration registration_closed names_not_allowed name_taken roster_full "
            "tournament_closed too_many_requests invitation_accepted idempotency_key_needed",
            remembered=False,
        ),
    )
    async def register_player(
        self, tournament: TheTournament, data: Annotated[NewEntry, ENTRY], key: AcceptingKey
    ) -> Answer[RegisteredPlayer] | Answer[WaitingPlayer]:
        """For anyone who has the link. 201 with the player's key, which the same request is shown
        again for ten minutes; 202 on the waiting list."""
        instance = tournament.instance
        mine = sha256(f"{tournament.id}\0{data.name}\0{key}".encode()).digest()
        command = Register(data.name, hash_key(data.token), mine, instance.clock.now())
        with guessing(tournament.request):
            await instance.tournaments.execute(tournament.id, command)
        state = await tournament.state()
        if mine in state.waiting:
            return Answer(WaitingPlayer(place_of(state, mine) + 1), 202, SHOWN_ONCE)
        player = state.registered[mine]
        token = hmac.digest(data.token.encode(), mine, "sha256").hex()
        given_key = await instance.invitations.give(tournament.id, player, token, key)
        answer = RegisteredPlayer(player, state.players[player], given_key.key)
        return created(answer, repeated=given_key.repeated)
