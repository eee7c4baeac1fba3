"""A request that rules, on a match or a tournament: previewed, carried out once, and answered."""

from hashlib import sha256
from typing import Annotated, TypeVar

import msgspec
from litestar.di import NamedDependency, Provide
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter
from msgspec import Struct
from msgspec.structs import replace

from domain.people import Actor
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import AnyRuling as Ordered
from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import MODERATOR
from service.application.rulings.rulings import Preview, RulingAnswer, RulingSender
from service.application.rulings.tournament_rulings import TournamentRulingAnswer
from service.http.description.routing import examples
from service.http.errors.problems import Failed
from service.http.requests.command_response import order_receipt
from service.http.requests.dependencies import MatchRequest, Once, TheInstance, TournamentRequest
from service.http.requests.responses import (
    Answer,
    created,
    etag,
    expected_numbers,
    if_match,
    private_headers,
)
from service.http.rulings.ruling_schemas import (
    NewReplacement,
    NewResult,
    NewRewind,
    NewRuling,
    NewTournamentRuling,
    NewVoid,
    RulingBody,
    Seconding,
)

A = TypeVar("A", RulingAnswer, TournamentRulingAnswer)

RulingId = Annotated[str, PathParameter(description="The id of the ruling")]
IfMatchPreview = Annotated[
    str | None, if_match("The `ETag` of a preview: nothing may have happened since")
]
PREVIEW = ResponseSpec(Preview, generate_examples=False, description="A preview, with an `ETag`")

PREVIEWED = (NewReplacement, NewResult, NewRewind, NewVoid, NewTournamentRuling, Seconding)
"""What is carried out only as it was previewed."""

SECONDS = examples({"carried out": {}, "a preview": {"preview": True}})
CARRIED_OUT = Seconding()

_canonical = msgspec.json.Encoder(order="deterministic")


class RulingRequest(Struct, frozen=True):
    """A request that rules, once, or asks for a preview, of this edition of the service. `seen`
    names the preview as which the ruling is carried out."""

    edition: str
    once: KeyedRequest | None
    seen: str | None

    async def on_match(
        self, sent: MatchRequest, command: Rule | SecondRuling, data: NewRuling | Seconding
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Rules on a match: the sender is given a receipt, too, unless it is a seat that asks."""
        reason = data.has_looked_reason if isinstance(data, NewReplacement | Seconding) else None
        viewer, rulings = MODERATOR if sent.organises else sent.own, sent.instance.rulings
        sender = RulingSender(sent.organises, reason, viewer)
        mark = _mark(command, data)
        if data.preview:
            seq, preview = await rulings.preview(sent.id, command, sender)
            await sent.account(viewer, seq)
            return self._preview(mark, seq, preview)
        expected = self._expected(mark, data)
        outcome = await rulings.execute(sent.id, command, self.once, expected, sender)
        if viewer != MODERATOR:
            return _answered(outcome.answer, repeated=outcome.repeated)
        receipt = await order_receipt(sent, command.actor, ruling=outcome.answer.ruling)
        answer = replace(outcome.answer, note=None if receipt is None else receipt.note)
        return _answered(answer, repeated=outcome.repeated)

    async def on_tournament(
        self,
        tournament: TournamentRequest,
        command: Rule | SecondRuling,
        data: NewTournamentRuling | Seconding,
    ) -> Answer[TournamentRulingAnswer] | Answer[Preview]:
        """Rules on a tournament."""
        rulings, mark = tournament.instance.tournament_rulings, _mark(command, data)
        if data.preview:
            return self._preview(mark, *await rulings.preview(tournament.id, command))
        expected = self._expected(mark, data)
        outcome = await rulings.execute(tournament.id, command, self.once, expected)
        return _answered(outcome.answer, repeated=outcome.repeated)

    def _preview(self, mark: str, version: int, preview: Preview) -> Answer[Preview]:
        return Answer(preview, 200, private_headers(etag(mark, version, self.edition)))

    def _expected(self, mark: str, data: object) -> frozenset[int] | None:
        """The versions at which this ruling was previewed; None for any."""
        expected = expected_numbers(self.seen, mark, self.edition)
        if expected is None and isinstance(data, PREVIEWED):
            raise Failed("preview_needed")
        return expected


def _mark(command: Rule | SecondRuling, data: RulingBody | Seconding) -> str:
    """What the previews of different rulings differ by."""
    own = replace(data, preview=False) if isinstance(command, Rule) else ["second", command.id]
    digest = sha256(_canonical.encode([type(own).__name__, own])).hexdigest()
    return f"ruling-{digest[:16]}"


def _answered(answer: A, *, repeated: bool) -> Answer[A]:
    """202 for a ruling that waits, otherwise as for all that is created."""
    if answer.status == "pending" and not repeated:
        return Answer(answer, 202, private_headers())
    return created(answer, repeated=repeated, headers=private_headers())


def ruling_request(
    instance: TheInstance, once: Once, if_match: IfMatchPreview = None
) -> RulingRequest:
    """The request, for handlers."""
    return RulingRequest(instance.edition, once, if_match)


TheRulingRequest = NamedDependency[RulingRequest]
RULING_REQUEST = {"ruling_request": Provide(ruling_request, sync_to_thread=False)}


def rule_of(ruling: Ordered, data: RulingBody, judge: Actor, ask_seats: bool = False) -> Rule:
    """The command of a new ruling."""
    return Rule(
        id="",
        ruling=ruling,
        reason=data.reason,
        actor=judge,
        rule=data.rule,
        appeals=data.appeals,
        case=data.case,
        ask_seats=ask_seats,
    )
