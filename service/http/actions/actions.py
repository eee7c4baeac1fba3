"""`/v1/matches/{id}/actions` and `/client-seeds`: what a seat may do and does, and what it adds to
the chance of its match; `/draws` and `/close-phase`: what its moderator does."""

from hashlib import sha256
from typing import Annotated, Any

import msgspec
from litestar import Controller
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.chance.seeds import LONGEST_SEED
from domain.game import Whole
from domain.games import rules_of
from domain.match.commands import Act, ClosePhase, EnterDraw, GiveClientSeed
from domain.match.seat_holders import tenure
from domain.match.state import AnyGame, check_tagged
from projections.audience import menu
from projections.audience.disclosure import name_audience
from projections.audience.menu import MenuAnswer
from service.http.access.guards import MODERATES, SEATED
from service.http.description.routing import examples, get, post, problems
from service.http.description.schema_form import ANY_ACTION
from service.http.errors.problems import AnyRequest
from service.http.errors.shape_mistakes import shape_mistakes
from service.http.requests.command_response import TAKEN, command_response, executed, ordered
from service.http.requests.context import context
from service.http.requests.dependencies import MatchId, Sent, TheActor, match_request
from service.http.requests.request_body import body_of, converted, json_value, misshapen
from service.http.requests.responses import (
    ETAG,
    INCARNATION,
    Answer,
    Prefer,
    etag,
    expected_numbers,
    idempotency_key,
    if_match,
    incarnation_header,
    private_headers,
)
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


