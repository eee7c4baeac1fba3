"""`/v1/tournaments`: rosters, matches and their moderators, standings, and garnets given."""

from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response.base import ASGIResponse

from domain.tournament import (
    AppointModerator,
    CreateTournament,
    EnterPlayer,
    GiveMatch,
    PostGarnets,
)
from domain.tournament_state import Request
from projections.tournaments import Shown
from service.arbiter import Arbiter
from service.door.tournaments import Done
from service.http.access import holder
from service.http.asking import idempotency_key, requested
from service.http.problems import AnyRequest, Failed
from service.http.reading import decoded
from service.http.responses import json, only, raises, returns
from service.http.searching import sought
from service.http.tournament_bodies import (
    Assignment,
    CreatedTournament,
    Garnets,
    GivenMatch,
    Moderator,
    ModeratorKey,
    NewModerator,
    NewPlayer,
    NewTournament,
    Player,
    PlayerKey,
    TournamentAnswer,
    TournamentMatch,
)
from service.storage.index import TournamentPage
from service.stores import Stores

T = TypeVar("T")

MOST_A_PAGE = 200

NAMED = sought("Tournaments of this name, or with a player of this name")

ORGANISING = (
    "not_json", "wrong_shape", "key_missing", "key_unknown", "not_allowed", "too_large",
    "try_again",
)  # fmt: skip
ASKING = (*ORGANISING, "bad_idempotency_key", "no_such_tournament", "idempotency_key_reused")
NAMING = ("names_not_allowed", "name_taken", "roster_full")
CREATING = (
    *ORGANISING, *NAMING, "not_on_roster", "bad_idempotency_key", "idempotency_key_reused",
    "request_in_flight",
)  # fmt: skip

