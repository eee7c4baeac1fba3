"""`/v1/matches`: creating, starting and listing matches, and what their moderators do."""

from itertools import zip_longest
from typing import Annotated, NamedTuple
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency, Provide
from litestar.response.base import ASGIResponse
from msgspec import UNSET

from domain.commands import ClosePhase, Command, EnterDraw, Start
from domain.game import Refused
from domain.games import GAMES
from domain.people import Actor
from domain.tournament_state import Request
from projections.disclosure import Viewer, named
from service.application.creation import Creation, MatchSetup, MatchWithKeys
from service.application.reads import Allowed
from service.auth.grants import Grant
from service.event_store.errors import UnknownTournament
from service.http.accounting import holder_of
from service.http.command_response import TAKEN, command_response
from service.http.context import root_of
from service.http.dependencies import Account
from service.http.described import examples, problems
from service.http.etags import expected_numbers
from service.http.first_tries import executed
from service.http.guards import DIRECTORS, EVERYBODY, MODERATES, ORGANISER
from service.http.headers import ETAG, INCARNATION, answer_header, if_match
from service.http.idempotency import first_try, remembered
from service.http.list_age import AGE, age_headers
from service.http.mistakes import Mistake, nearest
from service.http.orders import Orders, orders
from service.http.parameters import (
    AfterPage,
    ListLimit,
    MatchId,
    OfGame,
    OfStatus,
    OfTournament,
    name_filter,
)
from service.http.problems import AnyRequest, Failed
from service.http.request_body import misshapen
from service.http.responses import Answer, created
from service.http.schemas import CreatedMatch, EnteredDraw, NewMatch, SeatKey
from service.http.shape_mistakes import shape_mistakes
from service.instance import Instance
from service.read_models.index import MatchPage
from service.read_models.lists import Lists
from service.signing.receipts import Receipts

Named = Annotated[str | None, name_filter("Matches in which a seat has this name")]

NEW_MATCH = examples({"dollar_prize": {"game": "dollar-prize", "seats": ["Ann", "Ben"]}})
ENTERED_DRAW = examples(
    {"flips": {"id": "setup", "outcome": ["heads", "tails", "heads", "heads", "tails"]}}
)
LOCATION = answer_header("Location", "The view of the match")
IfMatchPhase = Annotated[
    str | None, if_match("The `ETag` of a view in which the phase to end is open")
]

UNKNOWN_TOURNAMENT = (
    Mistake("body", "unknown_value", "There is no such tournament.", pointer="/tournament"),
)

POINTERS = {"seats_not_allowed": "/seats", "options_not_allowed": "/options"}


class Ordering(NamedTuple):
    """Carries out what the request's sender orders in a match."""

    instance: Instance
    match_id: UUID
    sender: Viewer
    orders: Orders
    account: Account
    request: AnyRequest

    async def execute(
        self, command: Command, actor: Actor, expected: frozenset[int] | None = None
    ) -> ASGIResponse:
        """The answer to a command, accounted for."""
        match_id, sender = self.match_id, self.sender
        begun = first_try(self.request)
        answer = await executed(self.instance, match_id, command, sender, begun, expected)
        receipted = await self.orders.receipt(match_id, actor, index=answer.result.position - 1)
        await self.account(sender, answer.view_seq)
        return command_response(self.instance, match_id, answer, sender, receipted=receipted)


def ordering(
    request: AnyRequest,
    instance: NamedDependency[Instance],
    match_id: MatchId,
    own: NamedDependency[Viewer],
    orders: NamedDependency[Orders],
    account: NamedDependency[Account],
) -> Ordering:
    """Carries out orders, for handlers."""
    return Ordering(instance, match_id, own, orders, account, request)


