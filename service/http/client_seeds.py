"""`/v1/matches/{id}/client-seeds`: what a seat adds to the chance of its match."""

from typing import Annotated

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.chance.seeds import LONGEST_SEED
from domain.commands import GiveClientSeed
from service.http.command_response import TAKEN, command_response
from service.http.dependencies import Account
from service.http.described import examples, problems
from service.http.first_tries import executed
from service.http.guards import SEATED
from service.http.headers import ETAG, INCARNATION
from service.http.idempotency import first_try, remembered
from service.http.parameters import MatchId
from service.http.problems import AnyRequest
from service.http.request_body import misshapen
from service.instance import Instance


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


CLIENT_SEED = examples({"dice": {"seed": "a6f1 dice rolled at home"}})


class ClientSeedsController(Controller):
    """The seeds that seats add before the start."""

    path = "/v1/matches/{match_id:uuid}/client-seeds"
    tags = ("play",)

    @post(
        operation_id="giveClientSeed",
        summary="Add to the chance of a match",
        guards=[SEATED],
        response_headers=[ETAG, INCARNATION],
        opt=problems("too_much_recorded chance_is_manual seed_sealed", **TAKEN),
    )
    @remembered(looks_back=True)
    async def give_client_seed(
        self,
        match_id: MatchId,
        request: AnyRequest,
        data: Annotated[ClientSeed, CLIENT_SEED],
        seat: NamedDependency[int],
        instance: NamedDependency[Instance],
        account: NamedDependency[Account],
    ) -> ASGIResponse:
        """Needs a seat's key, and a match that has not been started. A seat may give several; its
        last one counts. With it in the derivation of every draw, the service cannot have chosen
        its own seed to suit anybody.
        """
        if len(data.seed.encode()) > LONGEST_SEED:
            raise misshapen(f"a seed is at most {LONGEST_SEED} bytes", pointer="/seed")
        command = GiveClientSeed(seat, data.seed)
        answer = await executed(instance, match_id, command, seat, first_try(request))
        acknowledged = answer.acknowledged(seat, None)
        receipted = instance.receipts.given(match_id, acknowledged, sealed=False)
        await account(seat, answer.view_seq)
        return command_response(instance, match_id, answer, seat, receipted=receipted)
