"""`/v1/matches`: creating, starting and listing matches, and what their moderators do."""

from itertools import zip_longest
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response.base import ASGIResponse

from domain.commands import ClosePhase, Command, EnterDraw, Start
from projections.disclosure import Viewer
from service.creation import Opened
from service.door.tournaments import UnknownTournament
from service.http.access import existing, holder, known, moderating
from service.http.actions import seen
from service.http.asking import idempotency_key, requested
from service.http.bodies import CreatedMatch, EnteredDraw, NewMatch, SeatKey, Taken
from service.http.problems import AnyRequest, Failed
from service.http.reading import decoded, header, nothing_more
from service.http.responses import json, only, raises, returns
from service.http.searching import sought
from service.http.taking import taken
from service.storage.index import MatchPage
from service.stores import Stores

MOST_A_PAGE = 200

NAMED = sought("Matches in which a seat has this name")

CREATING = (
    "not_json", "wrong_shape", "key_missing", "key_unknown", "not_allowed", "too_large",
    "unknown_game", "seats_not_allowed", "options_not_allowed", "record_not_allowed",
    "unknown_tournament", "not_on_roster", "not_enough_garnets", "bad_idempotency_key",
    "idempotency_key_reused", "request_in_flight", "try_again",
)  # fmt: skip
MODERATING = ("key_missing", "key_unknown", "not_allowed", "no_such_match", "try_again")

_new_match = msgspec.json.Decoder(NewMatch)
_entered_draw = msgspec.json.Decoder(EnteredDraw)


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The routes of matches."""

    @post(
        "/v1/matches",
        operation_id="createMatch",
        summary="Create a match",
        tags=["matches"],
        responses={**returns(201, CreatedMatch), **raises(*CREATING)},
    )
    async def create_match(request: AnyRequest) -> ASGIResponse:
        """Needs an organiser's key. Answers with the keys of the seats and of the moderator.

        In a tournament the seats are names of its roster, and what they bring of garnets is taken
        from their purses.

        With an `Idempotency-Key` the same request creates one match, however often it is sent; a
        repeat has null in place of the keys. A refused request leaves its key free.
        """
        key = idempotency_key(request)
        if (await holder(stores.some, request)).role != "organiser":
            raise Failed("not_allowed")
        new = await decoded(request, _new_match)
        tournament = None if new.tournament is None else _tournament(new.tournament)
        asked = requested(key, new)
        try:
            arbiter = await stores.for_new(asked, tournament)
            opened = await arbiter.creation.match(
                new.game, new.seats, new.options, new.chance, new.clock, new.record, tournament,
                asked,
            )  # fmt: skip
        except UnknownTournament:
            raise Failed("unknown_tournament") from None
        except msgspec.ValidationError as error:
            raise Failed("wrong_shape", f"options: {error}") from None
        return _created(new, opened)

    @get(
        "/v1/matches",
        operation_id="listMatches",
        summary="The public list of matches",
        tags=["matches"],
        responses=raises("bad_request", "try_again"),
    )
    async def list_matches(
        request: AnyRequest,
        game: FromQuery[str | None] = None,
        status: FromQuery[Literal["created", "running", "paused", "ended", "void"] | None] = None,
        tournament: FromQuery[str | None] = None,
        name: Annotated[str | None, NAMED] = None,
        after: FromQuery[UUID | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=MOST_A_PAGE)] = 50,
    ) -> MatchPage:
        """Newest first. `after` is the `next` of the page before."""
        only(request, "game", "status", "tournament", "name", "after", "limit")
        return await stores.listed(
            after=after, limit=limit, game=game, status=status, tournament=tournament, name=name
        )

    async def enter(
        request: AnyRequest, match_id: UUID, command: Command, sender: Viewer
    ) -> ASGIResponse:
        arbiter = await stores.of(match_id)
        return taken(await arbiter.matches.enter(match_id, command, sender), sender)

    @post(
        "/v1/matches/{match_id:uuid}/start",
        operation_id="startMatch",
        summary="Start a match",
        tags=["matches"],
        responses={**returns(201, Taken), **raises(*MODERATING, "wrong_shape", "already_started")},
    )
    async def start(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's."""
        arbiter = await stores.of(match_id)
        sender = await moderating(arbiter, request, match_id, organiser_too=True)
        await nothing_more(request)
        return await enter(request, match_id, Start(), sender)

    @post(
        "/v1/matches/{match_id:uuid}/draws",
        operation_id="enterDraw",
        summary="Enter the outcome of a draw by hand",
        tags=["moderation"],
        responses={
            **returns(201, Taken),
            **raises(
                *MODERATING, "not_json", "wrong_shape", "too_large", "match_not_running",
                "chance_is_server", "no_draw_awaited", "outcome_does_not_fit",
            ),
        },
    )  # fmt: skip
    async def enter_draw(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs the moderator's key, and a match created with `"chance":"manual"`."""
        arbiter = await stores.of(match_id)
        sender = await moderating(arbiter, request, match_id)
        await known(arbiter, match_id)
        drawn = await decoded(request, _entered_draw)
        return await enter(request, match_id, EnterDraw(drawn.id, drawn.outcome), sender)

    @post(
        "/v1/matches/{match_id:uuid}/close-phase",
        operation_id="closePhase",
        summary="End the current phase now",
        tags=["moderation"],
        responses={
            **returns(201, Taken),
            **raises(*MODERATING, "wrong_shape", "match_not_running", "nothing_to_close", "stale"),
        },
    )
    async def close_phase(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs the moderator's key. Does what the phase's deadline would do, to the phase that is
        open when the request comes in. To repeat it safely, send the `ETag` of the view in which
        that phase was open as `If-Match`: another phase is then left alone (412).
        """
        arbiter = await stores.of(match_id)
        sender = await moderating(arbiter, request, match_id)
        await nothing_more(request)
        phase = (await existing(arbiter, match_id)).awaiting.phase
        expected = seen(header(request, b"if-match"), sender)
        command = ClosePhase("" if phase is None else phase)
        answer = await arbiter.matches.enter(match_id, command, sender, expected)
        return taken(answer, sender)

    return [create_match, list_matches, start, enter_draw, close_phase]


def _created(new: NewMatch, opened: Opened) -> ASGIResponse:
    """201 with the keys of a new match, 200 without them for one that had been created before."""
    keys = zip_longest(new.seats, opened.seat_keys)
    seats = [SeatKey(seat, name, key) for seat, (name, key) in enumerate(keys)]
    answer = CreatedMatch(str(opened.id), seats, opened.moderator_key or None)
    headers = {"Location": f"/v1/matches/{opened.id}/view"}
    if opened.repeated:
        return json(answer, 200, {**headers, "Idempotent-Replayed": "true"})
    return json(answer, 201, headers)


def _tournament(named: str) -> UUID:
    """The id of a tournament. Raises Failed for what cannot be one."""
    try:
        return UUID(named)
    except ValueError:
        raise Failed("unknown_tournament") from None
