"""`/v1/matches/{id}/rulings`: what moderators and organisers do when something went wrong."""

from typing import Annotated, Any, cast
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.params import PathParameter
from litestar.response.base import ASGIResponse
from msgspec.structs import replace

from domain.people import Actor
from domain.ruling_commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.ruling_kinds import Ruling
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.ruling_answers import RulingAnswer
from service.application.rulings import RuledOnce
from service.application.succession import Sender
from service.auth.grants import Grant
from service.http.access import READERS, only
from service.http.authentication import optional_grant
from service.http.authorization import DIRECTORS, viewer_of_grant
from service.http.dependencies import MATCH_DEPENDENCIES, MatchCall
from service.http.idempotency import idempotency_key, read_once, request_of
from service.http.operation import IDEMPOTENCY_KEY, Answer, answer_of, delete, get, post
from service.http.orders import receipt_of_order
from service.http.parameters import PageQuery
from service.http.problems import Failed
from service.http.request_body import Body, check_no_body
from service.http.responses import (
    created,
    json,
    private_headers,
)
from service.http.ruling_previews import (
    IF_MATCH,
    PREVIEW,
    answered,
    expected_by,
    mark_of,
    previewed,
)
from service.http.ruling_schemas import (
    AnyRuling,
    NewConfirmation,
    NewReplacement,
    NewResult,
    NewRewind,
    NewRuling,
    NewVoid,
    RulingList,
    Seconding,
)
from service.instance import Instance

RulingId = Annotated[str, PathParameter(description="The id of the ruling")]


PREVIEWED = (NewReplacement, NewResult, NewRewind, NewVoid)
"""The kinds that are carried out only as they were previewed."""

