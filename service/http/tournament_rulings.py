"""`/v1/tournaments/{id}/rulings`: how a match counts, corrected after its result was final."""

from typing import Literal

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse
from msgspec import Struct
from msgspec.structs import replace

from domain.people import Actor
from domain.ruling_commands import Rule, SecondRuling, WithdrawRuling
from domain.ruling_kinds import Correction, Text
from projections.tournament_rulings import CorrectionShown
from service.application.tournament_rulings import CorrectionAnswer, Matches
from service.http.access import READERS, only
from service.http.authentication import optional_grant, organiser_of, required_grant
from service.http.authorization import moderated
from service.http.dependencies import TOURNAMENT_DEPENDENCIES, Call
from service.http.idempotency import read_once
from service.http.operation import IDEMPOTENCY_KEY, Answer, answer_of, delete, get, post
from service.http.parameters import PageQuery
from service.http.problems import Failed
from service.http.request_body import Body, check_no_body
from service.http.responses import json, private_headers
from service.http.ruling_previews import (
    IF_MATCH,
    PREVIEW,
    answered,
    expected_by,
    mark_of,
    previewed,
)
from service.http.ruling_schemas import Id, MatchName, RuledResult, RuleText, result_of
from service.http.rulings import SECONDS, RulingId


class NewCorrection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From now on the match counts with this `result`, for a `reason`; with null it does not count,
    and what was brought goes back. `rule` names a rule of the game or of the event, `appeals` is
    the id of the ruling about which it decides, `case` that of the case that it closes. With
    `preview` nothing changes: the answer says what would."""

    kind: Literal["correct"]
    match: MatchName
    result: RuledResult | None
    reason: Text
    rule: RuleText | None = None
    appeals: Id | None = None
    case: Id | None = None
    preview: bool = False

    def asked(self, by: Actor) -> Rule:
        """What the organiser asks for."""
        result = None if self.result is None else result_of(self.result)
        ruling = Correction(self.match, result)
        return Rule("", ruling, self.reason, by, self.rule, self.appeals, self.case)


class CorrectionList(Struct, frozen=True):
    """Rulings that the reader may see, in the order in which they learnt of them; `next` is the
    `after` of the page that follows, if any."""

    rulings: list[CorrectionShown]
    next: int | None


NEW_CORRECTION = Body(
    NewCorrection,
    {
        "out of the standings": {
            "kind": "correct",
            "match": "01900000-0000-7000-8000-000000000000",
            "result": None,
            "reason": "The seats had been mixed up.",
        }
    },
)


class TournamentRulingsController(Controller):
    """Rulings of a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/rulings"
    tags = ("tournaments",)
    dependencies = TOURNAMENT_DEPENDENCIES

    @post(
        operation_id="correct",
        summary="Correct how a match counts",
        security=only("organiser"),
        answer=CorrectionAnswer,
        body=NEW_CORRECTION,
        headers=[IDEMPOTENCY_KEY, IF_MATCH],
        answers={200: PREVIEW, 202: answer_of(CorrectionAnswer)},
        errors="moderator_plays own_ruling key_not_renewed no_such_tournament_match no_such_ruling "
        "record_altered request_in_flight result_not_final not_public "
        "result_does_not_fit wrong_shape not_json bad_if_match bad_idempotency_key",
    )
    async def correct(
        self, call: NamedDependency[Call], judge: NamedDependency[Actor]
    ) -> ASGIResponse:
        """Needs an organiser's key, and the `ETag` of its preview as `If-Match`. 202: it waits for
        a moderator of the match; 201 where the match was created with `"rulings":"single"`."""
        await organiser_of(call.instance, call.request)
        await call.instance.tournaments.current(call.id)
        new, once = await read_once(call.request, NEW_CORRECTION)
        asked, mark = new.asked(judge), mark_of(replace(new, preview=False))
        if new.preview:
            version, preview = await call.instance.corrections.preview(call.id, asked)
            return previewed(version, preview, mark, call.instance.edition)
        expected = expected_by(call.request, mark, call.instance.edition, needed=True)
        done = await call.instance.corrections.execute(call.id, asked, once, expected)
        return answered(done.answer, repeated=done.repeated)

    @get(
        operation_id="listTournamentRulings",
        summary="The rulings of a tournament",
        security=READERS,
        answer=CorrectionList,
        query=PageQuery,
    )
    async def list_rulings(
        self, call: NamedDependency[Call], parameters: NamedDependency[PageQuery]
    ) -> ASGIResponse:
        """Everybody sees what was carried out. Organisers, and the moderators of a match what is
        about it, also see what is pending, and who ruled."""
        grant = await optional_grant(call.instance, call.request)
        matches: Matches = frozenset()
        if grant is not None:
            matches = await moderated(call.instance, grant, call.id)
        listed = await call.instance.correction_lists.listed(call.id, matches)
        return json(CorrectionList(*parameters.page(listed)), 200, private_headers())

    @post(
        "/{ruling:str}/second",
        operation_id="secondCorrection",
        summary="Carry out a pending correction",
        security=only("moderator"),
        answer=CorrectionAnswer,
        body=SECONDS,
        headers=[IDEMPOTENCY_KEY, IF_MATCH],
        answers={200: PREVIEW},
        errors="moderator_plays own_ruling same_person key_not_renewed no_such_ruling "
        "record_altered request_in_flight not_pending wrong_shape not_json bad_if_match "
        "bad_idempotency_key",
    )
    async def second(
        self, call: NamedDependency[Call], ruling: RulingId, judge: NamedDependency[Actor]
    ) -> ASGIResponse:
        """Needs the key of a moderator of the match, of another person than the organiser who
        corrected it: a key with another name, which is its holder's if the organiser issued it
        (403 `key_not_renewed`). It takes the `ETag` of a preview of its own as `If-Match`."""
        matches = await _moderated(call)
        if matches is None:
            raise Failed("not_allowed")
        sent, once = await read_once(call.request, SECONDS)
        service, mark = call.instance.corrections, mark_of(["second", ruling])
        await call.instance.correction_lists.check_known(call.id, ruling, matches)
        command = SecondRuling(ruling, judge)
        if sent.preview:
            version, preview = await service.preview(call.id, command)
            return previewed(version, preview, mark, call.instance.edition)
        expected = expected_by(call.request, mark, call.instance.edition, needed=True)
        done = await service.execute(call.id, command, once, expected)
        return answered(done.answer, repeated=done.repeated)

    @delete(
        "/{ruling:str}",
        operation_id="withdrawCorrection",
        summary="Give up a pending correction",
        security=only("organiser", "moderator"),
        answers={204: Answer(None, "It is withdrawn")},
        errors="moderator_plays no_such_ruling record_altered not_pending",
    )
    async def withdraw(
        self, call: NamedDependency[Call], ruling: RulingId, actor: NamedDependency[Actor]
    ) -> None:
        """Needs an organiser's key, or that of a moderator of the match."""
        matches = await _moderated(call)
        await check_no_body(call.request)
        await call.instance.correction_lists.check_known(call.id, ruling, matches)
        await call.instance.corrections.withdraw(call.id, WithdrawRuling(ruling, actor))


async def _moderated(call: Call) -> Matches:
    """The matches of the tournament that the key moderates, None for an organiser's. Raises Failed
    for a key that moderates none."""
    grant = await required_grant(call.instance, call.request)
    matches = await moderated(call.instance, grant, call.id)
    if matches is not None and not matches:
        raise Failed("not_allowed")
    return matches
