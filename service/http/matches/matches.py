"""`/v1/matches`: creating, starting and listing matches; the name of a seat is withheld."""

from itertools import zip_longest
from typing import Annotated

import msgspec
from litestar import Controller
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.game import Refused
from domain.match.commands import Start
from domain.match.seat_holders import first_holders
from projections.audience.disclosure import PUBLIC_VIEWER
from projections.audience.shown_match import ShownMatch, shown_match
from projections.fields import Seat, ShownOnce
from service.application.matches.creation import NewMatch
from service.event_store.errors import UnknownTournament
from service.http.access.grants import may_create
from service.http.access.guards import DIRECTORS, EVERYBODY, KEEPER_OF_NAMES, ORGANISER
from service.http.description.routing import delete, examples, get, post, problems
from service.http.errors.creation_mistakes import creation_failed
from service.http.errors.mistakes import Mistake, in_query
from service.http.errors.problems import AnyRequest, Failed
from service.http.middleware.caching import CHANGING, content_tag, of_history
from service.http.requests.command_response import TAKEN, ordered
from service.http.requests.context import root_of
from service.http.requests.dependencies import (
    AfterPage,
    ListLimit,
    MatchId,
    OfGame,
    OfStatus,
    OfTournament,
    Once,
    Sent,
    TheActor,
    TheGrant,
    TheInstance,
    instant_filter,
    instant_of,
    name_filter,
)
from service.http.requests.request_body import JSON
from service.http.requests.responses import (
    AGE,
    ETAG,
    INCARNATION,
    Answer,
    age_headers,
    answer_header,
    created,
)
from service.read_models.index import MatchFilters, MatchPage

OfPlayer = Annotated[str | None, name_filter("Matches in which a seat has this name")]
OfModerator = Annotated[
    str | None, name_filter("Matches that a moderator of their tournament of this name moderates")
]
Since = Annotated[str | None, instant_filter("Created at this instant or later")]
Until = Annotated[str | None, instant_filter("Created before this instant")]

NEW_MATCH = examples({"dollar_prize": {"game": "dollar-prize", "seats": ["Ann", "Ben"]}})
SeatOfPath = Annotated[int, PathParameter(description="The number of the seat, from 0")]
LOCATION = answer_header("Location", "The view of the match")
TAG = answer_header("ETag", "A digest of the answer")
UNKNOWN_TOURNAMENT = (
    Mistake("body", "unknown_value", "There is no such tournament.", pointer="/tournament"),
)


class Watching(Struct, frozen=True):
    """How many follow a match as the public does."""

    watching: Annotated[int, Meta(description="Open streams of the public")]


class SeatKey(Struct, frozen=True):
    """A seat and the key to it. `key` is shown once: null in the answer to a repeated request, and
    where seats get their keys by invitations."""

    seat: Seat
    name: str
    key: ShownOnce


class CreatedMatch(Struct, frozen=True):
    """A match and its keys. They are shown once and only their hashes are stored: in the answer to
    a repeated request they are null. `note` is signed: it holds the service to the options and
    names of the match and to its commitment to the seed."""

    id: str
    seats: list[SeatKey]
    moderator_key: ShownOnce
    note: Annotated[str, Meta(description="A signed note, the same if the request is repeated")]


def match_filters(
    game: OfGame = None,
    status: OfStatus = None,
    tournament_: OfTournament = None,
    moderator: OfModerator = None,
    player: OfPlayer = None,
    name: OfPlayer = None,
    since: Since = None,
    until: Until = None,
) -> MatchFilters:
    """Which matches a request asks for. Raises Failed."""
    if player is not None and name is not None:
        wrong = in_query("name", "sent_twice", "`player` and `name` are one filter.")
        raise Failed("bad_request", wrong.detail, errors=(wrong,))
    span = instant_of("since", since), instant_of("until", until)
    return MatchFilters(
        game, status, tournament_, name if player is None else player, moderator, *span
    )


FILTERS = {"filters": Provide(match_filters, sync_to_thread=False)}


