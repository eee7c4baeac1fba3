"""`/v1/matches/{id}/rulings`: what moderators and organisers do when something went wrong."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency, Provide
from litestar.params import PathParameter
from msgspec.structs import replace

from domain.people import Actor
from domain.ruling_commands import ConsentToRuling, Rule, SecondRuling, WithdrawRuling
from domain.ruling_kinds import Ruling
from domain.tournament_state import Request
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.match_rulings import MatchRulingService
from service.application.match_sessions import MatchSessions
from service.application.ruling_answers import Preview, RulingAnswer
from service.application.ruling_lists import RulingLists
from service.application.rulings import RuledOnce, Sender
from service.auth.grants import Grant
from service.http.dependencies import Account
from service.http.described import answer_of, examples, problems
from service.http.grants import found_grant
from service.http.guards import DIRECTORS, READERS, SEATED
from service.http.idempotency import remembered
from service.http.orders import Orders, orders
from service.http.parameters import MatchId, Page
from service.http.problems import AnyRequest, Failed
from service.http.responses import Answer, created, private, private_headers
from service.http.ruling_previews import PREVIEW, Previews, answered, mark_of, previews
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

RulingId = Annotated[str, PathParameter(description="The id of the ruling")]

PREVIEWED = (NewReplacement, NewResult, NewRewind, NewVoid)
"""The kinds that are carried out only as they were previewed."""

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
SECONDS = examples({"carried out": {}, "a preview": {"preview": True}})
CARRIED_OUT = Seconding()


RULING = {
    "previews": Provide(previews, sync_to_thread=False),
    "orders": Provide(orders, sync_to_thread=False),
}


class RulingsController(Controller):
    """Rulings of a match."""

    path = "/v1/matches/{match_id:uuid}/rulings"
    tags = ("moderation",)
    dependencies = RULING

    @post(
        operation_id="rule",
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
        match_id: MatchId,
        data: Annotated[AnyRuling, NEW_RULING],
        judge: NamedDependency[Actor],
        own: NamedDependency[Viewer],
        grant: NamedDependency[Grant],
        once: NamedDependency[Request | None],
        previews: NamedDependency[Previews],
        rulings: NamedDependency[MatchRulingService],
        sessions: NamedDependency[MatchSessions],
        orders: NamedDependency[Orders],
        account: NamedDependency[Account],
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Needs an organiser's key or the match's moderator's. 201 when the ruling is carried out,
        202 when it waits for a second person. A `rewind`, a `result`, a `void` or a `replace_seat`
        needs the `ETag` of its preview as `If-Match`. Only an organiser rules `confirm` (403
        `not_allowed`).

        When somebody takes over a seat, all its earlier keys and tickets end, with their open
        streams. The answer shows the new `key` once, to whoever carries the ruling out; null in the
        answer to a repeated request."""
        if isinstance(data, NewConfirmation) and grant.role != "organiser":
            raise Failed("not_allowed")
        ruling = await _ruling(sessions, match_id, data)
        command = Rule(
            id="",
            ruling=ruling,
            reason=data.reason,
            actor=judge,
            rule=data.rule,
            appeals=data.appeals,
            case=data.case,
            ask_seats=data.ask_seats,
        )
        mark = mark_of(replace(data, preview=False))
        reason = data.has_looked_reason if isinstance(data, NewReplacement) else None
        sent_by = Sender(own == PUBLIC_VIEWER, reason)
        if data.preview:
            seq, preview = await rulings.preview(match_id, command, sent_by)
            await account(MODERATOR, seq)
            return previews.answer(seq, preview, mark)
        expected = previews.expected(mark, needed=isinstance(data, PREVIEWED))
        ruled = await rulings.execute(match_id, command, once, expected, sent_by)
        return await _receipted(orders, match_id, judge, ruled)

    @get(
        operation_id="listRulings",
        summary="The rulings of a match",
        guards=[READERS],
    )
    async def list_rulings(
        self,
        request: AnyRequest,
        match_id: MatchId,
        own: NamedDependency[Viewer],
        page: NamedDependency[Page],
        account: NamedDependency[Account],
        sessions: NamedDependency[MatchSessions],
        ruling_lists: NamedDependency[RulingLists],
    ) -> Answer[RulingList]:
        """What the key's owner may see: everybody sees public rulings, a seat its own notes and
        what it was asked about, a moderator all. An organiser sees public and pending rulings."""
        grant = found_grant(request)
        organises = grant is not None and grant.role == "organiser"
        shown_as = MODERATOR if organises else own
        listed = await ruling_lists.listed(match_id, shown_as)
        _, projection = await sessions.cached_projection(match_id, shown_as)
        await account(shown_as, projection.seq)
        # An organiser may not read notes to others.
        shown = [one for one in listed if one.to == "public" or not organises]
        return private(RulingList(*page.of(shown)))

    @post(
        "/{ruling:str}/second",
        operation_id="secondRuling",
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
    async def second(
        self,
        match_id: MatchId,
        ruling: RulingId,
        judge: NamedDependency[Actor],
        own: NamedDependency[Viewer],
        once: NamedDependency[Request | None],
        previews: NamedDependency[Previews],
        rulings: NamedDependency[MatchRulingService],
        orders: NamedDependency[Orders],
        account: NamedDependency[Account],
        data: Annotated[Seconding, SECONDS] = CARRIED_OUT,
    ) -> Answer[RulingAnswer] | Answer[Preview]:
        """Needs an organiser's key or the match's moderator's, of another person than the one who
        ruled: a key with another name, which is its holder's if that person issued it (403
        `key_not_renewed`). It takes the `ETag` of a preview of its own as `If-Match`. When somebody
        takes over a seat, the answer shows the new `key` once."""
        command, mark = SecondRuling(ruling, judge), mark_of(["second", ruling])
        sent_by = Sender(own == PUBLIC_VIEWER, data.has_looked_reason)
        if data.preview:
            seq, preview = await rulings.preview(match_id, command, sent_by)
            await account(MODERATOR, seq)
            return previews.answer(seq, preview, mark)
        expected = previews.expected(mark, needed=True)
        ruled = await rulings.execute(match_id, command, once, expected, sent_by)
        return await _receipted(orders, match_id, judge, ruled)

    @post(
        "/{ruling:str}/consent",
        operation_id="consentToRuling",
        summary="Consent to a pending ruling",
        guards=[SEATED],
        opt=problems(
            "no_such_ruling cannot_replace name_not_allowed not_public not_live "
            "outcome_does_not_fit no_such_draw not_admissible not_pending result_final "
            "already_consented case_closed"
        ),
    )
    async def consent(
        self,
        match_id: MatchId,
        ruling: RulingId,
        seat: NamedDependency[int],
        once: NamedDependency[Request | None],
        rulings: NamedDependency[MatchRulingService],
    ) -> Answer[RulingAnswer]:
        """Needs the key of a seat that was asked. The last consent carries the ruling out; only
        moderators see who has consented."""
        ruled = await rulings.execute(match_id, ConsentToRuling(ruling, seat), once)
        return created(ruled.answer, repeated=ruled.repeated, headers=private_headers())

    @delete(
        "/{ruling:str}",
        operation_id="withdrawRuling",
        summary="Give up a pending ruling",
        response_description="It is withdrawn",
        guards=[DIRECTORS],
        opt=problems("moderator_plays no_such_ruling not_pending result_final"),
    )
    @remembered()
    async def withdraw(
        self,
        match_id: MatchId,
        ruling: RulingId,
        actor: NamedDependency[Actor],
        rulings: NamedDependency[MatchRulingService],
    ) -> None:
        """Needs an organiser's key or the match's moderator's."""
        await rulings.withdraw(match_id, WithdrawRuling(ruling, actor))


async def _receipted(
    orders: Orders, match_id: UUID, actor: Actor, ruled: RuledOnce[RulingAnswer]
) -> Answer[RulingAnswer]:
    """The answer, with the receipt for what was ordered."""
    found = await orders.receipt(match_id, actor, ruling=ruled.answer.ruling)
    answer = replace(ruled.answer, note=None if found is None else found.note)
    return answered(answer, repeated=ruled.repeated)


async def _ruling(sessions: MatchSessions, match_id: UUID, new: NewRuling) -> Ruling:
    """What a request orders, with the moderators' numbers of events."""
    if isinstance(new, NewRewind):
        _, public = await sessions.projection(match_id, PUBLIC_VIEWER)
        new = new.looked_up(public.positions)
    return new.ruling()