class ClientSeed(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat adds to chance: any text, ideally one that no one can guess."""

    seed: Annotated[
        str,
        Meta(
            min_length=1,
            description="1 to 64 bytes as UTF-8; everyone can read it",
            examples=["a6f1 dice rolled at home"],
        ),
    ]


CLIENT_SEED = examples({"dice": {"seed": "a6f1 dice rolled at home"}})


ENTERED_DRAW = examples(
    {"flips": {"id": "setup", "outcome": ["heads", "tails", "heads", "heads", "tails"]}}
)
IfMatchPhase = Annotated[
    str | None, if_match("The `ETag` of a view in which the phase to end is open")
]


class EnteredDraw(Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of the awaited draw, part by part, from a real table."""

    id: Annotated[str, Meta(description="The id of the draw", examples=["setup"])]
    outcome: Annotated[
        tuple[str | Whole | tuple[str | Whole, ...], ...],
        Meta(
            max_length=1_000,
            description='`"heads"` or `"tails"` for a flip, the items in their order for a '
            "shuffle, the number for a roll",
            examples=[["heads", "tails", "heads", "heads", "tails"]],
        ),
    ]


class ActionsController(Controller):
    """The menu and the actions of a seat, and the seeds that it adds before the start."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("play",)

    @get(
        "/actions",
        summary="What the seat may do now",
        guards=[SEATED],
        response_headers=[ETAG, INCARNATION],
    )
    async def list_actions(self, sent: Sent) -> Answer[MenuAnswer]:
        """Needs a seat's key. Empty when the seat may do nothing now. `submitted` says whether the
        seat has done its part in a sealed phase."""
        instance, seat = sent.instance, sent.seat
        opened, projection = await instance.sessions.projection(sent.id, seat)
        seq = projection.state.seq
        await sent.account(seat, seq)
        headers = private_headers(
            etag(name_audience(seat), seq, instance.edition, projection.withheld)
        )
        headers |= incarnation_header(instance)
        return Answer(menu.answer(opened.game, opened.match, seat), 200, headers)

    @post(
        "/actions",
        summary="Send an action",
        guards=[SEATED],
        response_headers=[ETAG, INCARNATION],
        opt=problems(
            "too_many_submissions too_much_recorded match_not_running seat_replaced "
            "undone_by_ruling",
            remembered=False,
            urgent=True,
            **TAKEN,
            body=ACTION,
            problem_headers={"422": [INCARNATION]},
        ),
    )
    async def act(
        self,
        request: AnyRequest,
        match_id: MatchId,
        key: RepeatedAction = None,
        view_seen: IfMatchView = None,
        prefer: Prefer = None,
    ) -> ASGIResponse:
        """Needs a seat's key. Answered when the action and what follows from it are on disk.

        What the rules refuse is 422 with the rule's code, and on the record.
        """
        instance = context(request).instance
        sent = await match_request(request, instance, match_id)
        grant, seat = sent.grant, sent.seat
        assert grant is not None, "the route's guard needs a seat's key"
        # Another person may have the seat before the action is decided.
        holder = grant.tenure
        if grant.seat is None:
            holder = tenure((await instance.sessions.cached(match_id)).match, seat)
        body = await body_of(request)
        match = (await instance.sessions.cached(match_id)).match
        game = rules_of(match.created)
        action, as_sent = _parse(game, body, request)
        too_large = game.misshapen(match.options, match.created.seats, action)
        if too_large is not None:
            raise misshapen(too_large)
        # The record has the action as it was sent; defaults that are left out change nothing.
        fingerprint = None if key is None else sha256(_encoder.encode(action)).digest()
        key_id = None if grant.holder is None else grant.holder.key_id
        command = Act(seat, action, as_sent, key, fingerprint, key_id=key_id, tenure=holder)
        expected = expected_numbers(view_seen, name_audience(seat), instance.edition)
        sealed = withheld_at_first(game, match)
        answer = await instance.matches.execute(match_id, command, seat, expected)
        receipted = instance.receipts.give(match_id, answer.acknowledged, sealed=sealed)
        await sent.account(seat, answer.view_seq)
        return command_response(sent, answer, key, game.codes, receipted, prefer)

    @post(
        "/client-seeds",
        summary="Add to the chance of a match",
        guards=[SEATED],
        response_headers=[ETAG, INCARNATION],
        opt=problems("too_much_recorded chance_is_manual seed_sealed", **TAKEN),
    )
    async def give_client_seed(
        self, data: Annotated[ClientSeed, CLIENT_SEED], sent: Sent
    ) -> ASGIResponse:
        """Needs a seat's key, and a match that has not been started. A seat may give several; its
        last one counts. With it in the derivation of every draw, the service cannot have chosen
        its own seed to suit anyone.
        """
        if len(data.seed.encode()) > LONGEST_SEED:
            raise misshapen(f"a seed is at most {LONGEST_SEED} bytes", pointer="/seed")
        answer = await executed(sent, GiveClientSeed(sent.seat, data.seed))
        receipted = sent.instance.receipts.give(sent.id, answer.acknowledged, sealed=False)
        await sent.account(sent.seat, answer.view_seq)
        return command_response(sent, answer, receipted=receipted)


class ModerationController(Controller):
    """What the moderator of a match does."""

    path = "/v1/matches/{match_id:uuid}"
    tags = ("moderation",)

    @post(
        "/draws",
        summary="Enter the outcome of a draw by hand",
        guards=[MODERATES],
        response_headers=[ETAG, INCARNATION],
        opt=problems(
            "match_not_running chance_is_server no_draw_awaited outcome_does_not_fit", **TAKEN
        ),
    )
    async def enter_draw(
        self, data: Annotated[EnteredDraw, ENTERED_DRAW], sent: Sent, actor: TheActor
    ) -> ASGIResponse:
        """Needs the moderator's key, and a match created with `"chance":"manual"`."""
        return await ordered(sent, EnterDraw(data.id, data.outcome, actor), actor)

    @post(
        "/close-phase",
        summary="End the current phase now",
        guards=[MODERATES],
        response_headers=[ETAG, INCARNATION],
        opt=problems("match_not_running nothing_to_close", **TAKEN),
    )
    async def close_phase(
        self, sent: Sent, actor: TheActor, if_match: IfMatchPhase = None
    ) -> ASGIResponse:
        """Needs the moderator's key. Does what the phase's deadline would do, to the phase that is
        open when the request comes in. To repeat it safely, send the `ETag` of the view in which
        that phase was open as `If-Match`: another phase is then left alone (412).
        """
        phase = (await sent.instance.sessions.current(sent.id)).match.awaiting.phase
        expected = expected_numbers(if_match, name_audience(sent.own), sent.instance.edition)
        command = ClosePhase("" if phase is None else phase, actor)
        return await ordered(sent, command, actor, expected)


def _parse(
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
