"""`/v1/tournaments`: rosters, matches and their moderators, standings, and rounds as texts ready to
paste."""

from asyncio import to_thread
from collections.abc import Sequence
from itertools import zip_longest
from typing import Annotated, Literal

from litestar import Controller
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse
from msgspec import Struct

from domain.game import Result
from domain.tournament.commands import NewTournament
from domain.tournament.state import Added
from projections.audience.matches import ScheduledMatch
from projections.fields import Moderator as ModeratorNumber
from projections.fields import Player, Timestamp, rfc3339
from projections.tournaments.players import ShownPlayer, show_player
from projections.tournaments.standings import Standing, standings
from projections.tournaments.tournaments import rounds_of
from service.http.access.grants import may_create
from service.http.access.guards import EVERYBODY, ORGANISER
from service.http.description.routing import examples, get, post, problems
from service.http.errors.problems import AnyRequest, Failed
from service.http.requests.context import base_url, root_of
from service.http.requests.dependencies import (
    AfterPage,
    ListLimit,
    Once,
    TheActor,
    TheGrant,
    TheInstance,
    TheTournament,
    TournamentRequest,
    name_filter,
)
from service.http.requests.responses import (
    AGE,
    Answer,
    age_headers,
    answer_header,
    created,
    json_bytes,
)
from service.http.tournaments.players import PlayerKey
from service.http.tournaments.staff import ModeratorKey, show_key
from service.notices.announcement import AnnouncedRound, announcement
from service.read_models.index import TournamentPage

RoundNumber = Annotated[int, PathParameter(description="The number of the round, from 1")]
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
LOCATION = answer_header("Location", "The tournament")


class Moderator(Struct, frozen=True):
    """A moderator, to whom matches can be assigned."""

    moderator: ModeratorNumber
    name: str


class CreatedTournament(Struct, frozen=True):
    """A tournament and its keys. They are shown once and only their hashes are stored: in the
    answer to a repeated request they are null."""

    id: str
    name: str
    players: list[PlayerKey]
    moderators: list[ModeratorKey]


class TournamentMatch(Struct, frozen=True):
    """A match: the numbers of its players, seat by seat, and of its moderators. `result` is null
    while the match does not count in the standings; winners and losers in it are seats."""

    match: str
    game: str
    players: tuple[int, ...]
    moderators: tuple[int, ...]
    status: str
    result: Result | None


class TournamentAnswer(Struct, frozen=True):
    """A tournament as everyone may see it: `closed` once it has `champions`. It `started` with its
    first match or round, and `ended` with its close."""

    id: str
    name: str
    status: Literal["open", "closed"]
    started: Timestamp | None
    ended: Timestamp | None
    champions: tuple[Player, ...] | None
    players: list[ShownPlayer]
    moderators: list[Moderator]
    matches: list[TournamentMatch]
    standings: list[Standing]


