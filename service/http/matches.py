"""`/v1/matches`: creating, starting and listing matches, and what their moderators do."""

from itertools import zip_longest
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import UNSET
from msgspec.structs import replace

from domain.commands import ClosePhase, Command, EnterDraw, Start
from domain.game import Refused
from domain.games import GAMES
from domain.people import Actor
from projections.disclosure import Viewer, named
from service.application.creation import MatchWithKeys
from service.application.has_looked import Allowed
from service.event_store.errors import UnknownTournament
from service.http.access import EVERYBODY, only
from service.http.accounting import holder_of
from service.http.authentication import organiser_of
from service.http.command_response import command_response
from service.http.context import context, root_of
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.etags import ETAG, INCARNATION, expected_numbers, if_match
from service.http.first_tries import executed
from service.http.idempotency import idempotency_key, request_of
from service.http.list_age import AGE, age_headers
from service.http.mistakes import Mistake, nearest
from service.http.operation import IDEMPOTENCY_KEY, Header, get, post
from service.http.orders import receipt_of_order
from service.http.parameters import (
    AfterPage,
    ListLimit,
    OfGame,
    OfStatus,
    OfTournament,
    allow_only,
    name_filter,
)
from service.http.problems import AnyRequest, Failed
from service.http.request_body import Body, check_no_body, header, misshapen
from service.http.responses import created, json
from service.http.schemas import CreatedMatch, EnteredDraw, NewMatch, SeatKey, Taken
from service.http.shape_mistakes import shape_mistakes
from service.http.whole_numbers import whole
from service.read_models.index import MatchPage

Named = Annotated[str | None, name_filter("Matches in which a seat has this name")]

NEW_MATCH = Body(
    NewMatch,
    float_hook=whole,
    examples={"dollar_prize": {"game": "dollar-prize", "seats": ["Ann", "Ben"]}},
)
ENTERED_DRAW = Body(
    EnteredDraw,
    {"flips": {"id": "setup", "outcome": ["heads", "tails", "heads", "heads", "tails"]}},
)
LOCATION = Header("Location", "The view of the match")
IF_MATCH = if_match("The `ETag` of a view in which the phase to end is open")


UNKNOWN_TOURNAMENT = (
    Mistake("body", "unknown_value", "There is no such tournament.", pointer="/tournament"),
)

POINTERS = {"seats_not_allowed": "/seats", "options_not_allowed": "/options"}


class MatchesController(Controller):
    """Creating, listing and starting."""

    path = "/v1/matches"
    tags = ("matches",)

    @post(
        operation_id="createMatch",
        summary="Create a match",
        security=only("organiser"),
        answer=CreatedMatch,
        body=NEW_MATCH,
        headers=[IDEMPOTENCY_KEY],
        answer_headers=[LOCATION],
        errors="has_looked request_in_flight unknown_game seats_not_allowed "
        "options_not_allowed record_not_allowed unknown_tournament not_on_roster "
        "not_enough_garnets idempotency_key_reused",
    )
    async def create_match(self, request: AnyRequest) -> ASGIResponse:
        """Needs an organiser's key. Answers with the keys of the seats and of the moderator; with
        `"keys":"invitations"` the seats have none until they accept an invitation.

        In a tournament the seats are names of its roster, and the garnets that they bring come
        from their purses. Nobody who has looked at what is hidden from another player, in a match
        of the tournament that is running, is seated against that player (409 `has_looked`), unless
        the request says why.

        With an `Idempotency-Key` the same request creates one match, however often it is sent; a
        repeat has null in place of the keys. A refused request leaves its key free.
        """
        instance = context(request).instance
        organiser = await organiser_of(instance, request)
        key = idempotency_key(request)
        new = await NEW_MATCH.read(request)
        if new.rulings == "two":
            new = replace(new, rulings=UNSET)  # As if it had been left out, which means the same.
        if new.protest_hours == 0:
            new = replace(new, protest_hours=UNSET)  # Likewise.
        if new.keys == "shown":
            new = replace(new, keys=UNSET)  # Likewise.
        tournament = None if new.tournament is None else _tournament_id(new.tournament)
        command, reason = request_of(request, key, new), new.has_looked_reason
        allowed = None if reason is None else Allowed(reason, holder_of(organiser))
        try:
            opened = await instance.creation.match(
                new.game, new.seats, new.options, new.chance, new.clock, new.record, tournament,
                command, new.rulings, allowed, new.protest_hours, seat_keys=new.keys is UNSET,
                by=holder_of(organiser),
            )  # fmt: skip
        except UnknownTournament:
            raise Failed("unknown_tournament", errors=UNKNOWN_TOURNAMENT) from None
        except (Refused, msgspec.ValidationError) as error:
            raise creation_failed(new, error) from None
        headers = {"Location": f"{root_of(request)}/v1/matches/{opened.id}/view"}
        note = instance.receipts.created(opened.id, opened.beginning)
        return created(_created_match(new, opened, note), repeated=opened.repeated, headers=headers)

    @get(
        operation_id="listMatches",
        summary="The public list of matches",
        security=EVERYBODY,
        answer=MatchPage,
        answer_headers=[AGE],
        errors="bad_request",
    )
    async def list_matches(
        self,
        request: AnyRequest,
        game: OfGame = None,
        status: OfStatus = None,
        tournament: OfTournament = None,
        name: Named = None,
        after: AfterPage = None,
        limit: ListLimit = 50,
    ) -> ASGIResponse:
        """Newest first. `after` is the `next` of the page before."""
        allow_only(request, "game", "status", "tournament", "name", "after", "limit")
        lists = context(request).instance.lists
        page = await lists.matches(
            after=after, limit=limit, game=game, status=status, tournament=tournament, name=name
        )
        return json(page, 200, age_headers(lists.age))


