"""`/v1/matches/{id}/client-seeds`: what a seat adds to the chance of its match."""

from typing import Annotated

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.chance.seeds import LONGEST_SEED
from domain.commands import GiveClientSeed
from service.http.access import only
from service.http.command_response import command_response
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.etags import ETAG, INCARNATION
from service.http.first_tries import executed
from service.http.operation import post
from service.http.request_body import Body, misshapen
from service.http.schemas import Taken


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


CLIENT_SEED = Body(ClientSeed, {"dice": {"seed": "a6f1 dice rolled at home"}})


class ClientSeedsController(Controller):
    """The seeds that seats add before the start."""

    path = "/v1/matches/{match_id:uuid}/client-seeds"
    tags = ("play",)
    dependencies = MATCH_DEPENDENCIES

    @post(
        operation_id="giveClientSeed",
        summary="Add to the chance of a match",
        security=only("seat"),
        answer=Taken,
        body=CLIENT_SEED,
        answer_headers=[ETAG, INCARNATION],
        looks_back=True,
        errors="too_much_recorded chance_is_manual seed_sealed record_altered",
    )
    async def give_client_seed(
        self, call: NamedDependency[MatchCall], seat: NamedDependency[int]
    ) -> ASGIResponse:
        """Needs a seat's key, and a match that has not been started. A seat may give several; its
        last one counts. With it in the derivation of every draw, the service cannot have chosen
        its own seed to suit anybody.
        """
        await call.cached_match()
        new = await CLIENT_SEED.read(call.request)
        if len(new.seed.encode()) > LONGEST_SEED:
            raise misshapen(f"a seed is at most {LONGEST_SEED} bytes", pointer="/seed")
        answer = await executed(call, GiveClientSeed(seat, new.seed), seat)
        receipted = call.instance.receipts.given(
            call.id, answer.acknowledged(seat, None), sealed=False
        )
        await call.account(seat, answer.view_seq)
        return command_response(call.instance, call.id, answer, seat, receipted=receipted)