class TournamentsController(Controller):
    """Tournaments, and what organisers do with them."""

    path = "/v1/tournaments"
    tags = ("tournaments",)

    @post(
        summary="Create a tournament",
        guards=[ORGANISER],
        response_headers=[LOCATION],
        opt=problems("names_not_allowed name_taken roster_full not_on_roster"),
    )
    async def create_tournament(
        self,
        request: AnyRequest,
        data: Annotated[NewTournament, NEW_TOURNAMENT],
        grant: TheGrant,
        actor: TheActor,
        once: Once,
        instance: TheInstance,
    ) -> Answer[CreatedTournament]:
        """Needs an organiser's key. Answers with the keys of the players and moderators; to a
        repeat of a request with an `Idempotency-Key`, with null in their place.
        """
        if not await may_create(instance, grant, None):
            raise Failed("not_allowed")
        tournament_id, change = await instance.creation.tournament(data, once, actor)
        names = (await instance.tournaments.cached(tournament_id)).state.players
        keys, shows_keys = iter(change.keys), data.keys == "shown"
        players = [
            PlayerKey(n, name, next(keys, None) if shows_keys else None)
            for n, name in enumerate(names[: len(data.players)])
        ]
        tournament = TournamentRequest(tournament_id, instance, request)
        moderators = await to_thread(_moderator_keys, tournament, data.moderators, [*keys])
        answer = CreatedTournament(str(tournament_id), data.name, players, moderators)
        headers = {LOCATION.name: f"{root_of(request)}/v1/tournaments/{tournament_id}"}
        return created(answer, repeated=change.repeated, headers=headers)

    @get(summary="The public list of tournaments", guards=[EVERYBODY], response_headers=[AGE])
    async def list_tournaments(
        self,
        instance: TheInstance,
        name: Named = None,
        after: AfterPage = None,
        limit: ListLimit = 50,
    ) -> Answer[TournamentPage]:
        """Newest first. `after` is the `next` of the page before."""
        page = await instance.lists.read(
            lambda index: index.tournaments(after=after, limit=limit, name=name)
        )
        return Answer(page, 200, age_headers(instance.lists.age))

    @get(
        "/{tournament_id:uuid}",
        summary="A tournament: roster, matches and standings",
        guards=[EVERYBODY],
        response_headers=[AGE],
    )
    async def show_tournament(self, tournament: TheTournament) -> Answer[TournamentAnswer]:
        """What everyone may see. A match that is over counts a moment after its end."""
        lists = tournament.instance.lists
        loaded = await tournament.instance.tournaments.current(tournament.id)
        state = loaded.state
        scheduled = await lists.scheduled(state.matches)
        answer = TournamentAnswer(
            id=str(tournament.id),
            name=state.name,
            status="closed" if loaded.over else "open",
            started=None if loaded.started is None else rfc3339(loaded.started),
            ended=None if loaded.ended is None else rfc3339(loaded.ended),
            champions=state.competition.champions,
            players=[show_player(state, number) for number in range(len(state.players))],
            moderators=[Moderator(number, state.moderators[number]) for number in state.in_office],
            matches=[
                _match(match, added, scheduled.get(match)) for match, added in state.matches.items()
            ],
            standings=standings(state),
        )
        return Answer(answer, 200, age_headers(lists.age))

    @get(
        "/{tournament_id:uuid}/rounds/{number:int}/announcement",
        summary="A round as a text, ready to paste",
        response_description="The text",
        guards=[EVERYBODY],
        response_headers=[AGE],
        opt=problems("bad_request no_such_round", content={"text/plain": str}),
    )
    async def announce_round(self, tournament: TheTournament, number: RoundNumber) -> ASGIResponse:
        """Who plays whom, since when, until when, and the results so far: what everyone may see.
        A match is in the first round after all earlier matches of its players."""
        instance = tournament.instance
        base = base_url(instance.settings.server.public_url, tournament.request)
        text = announcement(await _round(tournament, number), base)
        headers = age_headers(instance.lists.age)
        return json_bytes(text.encode(), 200, headers, "text/plain; charset=utf-8")


def _match(match: str, added: Added, scheduled: ScheduledMatch | None) -> TournamentMatch:
    """A match; the list may not have it yet."""
    status = "created" if scheduled is None else scheduled.row.status
    return TournamentMatch(match, added.game, added.players, added.moderators, status, added.result)


async def _round(tournament: TournamentRequest, number: int) -> AnnouncedRound:
    """A round. Raises Failed, UnknownTournament and StoreUnavailable."""
    state = await tournament.state()
    rounds = rounds_of(state.matches)
    matches = [match for match in state.matches if rounds[match] == number]
    if not matches:
        raise Failed("no_such_round")
    scheduled = await tournament.instance.lists.scheduled(matches)
    pairings = [scheduled[match] for match in matches if match in scheduled]
    playing = {player for match in matches for player in state.matches[match].players}
    without = [name for player, name in enumerate(state.players) if player not in playing]
    return AnnouncedRound(str(tournament.id), state.name, number, pairings, without)


def _moderator_keys(
    tournament: TournamentRequest, names: Sequence[str], keys: Sequence[str]
) -> list[ModeratorKey]:
    """The keys of the first moderators; none of them to a repeat."""
    named_keys = enumerate(zip_longest(names, keys))
    return [show_key(tournament, ModeratorKey, n, name, key) for n, (name, key) in named_keys]