class MatchController(Controller):
    """Starting a match, and what its moderator does."""

    path = "/v1/matches/{match_id:uuid}"
    dependencies = MATCH_DEPENDENCIES

    @post(
        "/start",
        operation_id="startMatch",
        summary="Start a match",
        tags=["matches"],
        security=only("organiser", "moderator"),
        answer=Taken,
        looks_back=True,
        answer_headers=[ETAG, INCARNATION],
        errors="already_started",
    )
    async def start(
        self,
        call: NamedDependency[MatchCall],
        sender: NamedDependency[Viewer],
        actor: NamedDependency[Actor],
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's."""
        await check_no_body(call.request)
        return await _executed(call, Start(actor), actor, sender)

    @post(
        "/draws",
        operation_id="enterDraw",
        summary="Enter the outcome of a draw by hand",
        tags=["moderation"],
        security=only("moderator"),
        answer=Taken,
        body=ENTERED_DRAW,
        looks_back=True,
        answer_headers=[ETAG, INCARNATION],
        errors="match_not_running chance_is_server no_draw_awaited outcome_does_not_fit",
    )
    async def enter_draw(
        self,
        call: NamedDependency[MatchCall],
        moderator: NamedDependency[Viewer],
        actor: NamedDependency[Actor],
    ) -> ASGIResponse:
        """Needs the moderator's key, and a match created with `"chance":"manual"`."""
        await call.cached_match()
        drawn = await ENTERED_DRAW.read(call.request)
        command = EnterDraw(drawn.id, drawn.outcome, actor)
        return await _executed(call, command, actor, moderator)

    @post(
        "/close-phase",
        operation_id="closePhase",
        summary="End the current phase now",
        tags=["moderation"],
        security=only("moderator"),
        answer=Taken,
        headers=[IF_MATCH],
        answer_headers=[ETAG, INCARNATION],
        looks_back=True,
        errors="match_not_running nothing_to_close",
    )
    async def close_phase(
        self,
        call: NamedDependency[MatchCall],
        moderator: NamedDependency[Viewer],
        actor: NamedDependency[Actor],
    ) -> ASGIResponse:
        """Needs the moderator's key. Does what the phase's deadline would do, to the phase that is
        open when the request comes in. To repeat it safely, send the `ETag` of the view in which
        that phase was open as `If-Match`: another phase is then left alone (412).
        """
        await check_no_body(call.request)
        phase = (await call.current_match()).awaiting.phase
        expected = expected_numbers(
            header(call.request, b"if-match"), named(moderator), call.instance.edition
        )
        command = ClosePhase("" if phase is None else phase, actor)
        return await _executed(call, command, actor, moderator, expected)


async def _executed(
    call: MatchCall,
    command: Command,
    actor: Actor,
    sender: Viewer,
    expected: frozenset[int] | None = None,
) -> ASGIResponse:
    """The answer to what somebody orders, accounted for."""
    answer = await executed(call, command, sender, expected)
    receipted = await receipt_of_order(call, actor, index=answer.result.position - 1)
    await call.account(sender, answer.view_seq)
    return command_response(call.instance, call.id, answer, sender, receipted=receipted)


def _created_match(new: NewMatch, opened: MatchWithKeys, note: str) -> CreatedMatch:
    """A match with its keys, without them if it had been created before."""
    keys = zip_longest(new.seats, opened.seat_keys)
    seats = [SeatKey(seat, name, key) for seat, (name, key) in enumerate(keys)]
    return CreatedMatch(str(opened.id), seats, opened.moderator_key or None, note)


def _tournament_id(text: str) -> UUID:
    """The id of a tournament. Raises Failed for a text that is no id."""
    try:
        return UUID(text)
    except ValueError:
        raise Failed("unknown_tournament", errors=UNKNOWN_TOURNAMENT) from None


def creation_failed(new: NewMatch, error: Refused | msgspec.ValidationError) -> Failed:
    """The refusal of a new match, with the mistakes in its seats, options or record."""
    if isinstance(error, msgspec.ValidationError):
        wrong = shape_mistakes(new.options, GAMES[new.game].Options, "/options")
        return misshapen(f"options: {error}", *wrong, pointer="/options")
    return Failed(error.code, error.text, errors=_creation_mistakes(new, error))


def _creation_mistakes(new: NewMatch, refused: Refused) -> tuple[Mistake, ...]:
    """The mistakes behind a refusal; none if its code alone says them."""
    game = GAMES.get(new.game)
    if game is None:
        return (_unknown_game(new.game),)
    detail = refused.text or "This is not allowed."
    if refused.code == "seats_not_allowed" and len(new.seats) not in game.seats:
        least, most = min(game.seats), max(game.seats)
        return (
            Mistake("body", "wrong_length", detail, pointer="/seats", minimum=least, maximum=most),
        )
    if refused.code == "record_not_allowed":
        allowed = tuple(game.records)
        return (Mistake("body", "unknown_value", detail, pointer="/record", allowed=allowed),)
    if refused.code in POINTERS:
        return (Mistake("body", "not_allowed_here", detail, pointer=POINTERS[refused.code]),)
    return ()


def _unknown_game(sent: str) -> Mistake:
    games = tuple(GAMES)
    detail, guess = "There is no such game.", nearest(sent, games)
    return Mistake(
        "body", "unknown_value", detail, pointer="/game", allowed=games, did_you_mean=guess
    )
