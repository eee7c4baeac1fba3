"""`/v1/tournaments`: rosters, matches and their moderators, standings, and garnets."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import PathParameter

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
from service.application.creation import Creation
from service.application.match_keys import MatchKeys
from service.application.tournament_service import TournamentChange, TournamentService
from service.http.context import root_of
from service.http.described import examples, problems
from service.http.guards import EVERYBODY, ORGANISER
from service.http.headers import answer_header
from service.http.idempotency import remembered
from service.http.list_age import AGE, age_headers
from service.http.parameters import AfterPage, ListLimit, TournamentId, name_filter
from service.http.problems import AnyRequest
from service.http.responses import Answer, created
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
from service.read_models.lists import Lists

AssignedMatch = Annotated[UUID, PathParameter(description="The id of the match")]
Named = Annotated[
    str | None, name_filter("Tournaments of this name, or with a player of this name")
]

NEW_TOURNAMENT = examples(
    {
        "cup": {
            "name": "Spring Cup",
            "players": ["Ann", "Ben"],
            "moderators": ["Mo"],
            "garnets": {"Ann": 3},
        }
    }
)
NEW_PLAYER = examples({"cy": {"name": "Cy", "garnets": 2}})
NEW_MODERATOR = examples({"mia": {"name": "Mia"}})
ASSIGNMENT = examples({"first": {"moderator": 0}})
GARNETS = examples({"prize": {"player": 0, "amount": 2, "reason": "best of the day"}})
LOCATION = answer_header("Location", "The tournament")


class TournamentsController(Controller):
    """Creating and listing."""

    path = "/v1/tournaments"
    tags = ("tournaments",)

    @post(
        operation_id="createTournament",
        summary="Create a tournament",
        guards=[ORGANISER],
        response_headers=[LOCATION],
        opt=problems("names_not_allowed name_taken roster_full not_on_roster"),
    )
    async def create_tournament(
        self,
        request: AnyRequest,
        data: Annotated[NewTournament, NEW_TOURNAMENT],
        actor: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        creation: NamedDependency[Creation],
    ) -> Answer[CreatedTournament]:
        """Needs an organiser's key. Answers with the keys of the players and moderators; to a
        repeat of a request with an `Idempotency-Key`, with null in their place.
        """
        command = CreateTournament(data.name, data.players, data.moderators, data.garnets)
        tournament_id, change = await creation.tournament(command, once, actor)
        answer = _created_tournament(tournament_id, data, change)
        headers = {LOCATION.name: f"{root_of(request)}/v1/tournaments/{tournament_id}"}
        return created(answer, repeated=change.repeated, headers=headers)

    @get(
        operation_id="listTournaments",
        summary="The public list of tournaments",
        guards=[EVERYBODY],
        response_headers=[AGE],
    )
    async def list_tournaments(
        self,
        lists: NamedDependency[Lists],
        name: Named = None,
        after: AfterPage = None,
        limit: ListLimit = 50,
    ) -> Answer[TournamentPage]:
        """Newest first. `after` is the `next` of the page before."""
        page = await lists.read(
            lambda index: index.tournaments(after=after, limit=limit, name=name)
        )
        return Answer(page, 200, age_headers(lists.age))


class TournamentController(Controller):
    """One tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}"
    tags = ("tournaments",)

    @get(
        operation_id="showTournament",
        summary="A tournament: roster, matches and standings",
        guards=[EVERYBODY],
        response_headers=[AGE],
    )
    async def show_tournament(
        self, tournament_id: TournamentId, lists: NamedDependency[Lists]
    ) -> Answer[TournamentAnswer]:
        """What everybody may see. A match that is over counts a moment after its end."""
        shown = await lists.tournament(tournament_id)
        return Answer(_tournament(tournament_id, shown), 200, age_headers(lists.age))

    @post(
        "/matches/{match:uuid}/moderators",
        operation_id="giveMatch",
        summary="Give a match to a moderator",
        guards=[ORGANISER],
        opt=problems("moderator_plays no_such_tournament_match no_such_moderator", repeatable=True),
    )
    @remembered()
    async def give_match(
        self,
        tournament_id: TournamentId,
        match: AssignedMatch,
        data: Annotated[Assignment, ASSIGNMENT],
        tournaments: NamedDependency[TournamentService],
        match_keys: NamedDependency[MatchKeys],
    ) -> Answer[GivenMatch]:
        """Needs an organiser's key. From then on the moderator's key moderates that match."""
        command = GiveMatch(str(match), data.moderator)
        await tournaments.check(tournament_id, command)
        moderators = (await tournaments.current(tournament_id)).state.moderators
        name = moderators[data.moderator]
        await match_keys.check_person(match, "mod", name)
        change = await tournaments.execute(tournament_id, command)
        answer = GivenMatch(str(match), data.moderator, name)
        return created(answer, repeated=change.repeated)

    @post(
        "/players",
        operation_id="enterPlayer",
        summary="Enter a player",
        guards=[ORGANISER],
        opt=problems("names_not_allowed name_taken roster_full"),
    )
    async def enter_player(
        self,
        tournament_id: TournamentId,
        data: Annotated[NewPlayer, NEW_PLAYER],
        actor: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        tournaments: NamedDependency[TournamentService],
    ) -> Answer[PlayerKey]:
        """Needs an organiser's key. Matches may have begun already."""
        command = EnterPlayer(data.name, data.garnets)
        change = await tournaments.execute(tournament_id, command, once, by=actor)
        players = (await tournaments.current(tournament_id)).state.players
        answer = PlayerKey(players.index(data.name), data.name, _only_key(change))
        return created(answer, repeated=change.repeated)

    @post(
        "/moderators",
        operation_id="appointModerator",
        summary="Appoint a moderator",
        guards=[ORGANISER],
        opt=problems("names_not_allowed name_taken roster_full"),
    )
    async def appoint_moderator(
        self,
        tournament_id: TournamentId,
        data: Annotated[NewModerator, NEW_MODERATOR],
        actor: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        tournaments: NamedDependency[TournamentService],
    ) -> Answer[ModeratorKey]:
        """Needs an organiser's key. The moderator moderates the matches assigned to them."""
        command = AppointModerator(data.name)
        change = await tournaments.execute(tournament_id, command, once, by=actor)
        moderators = (await tournaments.current(tournament_id)).state.moderators
        answer = ModeratorKey(moderators.index(data.name), data.name, _only_key(change))
        return created(answer, repeated=change.repeated)

    @post(
        "/garnets",
        operation_id="postGarnets",
        summary="Give a player garnets, or take some away",
        guards=[ORGANISER],
        opt=problems("no_such_player not_enough_garnets garnets_not_allowed"),
    )
    async def post_garnets(
        self,
        tournament_id: TournamentId,
        data: Annotated[Garnets, GARNETS],
        once: NamedDependency[Request | None],
        tournaments: NamedDependency[TournamentService],
    ) -> Answer[Garnets]:
        """Needs an organiser's key. No purse goes below zero."""
        command = PostGarnets(data.player, data.amount, data.reason)
        change = await tournaments.execute(tournament_id, command, once)
        return created(data, repeated=change.repeated)


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