class MatchesController(Controller):
    """Creating and listing matches."""

    path = "/v1/matches"
    tags = ("matches",)
    dependencies = FILTERS

    @post(
        summary="Create a match",
        guards=[ORGANISER],
        response_headers=[LOCATION],
        opt=problems(
            "has_looked unknown_game seats_not_allowed options_not_allowed record_not_allowed "
            "unknown_tournament not_on_roster not_enough_garnets"
        ),
    )
    async def create_match(
        self,
        request: AnyRequest,
        data: Annotated[NewMatch, NEW_MATCH],
        grant: TheGrant,
        actor: TheActor,
        once: Once,
        instance: TheInstance,
    ) -> Answer[CreatedMatch]:
        """Needs an organiser's key. Answers with the keys of the seats and of the moderator; with
        `"keys":"invitations"` the seats have none until they accept an invitation.

        In a tournament the seats are names of its roster, and the garnets that they bring come
        from their purses. No one who has looked at what is hidden from another player, in a match
        of the tournament that is running, is seated against that player (409 `has_looked`), unless
        the request says why.

        With an `Idempotency-Key` the same request creates one match, however often it is sent; a
        repeat has null in place of the keys. A refused request leaves its key free.
        """
        try:
            if not await may_create(instance, grant, data.tournament_id):
                raise Failed("not_allowed")
            opened = await instance.creation.match(data, once, actor)
        except UnknownTournament:
            raise Failed("unknown_tournament", errors=UNKNOWN_TOURNAMENT) from None
        except (Refused, msgspec.ValidationError) as error:
            raise creation_failed(data, error) from None
        headers = {"Location": f"{root_of(request)}/v1/matches/{opened.id}/view"}
        note = instance.receipts.created(opened.id, opened.beginning)
        match = (await instance.sessions.cached(opened.id)).match
        keys = enumerate(zip_longest(first_holders(match), opened.seat_keys))
        seats = [SeatKey(seat, name, key) for seat, (name, key) in keys]
        answer = CreatedMatch(str(opened.id), seats, opened.moderator_key or None, note)
        return created(answer, repeated=opened.repeated, headers=headers)

    @get(summary="The public list of matches", guards=[EVERYBODY], response_headers=[AGE])
    async def list_matches(
        self,
        instance: TheInstance,
        filters: NamedDependency[MatchFilters],
        after: AfterPage = None,
        limit: ListLimit = 50,
    ) -> Answer[MatchPage]:
        """Newest first. `after` is the `next` of the page before. `player` and `name` are one
        filter."""
        page = await instance.lists.read(
            lambda index: index.page(filters, after=after, limit=limit)
        )
        return Answer(page, 200, age_headers(instance.lists.age))

    @get(
        "/{match_id:uuid}",
        summary="A match: its game, seats, status and result",
        guards=[EVERYBODY],
        response_headers=[TAG, INCARNATION],
        opt=problems(content={JSON: ShownMatch}, conditional=True),
    )
    async def show_match(
        self, request: AnyRequest, match_id: MatchId, instance: TheInstance
    ) -> ASGIResponse:
        """The same for everyone: no key is read. It has everything that is on record by now."""
        opened, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        match = await instance.lists.corrected(shown_match(opened.name, public.state))
        body = msgspec.json.encode(match)
        return of_history(request, content_tag(body), body)

    @get(
        "/{match_id:uuid}/watching",
        summary="How many watch a match",
        guards=[EVERYBODY],
        opt=problems(public="alone"),
    )
    async def count_spectators(self, match_id: MatchId, instance: TheInstance) -> Answer[Watching]:
        """The streams of the public that are open, at the process that answers. Those of seats and
        moderators are not counted. The answer is the same for everyone, and no key is read."""
        await instance.sessions.cached(match_id)
        watching = Watching(instance.broadcast.watching(match_id))
        return Answer(watching, 200, {"Cache-Control": CHANGING})

    @post(
        "/{match_id:uuid}/start",
        summary="Start a match",
        guards=[DIRECTORS],
        response_headers=[ETAG, INCARNATION],
        opt=problems("already_started", **TAKEN),
    )
    async def start_match(self, sent: Sent, actor: TheActor) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's."""
        return await ordered(sent, Start(actor), actor)

    @delete(
        "/{match_id:uuid}/seats/{seat:int}/name",
        summary="Withhold the name of a seat",
        response_description="It is shown no more",
        guards=[KEEPER_OF_NAMES],
        opt=problems("no_such_seat seat_name_taken of_tournament"),
    )
    async def withhold_seat_name(self, sent: Sent, seat: SeatOfPath) -> None:
        """Needs an organiser's key. Every name that the seat has had, or was to have by a ruling,
        is `Player N` from now on, everywhere and at every position, and stored no more. It cannot
        be had back. In a tournament the name is its player's (409 `of_tournament`), unless someone
        else has taken over the seat: that name is withheld here, with 512 and the seat's number as
        N.
        """
        await sent.instance.withheld_names.of_seat(sent.id, seat)