NEW_RULING: Body[AnyRuling] = Body(
    cast(Any, AnyRuling),
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
SECONDS = Body(Seconding, {"carried out": {}, "a preview": {"preview": True}}, required=False)


class RulingsController(Controller):
    """Rulings of a match."""

    path = "/v1/matches/{match_id:uuid}/rulings"
    tags = ("moderation",)
    dependencies = MATCH_DEPENDENCIES

    @post(
        operation_id="rule",
        summary="Rule on a match",
        security=only("organiser", "moderator"),
        answer=RulingAnswer,
        body=NEW_RULING,
        headers=[IDEMPOTENCY_KEY, IF_MATCH],
        answers={200: PREVIEW, 202: answer_of(RulingAnswer)},
        errors="moderator_plays own_ruling key_not_renewed no_such_ruling no_such_seat "
        "cannot_replace no_such_case not_public not_in_future too_late result_does_not_fit "
        "name_not_allowed not_live outcome_does_not_fit no_such_draw not_admissible "
        "idempotency_key_reused match_not_running match_not_ended not_paused no_deadline "
        "result_final has_looked record_altered request_in_flight case_closed",
    )
    async def rule(
        self,
        call: NamedDependency[MatchCall],
        sender: NamedDependency[Viewer],
        judge: NamedDependency[Actor],
        grant: NamedDependency[Grant],
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's. 201 when the ruling is carried out,
        202 when it waits for a second person. A `rewind`, a `result`, a `void` or a `replace_seat`
        needs the `ETag` of its preview as `If-Match`. Only an organiser rules `confirm` (403
        `not_allowed`).

        When somebody takes over a seat, all its earlier keys and tickets end, with their open
        streams. The answer shows the new `key` once, to whoever carries the ruling out; null in the
        answer to a repeated request."""
        new, once = await read_once(call.request, NEW_RULING)
        await call.cached_match()
        if isinstance(new, NewConfirmation) and grant.role != "organiser":
            raise Failed("not_allowed")
        ruling = await _ruling(call.instance, call.id, new)
        command = Rule(
            "", ruling, new.reason, judge, new.rule, new.appeals, new.case, new.ask_seats
        )
        mark = mark_of(replace(new, preview=False))
        reason = new.has_looked_reason if isinstance(new, NewReplacement) else None
        sent_by = Sender(sender == PUBLIC_VIEWER, reason)
        if new.preview:
            seq, preview = await call.instance.rulings.preview(call.id, command, sent_by)
            await call.account(MODERATOR, seq)
            return previewed(seq, preview, mark, call.instance.edition)
        expected = expected_by(
            call.request, mark, call.instance.edition, needed=isinstance(new, PREVIEWED)
        )
        ruled = await call.instance.rulings.execute(call.id, command, once, expected, sent_by)
        return answered(await _receipted(call, judge, ruled), repeated=ruled.repeated)

    @get(
        operation_id="listRulings",
        summary="The rulings of a match",
        security=READERS,
        answer=RulingList,
        query=PageQuery,
    )
    async def list_rulings(
        self, call: NamedDependency[MatchCall], parameters: NamedDependency[PageQuery]
    ) -> ASGIResponse:
        """What the key's owner may see: everybody sees public rulings, a seat its own notes and
        what it was asked about, a moderator all. An organiser sees public and pending rulings."""
        grant = await optional_grant(call.instance, call.request)
        organises = grant is not None and grant.role == "organiser"
        viewer = await viewer_of_grant(call.instance, grant, call.id, None)
        shown_as = MODERATOR if organises else viewer
        listed = await call.instance.ruling_lists.listed(call.id, shown_as)
        _, projection = await call.instance.sessions.cached_projection(call.id, shown_as)
        await call.account(shown_as, projection.seq)
        # An organiser is no reader of notes to others.
        shown = [one for one in listed if one.to == "public" or not organises]
        return json(RulingList(*parameters.page(shown)), 200, private_headers())

    @post(
        "/{ruling:str}/second",
        operation_id="secondRuling",
        summary="Carry out a pending ruling",
        security=only("organiser", "moderator"),
        answer=RulingAnswer,
        body=SECONDS,
        headers=[IDEMPOTENCY_KEY, IF_MATCH],
        answers={200: PREVIEW},
        errors="moderator_plays own_ruling same_person key_not_renewed no_such_ruling "
        "cannot_replace result_does_not_fit name_not_allowed idempotency_key_reused "
        "not_public not_live outcome_does_not_fit no_such_draw not_admissible wrong_shape not_json "
        "bad_if_match bad_idempotency_key not_pending result_final record_altered "
        "match_not_running has_looked request_in_flight case_closed",
    )
    async def second(
        self,
        call: NamedDependency[MatchCall],
        ruling: RulingId,
        sender: NamedDependency[Viewer],
        judge: NamedDependency[Actor],
    ) -> ASGIResponse:
        """Needs an organiser's key or the match's moderator's, of another person than the one who
        ruled: a key with another name, which is its holder's if that person issued it (403
        `key_not_renewed`). It takes the `ETag` of a preview of its own as `If-Match`. When somebody
        takes over a seat, the answer shows the new `key` once."""
        sent, once = await read_once(call.request, SECONDS)
        await call.cached_match()
        command = SecondRuling(ruling, judge)
        mark = mark_of(["second", ruling])
        sent_by = Sender(sender == PUBLIC_VIEWER, sent.has_looked_reason)
        if sent.preview:
            seq, preview = await call.instance.rulings.preview(call.id, command, sent_by)
            await call.account(MODERATOR, seq)
            return previewed(seq, preview, mark, call.instance.edition)
        expected = expected_by(call.request, mark, call.instance.edition, needed=True)
        ruled = await call.instance.rulings.execute(call.id, command, once, expected, sent_by)
        return answered(await _receipted(call, judge, ruled), repeated=ruled.repeated)

    @post(
        "/{ruling:str}/consent",
        operation_id="consentToRuling",
        summary="Consent to a pending ruling",
        security=only("seat"),
        answer=RulingAnswer,
        headers=[IDEMPOTENCY_KEY],
        errors="no_such_ruling cannot_replace name_not_allowed idempotency_key_reused not_public "
        "not_live outcome_does_not_fit no_such_draw not_admissible not_pending result_final "
        "record_altered already_consented request_in_flight case_closed",
    )
    async def consent(
        self, call: NamedDependency[MatchCall], ruling: RulingId, seat: NamedDependency[int]
    ) -> ASGIResponse:
        """Needs the key of a seat that was asked. The last consent carries the ruling out; only
        moderators see who has consented."""
        key = idempotency_key(call.request)
        await check_no_body(call.request)
        await call.cached_match()
        command = ConsentToRuling(ruling, seat)
        once = request_of(call.request, key, command)
        ruled = await call.instance.rulings.execute(call.id, command, once)
        return created(ruled.answer, repeated=ruled.repeated, headers=private_headers())

    @delete(
        "/{ruling:str}",
        operation_id="withdrawRuling",
        summary="Give up a pending ruling",
        **DIRECTORS,
        answers={204: Answer(None, "It is withdrawn")},
        errors="moderator_plays no_such_ruling not_pending result_final record_altered",
    )
    async def withdraw(
        self, call: NamedDependency[MatchCall], ruling: RulingId, actor: NamedDependency[Actor]
    ) -> None:
        """Needs an organiser's key or the match's moderator's."""
        await check_no_body(call.request)
        await call.cached_match()
        command = WithdrawRuling(ruling, actor)
        await call.instance.rulings.withdraw(call.id, command)


async def _receipted(call: MatchCall, actor: Actor, ruled: RuledOnce[RulingAnswer]) -> RulingAnswer:
    """The answer, with the receipt for what was ordered."""
    found = await receipt_of_order(call, actor, ruling=ruled.answer.ruling)
    return replace(ruled.answer, note=None if found is None else found.note)


async def _ruling(instance: Instance, match_id: UUID, new: NewRuling) -> Ruling:
    """What a request orders, with the moderators' numbers of events."""
    if isinstance(new, NewRewind):
        _, public = await instance.sessions.projection(match_id, PUBLIC_VIEWER)
        new = new.looked_up(public.positions)
    return new.ruling()
