"""`/v1/tournaments`: rosters, matches and their moderators, standings, and garnets."""

from typing import Annotated, TypeVar
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse

from domain.people import Actor
from domain.tournament import (
    AppointModerator,
    CreateTournament,
    EnterPlayer,
    GiveMatch,
    PostGarnets,
)
from domain.tournament_state import Request
from projections.tournaments import Shown
from service.application.tournament_service import TournamentChange
from service.http.access import EVERYBODY, only
from service.http.accounting import holder_of
from service.http.authentication import organiser_of
from service.http.context import context, root_of
from service.http.dependencies import TOURNAMENT_DEPENDENCIES, Call
from service.http.idempotency import read_once
from service.http.list_age import AGE, age_headers
from service.http.operation import IDEMPOTENCY_KEY, Header, get, post
from service.http.parameters import AfterPage, ListLimit, QueryParameters, allow_only, name_filter
from service.http.problems import AnyRequest
from service.http.request_body import Body
from service.http.responses import created, json
from service.http.tournament_schemas import (
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
from service.read_models.index import TournamentPage

T = TypeVar("T")

AssignedMatch = Annotated[UUID, PathParameter(description="The id of the match")]
Named = Annotated[
    str | None, name_filter("Tournaments of this name, or with a player of this name")
]


NEW_TOURNAMENT = Body(
    NewTournament,
    {
        "cup": {
            "name": "Spring Cup",
            "players": ["Ann", "Ben"],
            "moderators": ["Mo"],
            "garnets": {"Ann": 3},
        }
    },
)
NEW_PLAYER = Body(NewPlayer, {"cy": {"name": "Cy", "garnets": 2}})
NEW_MODERATOR = Body(NewModerator, {"mia": {"name": "Mia"}})
ASSIGNMENT = Body(Assignment, {"first": {"moderator": 0}})
GARNETS = Body(Garnets, {"prize": {"player": 0, "amount": 2, "reason": "best of the day"}})
LOCATION = Header("Location", "The tournament")


class TournamentsController(Controller):
    """Creating and listing."""

    path = "/v1/tournaments"
    tags = ("tournaments",)

    @post(
        operation_id="createTournament",
        summary="Create a tournament",
        security=only("organiser"),
        answer=CreatedTournament,
        body=NEW_TOURNAMENT,
        headers=[IDEMPOTENCY_KEY],
        answer_headers=[LOCATION],
        errors="request_in_flight names_not_allowed name_taken roster_full not_on_roster "
        "idempotency_key_reused",
    )
    async def create_tournament(self, request: AnyRequest) -> ASGIResponse:
        """Needs an organiser's key. Answers with the keys of the players and moderators; to a
        repeat of a request with an `Idempotency-Key`, with null in their place.
        """
        instance = context(request).instance
        organiser = await organiser_of(instance, request)
        new, once = await read_once(request, NEW_TOURNAMENT)
        command = CreateTournament(new.name, new.players, new.moderators, new.garnets)
        tournament_id, change = await instance.creation.tournament(
            command, once, holder_of(organiser)
        )
        answer = _created_tournament(tournament_id, new, change)
        headers = {"Location": f"{root_of(request)}/v1/tournaments/{tournament_id}"}
        return created(answer, repeated=change.repeated, headers=headers)

    @get(
        operation_id="listTournaments",
        summary="The public list of tournaments",
        security=EVERYBODY,
        answer=TournamentPage,
        answer_headers=[AGE],
        errors="bad_request",
    )
    async def list_tournaments(
        self,
        request: AnyRequest,
        name: Named = None,
        after: AfterPage = None,
        limit: ListLimit = 50,
    ) -> ASGIResponse:
        """Newest first. `after` is the `next` of the page before."""
        allow_only(request, "name", "after", "limit")
        lists = context(request).instance.lists
        page = await lists.tournaments(after=after, limit=limit, name=name)
        return json(page, 200, age_headers(lists.age))


class TournamentController(Controller):
    """One tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("tournaments",)
    dependencies = TOURNAMENT_DEPENDENCIES

    @get(
        operation_id="showTournament",
        summary="A tournament: roster, matches and standings",
        security=EVERYBODY,
        answer=TournamentAnswer,
        answer_headers=[AGE],
        query=QueryParameters,
    )
    async def show_tournament(self, call: NamedDependency[Call]) -> ASGIResponse:
        """What everybody may see. A match that is over counts a moment after its end."""
        shown = await call.instance.lists.tournament(call.id)
        return json(_tournament(call.id, shown), 200, age_headers(call.instance.lists.age))

    @post(
        "/matches/{match:uuid}/moderators",
        operation_id="giveMatch",
        summary="Give a match to a moderator",
        security=only("organiser"),
        answer=GivenMatch,
        body=ASSIGNMENT,
        repeatable=True,
        errors="moderator_plays no_such_tournament_match no_such_moderator",
    )
    async def give_match(self, call: NamedDependency[Call], match: AssignedMatch) -> ASGIResponse:
        """Needs an organiser's key. From then on the moderator's key moderates that match."""
        await _check_organises(call)
        assignment = await ASSIGNMENT.read(call.request)
        command = GiveMatch(str(match), assignment.moderator)
        await call.instance.tournaments.check(call.id, command)
        moderators = (await call.instance.tournaments.current(call.id)).state.moderators
        name = moderators[assignment.moderator]
        await call.instance.match_keys.check_person(match, "mod", name)
        change = await call.instance.tournaments.execute(call.id, command)
        answer = GivenMatch(str(match), assignment.moderator, name)
        return created(answer, repeated=change.repeated)

    @post(
        "/players",
        operation_id="enterPlayer",
        summary="Enter a player",
        security=only("organiser"),
        answer=PlayerKey,
        body=NEW_PLAYER,
        headers=[IDEMPOTENCY_KEY],
        errors="names_not_allowed name_taken roster_full",
    )
    async def enter_player(self, call: NamedDependency[Call]) -> ASGIResponse:
        """Needs an organiser's key. Matches may have begun already."""
        new, once, by = await _read_once(call, NEW_PLAYER)
        command = EnterPlayer(new.name, new.garnets)
        change = await call.instance.tournaments.execute(call.id, command, once, by=by)
        players = (await call.instance.tournaments.current(call.id)).state.players
        answer = PlayerKey(players.index(new.name), new.name, _only_key(change))
        return created(answer, repeated=change.repeated)

    @post(
        "/moderators",
        operation_id="appointModerator",
        summary="Appoint a moderator",
        security=only("organiser"),
        answer=ModeratorKey,
        body=NEW_MODERATOR,
        headers=[IDEMPOTENCY_KEY],
        errors="names_not_allowed name_taken roster_full",
    )
    async def appoint_moderator(self, call: NamedDependency[Call]) -> ASGIResponse:
        """Needs an organiser's key. The moderator moderates the matches assigned to them."""
        new, once, by = await _read_once(call, NEW_MODERATOR)
        command = AppointModerator(new.name)
        change = await call.instance.tournaments.execute(call.id, command, once, by=by)
        moderators = (await call.instance.tournaments.current(call.id)).state.moderators
        answer = ModeratorKey(moderators.index(new.name), new.name, _only_key(change))
        return created(answer, repeated=change.repeated)

    @post(
        "/garnets",
        operation_id="postGarnets",
        summary="Give a player garnets, or take some away",
        security=only("organiser"),
        answer=Garnets,
        body=GARNETS,
        headers=[IDEMPOTENCY_KEY],
        errors="no_such_player not_enough_garnets garnets_not_allowed",
    )
    async def post_garnets(self, call: NamedDependency[Call]) -> ASGIResponse:
        """Needs an organiser's key. No purse goes below zero."""
        new, once, _ = await _read_once(call, GARNETS)
        command = PostGarnets(new.player, new.amount, new.reason)
        change = await call.instance.tournaments.execute(call.id, command, once)
        return created(new, repeated=change.repeated)


async def _check_organises(call: Call) -> Actor:
    """The organiser who sends the request. Raises Failed for others, and UnknownTournament."""
    organiser = await organiser_of(call.instance, call.request)
    await call.instance.tournaments.current(call.id)
    return holder_of(organiser)


async def _read_once(call: Call, body: Body[T]) -> tuple[T, Request | None, Actor]:
    """The body of an organiser's request, perhaps under an idempotency key, and who that is. Raises
    likewise."""
    organiser = await _check_organises(call)
    return *await read_once(call.request, body), organiser


def _created_tournament(
    tournament_id: UUID, new: NewTournament, change: TournamentChange
) -> CreatedTournament:
    """A tournament with its keys, without them if it had been created before."""
    keys = iter(change.keys)
    players = [PlayerKey(n, name, next(keys, None)) for n, name in enumerate(new.players)]
    moderators = [ModeratorKey(n, name, next(keys, None)) for n, name in enumerate(new.moderators)]
    return CreatedTournament(str(tournament_id), new.name, players, moderators)


def _tournament(tournament_id: UUID, shown: Shown) -> TournamentAnswer:
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


def _only_key(change: TournamentChange) -> str | None:
    return change.keys[0] if change.keys else None
