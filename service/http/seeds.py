"""`/v1/matches/{id}/client-seeds`: what a seat adds to the chance of its match."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.chance import LONGEST_SEED
from domain.commands import GiveClientSeed
from service.http.access import seated
from service.http.bodies import Taken
from service.http.problems import AnyRequest, Failed
from service.http.reading import decoded
from service.http.responses import raises, returns
from service.http.taking import taken
from service.stores import Stores

SEEDING = (
    "not_json", "wrong_shape", "key_missing", "key_unknown", "not_allowed", "no_such_match",
    "chance_is_manual", "seed_sealed", "too_large", "try_again",
)  # fmt: skip


class ClientSeed(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat adds to chance: any text, best one that nobody can guess."""

    seed: Annotated[
        str,
        Meta(
            min_length=1,
            description="1 to 64 bytes as UTF-8; everybody can read it",
            examples=["a6f1 dice rolled at home"],
        ),
    ]


_decoder = msgspec.json.Decoder(ClientSeed)


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The route of client seeds."""

    @post(
        "/v1/matches/{match_id:uuid}/client-seeds",
        operation_id="giveClientSeed",
        summary="Add to the chance of a match",
        tags=["play"],
        responses={**returns(201, Taken), **raises(*SEEDING)},
    )
    async def give_client_seed(request: AnyRequest, match_id: FromPath[UUID]) -> ASGIResponse:
        """Needs a seat's key, and a match that has not been started. A seat may give several; its
        last one counts. With it in the derivation of every draw, the service cannot have chosen
        its own seed to suit anybody.
        """
        arbiter = await stores.of(match_id)
        seat = await seated(arbiter, request, match_id)
        await arbiter.open_matches.known(match_id)
        given = await decoded(request, _decoder)
        if len(given.seed.encode()) > LONGEST_SEED:
            raise Failed("wrong_shape", f"a seed is at most {LONGEST_SEED} bytes - at `$.seed`")
        answer = await arbiter.matches.enter(match_id, GiveClientSeed(seat, given.seed), seat)
        receipted = await arbiter.receipts.given(match_id, answer, seat, None, sealed=False)
        return taken(answer, seat, receipted=receipted)

    return [give_client_seed]
