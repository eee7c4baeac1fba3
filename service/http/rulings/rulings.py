"""`/v1/matches/{id}/rulings` and `/v1/tournaments/{id}/rulings`: what moderators and organisers do
when something went wrong, and how a match counts, corrected after its result was final."""

from hashlib import sha256
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec
from litestar import Controller
from litestar.di import NamedDependency, Provide
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter
from msgspec import Struct
from msgspec.structs import replace

from domain.people import Actor
from domain.rulings.commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.rulings.kinds import AnyRuling as Ordered
from domain.rulings.kinds import Correction
from domain.tournament.state import Request
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from service.application.rulings.ruling_answers import Preview, RulingAnswer
from service.application.rulings.rulings import Sender
from service.application.rulings.tournament_rulings import (
    CorrectionAnswer,
    Matches,
    TournamentRulingService,
)
from service.http.access.grants import found_grant, moderated
from service.http.access.guards import DIRECTORS, MODERATES, ORGANISER, READERS, SEATED
from service.http.description.described import answer_of, examples, problems
from service.http.description.routing import delete, get, post
from service.http.errors.problems import AnyRequest, Failed
from service.http.requests.command_response import order_receipt
from service.http.requests.dependencies import (
    MatchRequest,
    Once,
    Sent,
    TheActor,
    TheGrant,
    TheInstance,
    ThePage,
)
from service.http.requests.etags import etag, expected_numbers
from service.http.requests.headers import if_match
from service.http.requests.idempotency import remembered
from service.http.requests.parameters import TournamentId
from service.http.requests.responses import Answer, created, private, private_headers
from service.http.rulings.ruling_schemas import (
    AnyRuling,
    CorrectionList,
    NewConfirmation,
    NewCorrection,
    NewReplacement,
    NewResult,
    NewRewind,
    NewRuling,
    NewVoid,
    RulingList,
    Seconding,
    result_of,
)

A = TypeVar("A", RulingAnswer, CorrectionAnswer)

RulingId = Annotated[str, PathParameter(description="The id of the ruling")]
IfMatchPreview = Annotated[
    str | None, if_match("The `ETag` of a preview: nothing may have happened since")
]
PREVIEW = ResponseSpec(Preview, generate_examples=False, description="A preview, with an `ETag`")

PREVIEWED = (NewReplacement, NewResult, NewRewind, NewVoid, NewCorrection, Seconding)
"""What is carried out only as it was previewed."""

NEW_RULING = examples(
    {
        "a note": {
            "kind": "note",
            "to": "public",
            "text": "A coin that leaves the table is tossed again.",
            "severity": "clarification",
            "reason": "Both players asked.",
        },
        "a pause": {"kind": "pause", "reason": "A player feels unwell."},
        "a new player": {
            "kind": "replace_seat",
            "seat": 1,
            "name": "Zoe",
            "reason": "Ben had to leave.",
        },
    },
    component="NewRuling",
)
NEW_CORRECTION = examples(
    {
        "out of the standings": {
            "kind": "correct",
            "match": "01900000-0000-7000-8000-000000000000",
            "result": None,
            "reason": "The seats had been mixed up.",
        }
    }
)
SECONDS = examples({"carried out": {}, "a preview": {"preview": True}})
CARRIED_OUT = Seconding()

_canonical = msgspec.json.Encoder(order="deterministic")


