"""`/v1/tournaments/{id}/registration`: a link by which players enter themselves."""

import hmac
import secrets
from datetime import datetime
from hashlib import sha256
from typing import Annotated

from litestar import Controller
from msgspec import Meta, Struct

from domain.game import Refused
from domain.tournament.decide import MOST_PLAYERS
from domain.tournament.registration import CloseRegistration, OpenRegistration, Register, place_of
from projections.fields import Player, ShownOnce
from projections.texts.timestamps import check_year, microseconds
from service.auth.key_form import hashed
from service.http.access.guards import ORGANISER
from service.http.description.described import answer_of, examples, problems
from service.http.description.routing import delete, post
from service.http.errors.problems import AnyRequest
from service.http.keys.invitations import INVITED, AcceptingKey, guesses_of, link_to
from service.http.requests.dependencies import (
    Once,
    TheInstance,
    TheTournament,
)
from service.http.requests.parameters import TournamentId
from service.http.requests.responses import SHOWN_ONCE, Answer, created

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


class RegistrationController(Controller):
    """The registration of tournaments."""

    path = "/v1/tournaments/{tournament_id:uuid}/registration"
    tags = ("tournaments",)

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
        command = OpenRegistration(hashed(token), data.limit, closes, data.waiting_list, now)
        change = await tournament.execute(command, once)
        secret = None if change.repeated else f"register-{token}"
        link = link_to(tournament.request, f"/t/{tournament.id}", secret)
        return created(OpenedRegistration(link), repeated=change.repeated, headers=SHOWN_ONCE)

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
        self,
        request: AnyRequest,
        tournament_id: TournamentId,
        data: Annotated[NewEntry, ENTRY],
        instance: TheInstance,
        key: AcceptingKey,
    ) -> Answer[RegisteredPlayer] | Answer[WaitingPlayer]:
        """For anyone who has the link. 201 with the player's key, which the same request is shown
        again for ten minutes; 202 on the waiting list."""
        guesses = guesses_of(request)
        mine = sha256(f"{tournament_id}\0{data.name}\0{key}".encode()).digest()
        now = instance.clock.now()
        command = Register(data.name, hashed(data.token), mine, now)
        try:
            await instance.tournaments.execute(tournament_id, command)
        except Refused as refused:
            if refused.code == "no_such_registration":
                guesses.failed()
            raise
        state = (await instance.tournaments.current(tournament_id)).state
        if mine in state.waiting:
            return Answer(WaitingPlayer(place_of(state, mine) + 1), 202, SHOWN_ONCE)
        player = state.registered[mine]
        token = hmac.digest(data.token.encode(), mine, "sha256").hex()
        given = await instance.invitations.give(tournament_id, player, token, key)
        answer = RegisteredPlayer(player, state.players[player], given.key)
        return created(answer, repeated=given.repeated, headers=SHOWN_ONCE)