class MatchesController(Controller):
    """Creating, listing and starting."""

    path = "/v1/matches"
    tags = ("matches",)

    @post(
        operation_id="createMatch",
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
        grant: NamedDependency[Grant],
        once: NamedDependency[Request | None],
        creation: NamedDependency[Creation],
        receipts: NamedDependency[Receipts],
    ) -> Answer[CreatedMatch]:
        """Needs an organiser's key. Answers with the keys of the seats and of the moderator; with
        `"keys":"invitations"` the seats have none until they accept an invitation.

        In a tournament the seats are names of its roster, and the garnets that they bring come
        from their purses. Nobody who has looked at what is hidden from another player, in a match
        of the tournament that is running, is seated against that player (409 `has_looked`), unless
        the request says why.

        With an `Idempotency-Key` the same request creates one match, however often it is sent; a
        repeat has null in place of the keys. A refused request leaves its key free.
        """
        by, reason = holder_of(grant), data.has_looked_reason
        tournament = None if data.tournament is None else _tournament_id(data.tournament)
        allowed = None if reason is None else Allowed(reason, by)
        try:
            setup = MatchSetup(
                game=data.game,
                names=data.seats,
                options=data.options,
                chance=data.chance,
                clock=data.clock,
                record=data.record,
                tournament=tournament,
                rulings=UNSET if data.rulings == "two" else data.rulings,
                protest_hours=data.protest_hours or UNSET,
            )
            opened = await creation.match(
                setup, once, allowed=allowed, seat_keys=data.keys == "shown", by=by
            )
        except UnknownTournament:
            raise Failed("unknown_tournament", errors=UNKNOWN_TOURNAMENT) from None
        except (Refused, msgspec.ValidationError) as error:
            raise creation_failed(data, error) from None
        headers = {"Location": f"{root_of(request)}/v1/matches/{opened.id}/view"}
        made = _created_match(data, opened, receipts.created(opened.id, opened.beginning))
        return created(made, repeated=opened.repeated, headers=headers)

    @get(
        operation_id="listMatches",
        summary="The public list of matches",
        guards=[EVERYBODY],
        response_headers=[AGE],
    )
    async def list_matches(
        self,
        lists: NamedDependency[Lists],
        game: OfGame = None,
        status: OfStatus = None,
        tournament: OfTournament = None,
        name: Named = None,
        after: AfterPage = None,
        limit: ListLimit = 50,
    ) -> Answer[MatchPage]:
        """Newest first. `after` is the `next` of the page before."""
        filters = {"game": game, "status": status, "tournament": tournament, "name": name}
        page = await lists.read(lambda index: index.page(after=after, limit=limit, **filters))
        return Answer(page, 200, age_headers(lists.age))


ORDERING = {
    "orders": Provide(orders, sync_to_thread=False),
    "ordering": Provide(ordering, sync_to_thread=False),
}


class MatchController(Controller):
    """Starting a match, and what its moderator does."""

    path = "/v1/matches/{match_id:uuid}"
    dependencies = ORDERING

    @post(
        "/start",
        operation_id="startMatch",
        summary="Start a match",
        tags=["matches"],
        guards=[DIRECTORS],
        response_headers=[ETAG, INCARNATION],
        opt=problems("already_started", **TAKEN),
    )
    @remembered(looks_back=True)
    async def start(
        self, actor: NamedDependency[Actor], ordering: NamedDependency[Ordering]
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's."""
        return await ordering.execute(Start(actor), actor)

    @post(
        "/draws",
        operation_id="enterDraw",
        summary="Enter the outcome of a draw by hand",
        tags=["moderation"],
        guards=[MODERATES],
        response_headers=[ETAG, INCARNATION],
        opt=problems(
            "match_not_running chance_is_server no_draw_awaited outcome_does_not_fit", **TAKEN
        ),
    )
    @remembered(looks_back=True)
    async def enter_draw(
        self,
        data: Annotated[EnteredDraw, ENTERED_DRAW],
        actor: NamedDependency[Actor],
        ordering: NamedDependency[Ordering],
    ) -> ASGIResponse:
        """Needs the moderator's key, and a match created with `"chance":"manual"`."""
        return await ordering.execute(EnterDraw(data.id, data.outcome, actor), actor)

    @post(
        "/close-phase",
        operation_id="closePhase",
        summary="End the current phase now",
        tags=["moderation"],
        guards=[MODERATES],
        response_headers=[ETAG, INCARNATION],
        opt=problems("match_not_running nothing_to_close", **TAKEN),
    )
    @remembered(looks_back=True)
    async def close_phase(
        self,
        match_id: MatchId,
        own: NamedDependency[Viewer],
        actor: NamedDependency[Actor],
        instance: NamedDependency[Instance],
        ordering: NamedDependency[Ordering],
        if_match: IfMatchPhase = None,
    ) -> ASGIResponse:
        """Needs the moderator's key. Does what the phase's deadline would do, to the phase that is
        open when the request comes in. To repeat it safely, send the `ETag` of the view in which
        that phase was open as `If-Match`: another phase is then left alone (412).
        """
        phase = (await instance.sessions.current(match_id)).match.awaiting.phase
        expected = expected_numbers(if_match, named(own), instance.edition)
        command = ClosePhase("" if phase is None else phase, actor)
        return await ordering.execute(command, actor, expected)


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
