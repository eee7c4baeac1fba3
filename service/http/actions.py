"""`/v1/matches/{id}/actions`: what a seat may do, and what it does."""

from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from domain.commands import Act
from domain.games import GAMES
from domain.menu import NOTHING
from projections import menu
from projections.disclosure import Viewer, named
from projections.menu import MenuAnswer
from service.http.access import etag, seated, tags
from service.http.asking import idempotency_key
from service.http.bodies import Taken
from service.http.problems import AnyRequest
from service.http.reading import body_of, header, parsed
from service.http.responses import json, own, raises, returns
from service.http.taking import taken
from service.proof.receipts import withheld_at_first
from service.stores import Stores

ACTING = (
    "not_json", "wrong_shape", "bad_idempotency_key", "key_missing", "key_unknown", "not_allowed",
    "no_such_match", "match_not_running", "stale", "too_large", "idempotency_key_reused",
    "try_again",
)  # fmt: skip

_encoder = msgspec.json.Encoder()


_decoders: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(game.Action) for name, game in GAMES.items()
}


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The routes of a seat."""

    @get(
        "/v1/matches/{match_id:uuid}/actions",
        operation_id="listActions",
        summary="What the seat may do now",
        tags=["play"],
        responses={
            **returns(200, MenuAnswer),
            **raises("key_missing", "key_unknown", "not_allowed", "no_such_match", "try_again"),
        },
    )
    async def list_actions(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs a seat's key. Empty when the seat may do nothing now."""
        arbiter = await stores.of(match_id)
        seat = await seated(arbiter, request, match_id)
        opened, reader = await arbiter.open_matches.read(match_id, seat)
        assert opened.game is not None and opened.match is not None
        running = opened.match.status == "running"
        offered = opened.game.legal(opened.match.game, seat) if running else NOTHING
        return json(menu.answer(offered), 200, own(etag(named(seat), reader.sight.seq)))

    @post(
        "/v1/matches/{match_id:uuid}/actions",
        operation_id="act",
        summary="Send an action",
        tags=["play"],
        responses={**returns(201, Taken), **raises(*ACTING)},
    )
    async def act(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs a seat's key. Answered when the action and what follows from it are on disk.

        What the rules refuse is 422 with the rule's code, and on the record.
        """
        arbiter = await stores.of(match_id)
        key = idempotency_key(request)
        seat = await seated(arbiter, request, match_id)
        opened = await arbiter.open_matches.known(match_id)
        # While the body comes in the match may be forgotten, and read again.
        game, match = opened.game, opened.match
        assert game is not None and match is not None
        body = await body_of(request)
        action = parsed(body, _decoders[game.id])
        # The record has it as it was sent; what is left out or said by default is the same action.
        fingerprint = None if key is None else sha256(_encoder.encode(action)).digest()
        command = Act(seat, action, msgspec.json.decode(body), key, fingerprint)
        expected = seen(header(request, b"if-match"), seat)
        codes, sealed = game.codes, withheld_at_first(game, match)
        answer = await arbiter.matches.enter(match_id, command, seat, expected)
        receipted = await arbiter.receipts.given(match_id, answer, seat, key, sealed=sealed)
        return taken(answer, seat, key, codes, receipted)

    return [list_actions, act]


def seen(if_match: str | None, sender: Viewer) -> frozenset[int] | None:
    """The numbers of the sender's views that the request is meant for; None if for any."""
    wanted = tags(if_match)
    if wanted is None or "*" in wanted:
        return None
    prefix = f'"{named(sender)}.'
    numbers = [tag[len(prefix) : -1] for tag in wanted if tag.startswith(prefix)]
    return frozenset(int(n) for n in numbers if n.isascii() and n.isdigit() and len(n) < 16)