class RulingRequest(Struct, frozen=True):
    """A request that rules, once, or asks for a preview, of this edition of the service. `seen`
    names the preview as which the ruling is carried out."""

    edition: str
    once: Request | None
    seen: str | None

    async def on_match(
        self, sent: MatchRequest, command: Rule | SecondRuling, data: NewRuling | Seconding
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Rules on a match: the sender is given a receipt, too."""
        reason = data.has_looked_reason if isinstance(data, NewReplacement | Seconding) else None
        sender, rulings = Sender(sent.organises, reason), sent.instance.rulings
        mark = _mark(command, data)
        if data.preview:
            seq, preview = await rulings.preview(sent.id, command, sender)
            await sent.account(MODERATOR, seq)
            return self._preview(mark, seq, preview)
        expected = self._expected(mark, data)
        ruled = await rulings.execute(sent.id, command, self.once, expected, sender)
        receipt = await order_receipt(sent, command.actor, ruling=ruled.answer.ruling)
        answer = replace(ruled.answer, note=None if receipt is None else receipt.note)
        return _answered(answer, repeated=ruled.repeated)

    async def on_tournament(
        self,
        corrections: TournamentRulingService,
        tournament: UUID,
        command: Rule | SecondRuling,
        data: NewCorrection | Seconding,
    ) -> Answer[CorrectionAnswer] | Answer[Preview]:
        """Rules on a tournament."""
        mark = _mark(command, data)
        if data.preview:
            return self._preview(mark, *await corrections.preview(tournament, command))
        expected = self._expected(mark, data)
        ruled = await corrections.execute(tournament, command, self.once, expected)
        return _answered(ruled.answer, repeated=ruled.repeated)

    def _preview(self, mark: str, version: int, preview: Preview) -> Answer[Preview]:
        return Answer(preview, 200, private_headers(etag(mark, version, self.edition)))

    def _expected(self, mark: str, data: object) -> frozenset[int] | None:
        """The versions at which this ruling was previewed; None for any."""
        expected = expected_numbers(self.seen, mark, self.edition)
        if expected is None and isinstance(data, PREVIEWED):
            raise Failed("preview_needed")
        return expected


def _mark(command: Rule | SecondRuling, data: NewRuling | NewCorrection | Seconding) -> str:
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


class RulingsController(Controller):
    """Rulings of a match."""

    path = "/v1/matches/{match_id:uuid}/rulings"
    tags = ("moderation",)
    dependencies = RULING_REQUEST

    @post(
        summary="Rule on a match",
        guards=[DIRECTORS],
        responses={200: PREVIEW, 202: answer_of(RulingAnswer)},
        opt=problems(
            "moderator_plays own_ruling key_not_renewed no_such_ruling no_such_seat cannot_replace "
            "no_such_case not_public not_in_future too_late result_does_not_fit name_not_allowed "
            "not_live outcome_does_not_fit no_such_draw not_admissible match_not_running "
            "match_not_ended not_paused no_deadline result_final has_looked case_closed "
            "preview_needed"
        ),
    )
    async def rule(
        self,
        data: Annotated[AnyRuling, NEW_RULING],
        sent: Sent,
        judge: TheActor,
        ruling_request: TheRulingRequest,
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Needs an organiser's key or the match's moderator's. 201 when the ruling is carried out,
        202 when it waits for a second person. A `rewind`, a `result`, a `void` or a `replace_seat`
        needs the `ETag` of its preview as `If-Match`. Only an organiser rules `confirm` (403
        `not_allowed`).

        When somebody takes over a seat, all its earlier keys and tickets end, with their open
        streams. The answer shows the new `key` once, to whoever carries the ruling out; null in the
        answer to a repeated request."""
        if isinstance(data, NewConfirmation) and not sent.organises:
            raise Failed("not_allowed")
        ordered = data
        if isinstance(data, NewRewind):
            _, public = await sent.instance.sessions.projection(sent.id, PUBLIC_VIEWER)
            ordered = data.looked_up(public.positions)
        command = _rule(ordered.ruling(), data, judge, data.ask_seats)
        return await ruling_request.on_match(sent, command, data)

    @get(summary="The rulings of a match", guards=[READERS])
    async def list_rulings(self, sent: Sent, page: ThePage) -> Answer[RulingList]:
        """What the key's owner may see: everybody sees public rulings, a seat its own notes and
        what it was asked about, a moderator all. An organiser sees public and pending rulings."""
        shown_as = MODERATOR if sent.organises else sent.own
        listed = await sent.instance.ruling_lists.listed(sent.id, shown_as)
        _, projection = await sent.instance.sessions.cached_projection(sent.id, shown_as)
        await sent.account(shown_as, projection.seq)
        # An organiser may not read notes to others.
        shown = [one for one in listed if one.to == "public" or not sent.organises]
        return private(RulingList(*page.of(shown)))

    @post(
        "/{ruling:str}/second",
        summary="Carry out a pending ruling",
        guards=[DIRECTORS],
        responses={200: PREVIEW},
        opt=problems(
            "moderator_plays own_ruling same_person key_not_renewed no_such_ruling cannot_replace "
            "result_does_not_fit name_not_allowed not_public not_live outcome_does_not_fit "
            "no_such_draw not_admissible not_pending result_final match_not_running has_looked "
            "case_closed preview_needed"
        ),
    )
    async def second_ruling(
        self,
        sent: Sent,
        ruling: RulingId,
        judge: TheActor,
        ruling_request: TheRulingRequest,
        data: Annotated[Seconding, SECONDS] = CARRIED_OUT,
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Needs an organiser's key or the match's moderator's, of another person than the one who
        ruled: a key with another name, which is its holder's if that person issued it (403
        `key_not_renewed`). It takes the `ETag` of a preview of its own as `If-Match`. When somebody
        takes over a seat, the answer shows the new `key` once."""
        command = SecondRuling(ruling, judge)
        return await ruling_request.on_match(sent, command, data)

    @post(
        "/{ruling:str}/consent",
        summary="Consent to a pending ruling",
        guards=[SEATED],
        opt=problems(
            "no_such_ruling cannot_replace name_not_allowed not_public not_live "
            "outcome_does_not_fit no_such_draw not_admissible not_pending result_final "
            "already_consented case_closed"
        ),
    )
    async def consent_to_ruling(
        self, sent: Sent, ruling: RulingId, once: Once
    ) -> Answer[RulingAnswer]:
        """Needs the key of a seat that was asked. The last consent carries the ruling out; only
        moderators see who has consented."""
        consent = ConsentToRuling(ruling, sent.seat)
        ruled = await sent.instance.rulings.execute(sent.id, consent, once)
        return created(ruled.answer, repeated=ruled.repeated, headers=private_headers())

    @delete(
        "/{ruling:str}",
        summary="Give up a pending ruling",
        response_description="It is withdrawn",
        guards=[DIRECTORS],
        opt=problems("moderator_plays no_such_ruling not_pending result_final"),
    )
    @remembered()
    async def withdraw_ruling(self, sent: Sent, ruling: RulingId, actor: TheActor) -> None:
        """Needs an organiser's key or the match's moderator's."""
        await sent.instance.rulings.withdraw(sent.id, WithdrawRuling(ruling, actor))


class TournamentRulingsController(Controller):
    """Rulings of a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/rulings"
    tags = ("tournaments",)
    dependencies = RULING_REQUEST

    @post(
        summary="Correct how a match counts",
        guards=[ORGANISER],
        responses={200: PREVIEW, 202: answer_of(CorrectionAnswer)},
        opt=problems(
            "moderator_plays own_ruling key_not_renewed no_such_tournament_match no_such_ruling "
            "record_altered result_not_final not_public result_does_not_fit preview_needed"
        ),
    )
    async def correct(
        self,
        tournament_id: TournamentId,
        data: Annotated[NewCorrection, NEW_CORRECTION],
        judge: TheActor,
        ruling_request: TheRulingRequest,
        instance: TheInstance,
    ) -> Answer[CorrectionAnswer] | Answer[Preview]:
        """Needs an organiser's key, and the `ETag` of its preview as `If-Match`. 202: it waits for
        a moderator of the match; 201 where the match was created with `"rulings":"single"`."""
        result = None if data.result is None else result_of(data.result)
        command = _rule(Correction(data.match, result), data, judge)
        return await ruling_request.on_tournament(
            instance.corrections, tournament_id, command, data
        )

    @get(summary="The rulings of a tournament", guards=[READERS])
    async def list_tournament_rulings(
        self,
        request: AnyRequest,
        tournament_id: TournamentId,
        page: ThePage,
        instance: TheInstance,
    ) -> Answer[CorrectionList]:
        """Everybody sees what was carried out. Organisers, and the moderators of a match what is
        about it, also see what is pending, and who ruled."""
        grant = found_grant(request)
        matches: Matches = frozenset()
        if grant is not None:
            matches = await moderated(instance, grant, tournament_id)
        listed = await instance.corrections.listed(tournament_id, matches)
        return private(CorrectionList(*page.of(listed)))

    @post(
        "/{ruling:str}/second",
        summary="Carry out a pending correction",
        guards=[MODERATES],
        responses={200: PREVIEW},
        opt=problems(
            "moderator_plays own_ruling same_person key_not_renewed no_such_ruling record_altered "
            "not_pending preview_needed"
        ),
    )
    async def second_correction(
        self,
        tournament_id: TournamentId,
        ruling: RulingId,
        grant: TheGrant,
        judge: TheActor,
        ruling_request: TheRulingRequest,
        instance: TheInstance,
        data: Annotated[Seconding, SECONDS] = CARRIED_OUT,
    ) -> Answer[CorrectionAnswer] | Answer[Preview]:
        """Needs the key of a moderator of the match, of another person than the organiser who
        corrected it: a key with another name, which is its holder's if the organiser issued it
        (403 `key_not_renewed`). It takes the `ETag` of a preview of its own as `If-Match`."""
        matches = await moderated(instance, grant, tournament_id)
        await instance.corrections.check_known(tournament_id, ruling, matches)
        command = SecondRuling(ruling, judge)
        return await ruling_request.on_tournament(
            instance.corrections, tournament_id, command, data
        )

    @delete(
        "/{ruling:str}",
        summary="Give up a pending correction",
        response_description="It is withdrawn",
        guards=[DIRECTORS],
        opt=problems("moderator_plays no_such_ruling record_altered not_pending"),
    )
    @remembered()
    async def withdraw_correction(
        self,
        tournament_id: TournamentId,
        ruling: RulingId,
        grant: TheGrant,
        actor: TheActor,
        instance: TheInstance,
    ) -> None:
        """Needs an organiser's key, or that of a moderator of the match."""
        matches = await moderated(instance, grant, tournament_id)
        await instance.corrections.check_known(tournament_id, ruling, matches)
        await instance.corrections.withdraw(tournament_id, WithdrawRuling(ruling, actor))


def _rule(
    ruling: Ordered, data: NewRuling | NewCorrection, judge: Actor, ask_seats: bool = False
) -> Rule:
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
