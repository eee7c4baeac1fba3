"""`/v1/matches/{id}/actions`: what a seat may do, and what it does."""

from hashlib import sha256
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse

from domain.commands import Act
from domain.games import rules_of
from domain.match_state import AnyGame, Match, check_tagged
from domain.seat_holders import tenure
from projections import menu
from projections.disclosure import named
from projections.menu import MenuAnswer
from service.auth.grants import Grant
from service.http.accounting import account_for
from service.http.command_response import TAKEN, command_response
from service.http.context import context
from service.http.dependencies import Account
from service.http.described import PROBLEM_HEADERS, examples, problems
from service.http.etags import etag, expected_numbers, incarnation_header
from service.http.grants import found_grant
from service.http.guards import SEATED, own_viewer
from service.http.headers import ETAG, INCARNATION, idempotency_key, if_match
from service.http.match_lookup import cached_match
from service.http.parameters import MatchId
from service.http.problems import AnyRequest
from service.http.request_body import body_of, converted, json_value, misshapen
from service.http.request_form import BODY
from service.http.responses import Answer, private_headers
from service.http.schema_form import ANY_ACTION
from service.http.shape_mistakes import shape_mistakes
from service.instance import Instance
from service.signing.receipts import withheld_at_first

ACTION = examples(
    {
        "choose_side": {"type": "choose_side", "side": "heads"},
        "place": {"type": "place", "coin": "penny"},
        "play": {"type": "play", "chip": 12},
    },
    component=ANY_ACTION,
)
RepeatedAction = Annotated[
    str | None,
    idempotency_key(
        "1 to 255 visible ASCII characters; the same key and action again is answered as it was "
        "the first time"
    ),
]
IfMatchView = Annotated[str | None, if_match("The `ETag` of the view that the action is meant for")]

_encoder = msgspec.json.Encoder()


class ActionsController(Controller):
    """The menu and the actions of a seat."""

    path = "/v1/matches/{match_id:uuid}/actions"
    tags = ("play",)

    @get(
        operation_id="listActions",
        summary="What the seat may do now",
        guards=[SEATED],
        response_headers=[ETAG, INCARNATION],
    )
    async def list_actions(
        self,
        match_id: MatchId,
        seat: NamedDependency[int],
        instance: NamedDependency[Instance],
        account: NamedDependency[Account],
    ) -> Answer[MenuAnswer]:
        """Needs a seat's key. Empty when the seat may do nothing now. A seat that has submitted in
        a sealed phase is told so."""
        opened, projection = await instance.sessions.projection(match_id, seat)
        seq = projection.state.seq
        await account(seat, seq)
        headers = private_headers(etag(named(seat), seq, instance.edition))
        headers |= incarnation_header(instance)
        return Answer(menu.answer(opened.game, opened.match, seat), 200, headers)

    @post(
        operation_id="act",
        summary="Send an action",
        guards=[SEATED],
        response_headers=[ETAG, INCARNATION],
        opt=problems(
            "too_many_submissions too_much_recorded match_not_running seat_replaced "
            "undone_by_ruling",
            **TAKEN,
            **{BODY: ACTION, PROBLEM_HEADERS: {422: [INCARNATION]}},
        ),
    )
    async def act(
        self,
        request: AnyRequest,
        match_id: MatchId,
        key: RepeatedAction = None,
        seen: IfMatchView = None,
    ) -> ASGIResponse:
        """Needs a seat's key. Answered when the action and what follows from it are on disk.

        What the rules refuse is 422 with the rule's code, and on the record.
        """
        instance = context(request).instance
        seated = await _seated(instance, request, match_id)
        body = await body_of(request)
        match = await cached_match(instance, match_id)
        game, seat = rules_of(match.created), seated.seat
        action, as_sent = _parsed(game, body, request)
        command = _command(game, match, seated, action, as_sent, key)
        expected = expected_numbers(seen, named(seat), instance.edition)
        sealed = withheld_at_first(game, match)
        answer = await instance.matches.execute(match_id, command, seat, expected)
        receipted = instance.receipts.given(match_id, answer.acknowledged(seat, key), sealed=sealed)
        await account_for(instance, seated.grant, match_id, seat, answer.view_seq)
        return command_response(
            instance, match_id, answer, seat, key, codes=game.codes, receipted=receipted
        )


class Seated(NamedTuple):
    """Who acts: what their key allows, their seat, and as its which holder."""

    grant: Grant
    seat: int
    tenure: int


async def _seated(instance: Instance, request: AnyRequest, match_id: UUID) -> Seated:
    """Who acts by the request's key, which the route's guard has found to be a seat's."""
    grant, seat = found_grant(request), await own_viewer(instance, request, match_id)
    assert grant is not None and isinstance(seat, int), "the route's guard needs a seat's key"
    # Somebody else may have the seat before the action is decided.
    held = grant.tenure
    if grant.seat is None:
        held = tenure(await cached_match(instance, match_id), seat)
    return Seated(grant, seat, held)


def _parsed(
    game: AnyGame, body: bytes, request: AnyRequest | None = None
) -> tuple[Any, dict[str, Any]]:
    """The action, and its JSON as it was sent, but for whole numbers: they go on record as such,
    however they were written. Raises Failed as `parsed` does."""
    as_sent: dict[str, Any] = json_value(body, request)
    action = converted(as_sent, game.Action)
    try:
        check_tagged(as_sent)
    except msgspec.ValidationError as error:
        raise misshapen(str(error), *shape_mistakes(as_sent, game.Action)) from None
    return action, as_sent


def _command(
    game: AnyGame,
    match: Match,
    seated: Seated,
    action: Any,
    as_sent: dict[str, Any],
    key: str | None,
) -> Act:
    """The command of an action under an idempotency key. Raises Failed for what cannot be meant in
    this match."""
    too_large = game.misshapen(match.options, match.created.seats, action)
    if too_large is not None:
        raise misshapen(too_large)
    # The record has the action as it was sent; defaults that are left out change nothing.
    fingerprint = None if key is None else sha256(_encoder.encode(action)).digest()
    grant, seat, held = seated
    key_id = None if grant.holder is None else grant.holder.key_id
    return Act(seat, action, as_sent, key, fingerprint, key_id=key_id, tenure=held)