_new_tournament = msgspec.json.Decoder(NewTournament)
_new_player = msgspec.json.Decoder(NewPlayer)
_new_moderator = msgspec.json.Decoder(NewModerator)
_assignment = msgspec.json.Decoder(Assignment)
_garnets = msgspec.json.Decoder(Garnets)


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The routes of tournaments."""
    return [*_reading(stores), *_organising(stores), *_asking(stores)]


def _reading(stores: Stores) -> list[HTTPRouteHandler]:
    @get(
        "/v1/tournaments",
        operation_id="listTournaments",
        summary="The public list of tournaments",
        tags=["tournaments"],
        responses=raises("bad_request", "try_again"),
    )
    async def list_tournaments(
        request: AnyRequest,
        name: Annotated[str | None, NAMED] = None,
        after: FromQuery[UUID | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=MOST_A_PAGE)] = 50,
    ) -> TournamentPage:
        """Newest first. `after` is the `next` of the page before."""
        only(request, "name", "after", "limit")
        return await stores.listed_tournaments(after=after, limit=limit, name=name)

    @get(
        "/v1/tournaments/{tournament_id:uuid}",
        operation_id="showTournament",
        summary="A tournament: roster, matches and standings",
        tags=["tournaments"],
        responses={
            **returns(200, TournamentAnswer),
            **raises("bad_request", "no_such_tournament", "try_again"),
        },
    )
    async def show_tournament(request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """What everybody may see. A match that is over counts a moment after its end."""
        arbiter = await stores.of(tournament_id)
        only(request)
        return json(answer(tournament_id, await arbiter.lists.tournament(tournament_id)))

    return [list_tournaments, show_tournament]


def _organising(stores: Stores) -> list[HTTPRouteHandler]:
    @post(
        "/v1/tournaments",
        operation_id="createTournament",
        summary="Create a tournament",
        tags=["tournaments"],
        responses={
            **returns(201, CreatedTournament),
            **raises(*CREATING),
        },
    )
    async def create_tournament(request: AnyRequest) -> ASGIResponse:
        """Needs an organiser's key. Answers with the keys of the players and moderators; to a
        repeat of a request with an `Idempotency-Key`, with null in their place.
        """
        key = idempotency_key(request)
        await organiser(stores.some, request)
        new = await decoded(request, _new_tournament)
        command = CreateTournament(new.name, new.players, new.moderators, new.garnets)
        asked = requested(key, new)
        arbiter = await stores.for_new(asked)
        made, done = await arbiter.creation.tournament(command, asked)
        keys = iter(done.keys)
        players = [PlayerKey(n, name, next(keys, None)) for n, name in enumerate(new.players)]
        moderators = [
            ModeratorKey(n, name, next(keys, None)) for n, name in enumerate(new.moderators)
        ]
        created = CreatedTournament(str(made), new.name, players, moderators)
        return _done(done, created, {"Location": f"/v1/tournaments/{made}"})

    @post(
        "/v1/tournaments/{tournament_id:uuid}/matches/{match:uuid}/moderators",
        operation_id="giveMatch",
        summary="Give a match to a moderator",
        tags=["tournaments"],
        responses={
            **returns(201, GivenMatch),
            **raises(
                *ORGANISING, "no_such_tournament", "no_such_tournament_match",
                "no_such_moderator", "moderator_plays",
            ),
        },
    )  # fmt: skip
    async def give_match(
        request: AnyRequest, tournament_id: FromPath[UUID], match: FromPath[UUID]
    ) -> ASGIResponse:
        """Needs an organiser's key. His key is from then on a moderator's in that match."""
        arbiter = await stores.of(tournament_id)
        await organiser(arbiter, request)
        await arbiter.tournaments.opened(tournament_id)
        given = await decoded(request, _assignment)
        command = GiveMatch(str(match), given.moderator)
        done = await arbiter.tournaments.enter(tournament_id, command)
        moderators = (await arbiter.tournaments.opened(tournament_id)).state.moderators
        name = moderators[given.moderator]
        return _done(done, GivenMatch(str(match), given.moderator, name))

    return [create_tournament, give_match]


def _asking(stores: Stores) -> list[HTTPRouteHandler]:
    @post(
        "/v1/tournaments/{tournament_id:uuid}/players",
        operation_id="enterPlayer",
        summary="Enter a player",
        tags=["tournaments"],
        responses={**returns(201, PlayerKey), **raises(*ASKING, *NAMING)},
    )
    async def enter_player(request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """Needs an organiser's key. Matches may have begun already."""
        arbiter = await stores.of(tournament_id)
        new, asked = await _asked(arbiter, request, tournament_id, _new_player)
        done = await arbiter.tournaments.enter(
            tournament_id, EnterPlayer(new.name, new.garnets), asked
        )
        players = (await arbiter.tournaments.opened(tournament_id)).state.players
        return _done(done, PlayerKey(players.index(new.name), new.name, _key(done)))

    @post(
        "/v1/tournaments/{tournament_id:uuid}/moderators",
        operation_id="appointModerator",
        summary="Appoint a moderator",
        tags=["tournaments"],
        responses={**returns(201, ModeratorKey), **raises(*ASKING, *NAMING)},
    )
    async def appoint_moderator(request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """Needs an organiser's key. He moderates the matches that he is given."""
        arbiter = await stores.of(tournament_id)
        new, asked = await _asked(arbiter, request, tournament_id, _new_moderator)
        done = await arbiter.tournaments.enter(tournament_id, AppointModerator(new.name), asked)
        moderators = (await arbiter.tournaments.opened(tournament_id)).state.moderators
        return _done(done, ModeratorKey(moderators.index(new.name), new.name, _key(done)))

    @post(
        "/v1/tournaments/{tournament_id:uuid}/garnets",
        operation_id="postGarnets",
        summary="Give a player garnets, or take some away",
        tags=["tournaments"],
        responses={
            **returns(201, Garnets),
            **raises(*ASKING, "no_such_player", "not_enough_garnets", "garnets_not_allowed"),
        },
    )
    async def post_garnets(request: AnyRequest, tournament_id: FromPath[UUID]) -> ASGIResponse:
        """Needs an organiser's key. No purse goes below zero."""
        arbiter = await stores.of(tournament_id)
        new, asked = await _asked(arbiter, request, tournament_id, _garnets)
        command = PostGarnets(new.player, new.amount, new.reason)
        return _done(await arbiter.tournaments.enter(tournament_id, command, asked), new)

    return [enter_player, appoint_moderator, post_garnets]


async def _asked(
    arbiter: Arbiter,
    request: AnyRequest,
    tournament_id: UUID,
    decoder: "msgspec.json.Decoder[T]",
) -> tuple[T, Request | None]:
    """What an organiser asks of a tournament, and by which request if it has a key."""
    key = idempotency_key(request)
    await organiser(arbiter, request)
    await arbiter.tournaments.opened(tournament_id)
    body = await decoded(request, decoder)
    return body, requested(key, body)


async def organiser(arbiter: Arbiter, request: AnyRequest) -> None:
    """Raises Failed unless the request's key is an organiser's."""
    if (await holder(arbiter, request)).role != "organiser":
        raise Failed("not_allowed")


def answer(tournament_id: UUID, shown: Shown) -> TournamentAnswer:
    """A tournament as everybody may see it."""
    return TournamentAnswer(
        str(tournament_id),
        shown.name,
        [Player(number, name) for number, name in enumerate(shown.players)],
        [Moderator(number, name) for number, name in enumerate(shown.moderators)],
        [
            TournamentMatch(m.match, m.game, m.players, m.moderators, status, m.result)
            for m, status in shown.matches
        ],
        list(shown.standings),
    )


def _done(done: Done, body: Any, headers: dict[str, str] | None = None) -> ASGIResponse:
    """201 for what has been recorded, 200 for what had been before."""
    if done.repeated:
        return json(body, 200, {**(headers or {}), "Idempotent-Replayed": "true"})
    return json(body, 201, headers)


def _key(done: Done) -> str | None:
    return done.keys[0] if done.keys else None
