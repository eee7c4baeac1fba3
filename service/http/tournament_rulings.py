"""`/v1/tournaments/{id}/rulings`: how a match counts, corrected after its result was final."""

from typing import Annotated, Literal

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency, Provide
from msgspec import Struct
from msgspec.structs import replace

from domain.people import Actor
from domain.ruling_commands import Rule, SecondRuling, WithdrawRuling
from domain.ruling_kinds import Correction
from domain.tournament_state import Request
from projections.fields import Next
from projections.tournament_rulings import CorrectionShown
from service.application.ruling_answers import Preview
from service.application.tournament_rulings import (
    CorrectionAnswer,
    Matches,
    TournamentRulingService,
)
from service.auth.grants import Grant
from service.http.described import answer_of, examples, problems
from service.http.grants import found_grant, moderated
from service.http.guards import DIRECTORS, MODERATES, ORGANISER, READERS
from service.http.idempotency import remembered
from service.http.parameters import Page, TournamentId
from service.http.problems import AnyRequest
from service.http.responses import Answer, private
from service.http.ruling_previews import PREVIEW, Previews, answered, mark_of, previews
from service.http.ruling_schemas import (
    Closes,
    MatchName,
    NewAppeals,
    NewRule,
    Previewed,
    Reason,
    RuledResult,
    Seconding,
    result_of,
)
from service.http.rulings import CARRIED_OUT, SECONDS, RulingId
from service.instance import Instance


class NewCorrection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From now on the match counts with this `result`, for a `reason`; with null it does not count,
    and what was brought goes back."""

    kind: Literal["correct"]
    match: MatchName
    result: RuledResult | None
    reason: Reason
    rule: NewRule = None
    appeals: NewAppeals = None
    case: Closes = None
    preview: Previewed = False

    def asked(self, by: Actor) -> Rule:
        """What the organiser asks for."""
        result = None if self.result is None else result_of(self.result)
        ruling = Correction(self.match, result)
        return Rule(
            id="",
            ruling=ruling,
            reason=self.reason,
            actor=by,
            rule=self.rule,
            appeals=self.appeals,
            case=self.case,
        )


class CorrectionList(Struct, frozen=True):
    """Rulings that the reader may see, in the order in which they learnt of them."""

    rulings: list[CorrectionShown]
    next: Next


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
PREVIEWS = {"previews": Provide(previews, sync_to_thread=False)}


class TournamentRulingsController(Controller):
    """Rulings of a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/rulings"
    tags = ("tournaments",)
    dependencies = PREVIEWS

    @post(
        operation_id="correct",
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
        judge: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        previews: NamedDependency[Previews],
        corrections: NamedDependency[TournamentRulingService],
    ) -> Answer[CorrectionAnswer] | Answer[Preview]:
        """Needs an organiser's key, and the `ETag` of its preview as `If-Match`. 202: it waits for
        a moderator of the match; 201 where the match was created with `"rulings":"single"`."""
        asked, mark = data.asked(judge), mark_of(replace(data, preview=False))
        if data.preview:
            version, preview = await corrections.preview(tournament_id, asked)
            return previews.answer(version, preview, mark)
        expected = previews.expected(mark, needed=True)
        done = await corrections.execute(tournament_id, asked, once, expected)
        return answered(done.answer, repeated=done.repeated)

    @get(
        operation_id="listTournamentRulings",
        summary="The rulings of a tournament",
        guards=[READERS],
    )
    async def list_rulings(
        self,
        request: AnyRequest,
        tournament_id: TournamentId,
        page: NamedDependency[Page],
        instance: NamedDependency[Instance],
        corrections: NamedDependency[TournamentRulingService],
    ) -> Answer[CorrectionList]:
        """Everybody sees what was carried out. Organisers, and the moderators of a match what is
        about it, also see what is pending, and who ruled."""
        grant = found_grant(request)
        matches: Matches = frozenset()
        if grant is not None:
            matches = await moderated(instance, grant, tournament_id)
        listed = await corrections.listed(tournament_id, matches)
        return private(CorrectionList(*page.of(listed)))

    @post(
        "/{ruling:str}/second",
        operation_id="secondCorrection",
        summary="Carry out a pending correction",
        guards=[MODERATES],
        responses={200: PREVIEW},
        opt=problems(
            "moderator_plays own_ruling same_person key_not_renewed no_such_ruling record_altered "
            "not_pending preview_needed"
        ),
    )
    async def second(
        self,
        tournament_id: TournamentId,
        ruling: RulingId,
        grant: NamedDependency[Grant],
        judge: NamedDependency[Actor],
        once: NamedDependency[Request | None],
        previews: NamedDependency[Previews],
        instance: NamedDependency[Instance],
        corrections: NamedDependency[TournamentRulingService],
        data: Annotated[Seconding, SECONDS] = CARRIED_OUT,
    ) -> Answer[CorrectionAnswer] | Answer[Preview]:
        """Needs the key of a moderator of the match, of another person than the organiser who
        corrected it: a key with another name, which is its holder's if the organiser issued it
        (403 `key_not_renewed`). It takes the `ETag` of a preview of its own as `If-Match`."""
        matches, mark = await moderated(instance, grant, tournament_id), mark_of(["second", ruling])
        command = SecondRuling(ruling, judge)
        await corrections.check_known(tournament_id, ruling, matches)
        if data.preview:
            version, preview = await corrections.preview(tournament_id, command)
            return previews.answer(version, preview, mark)
        expected = previews.expected(mark, needed=True)
        done = await corrections.execute(tournament_id, command, once, expected)
        return answered(done.answer, repeated=done.repeated)

    @delete(
        "/{ruling:str}",
        operation_id="withdrawCorrection",
        summary="Give up a pending correction",
        response_description="It is withdrawn",
        guards=[DIRECTORS],
        opt=problems("moderator_plays no_such_ruling record_altered not_pending"),
    )
    @remembered()
    async def withdraw(
        self,
        tournament_id: TournamentId,
        ruling: RulingId,
        grant: NamedDependency[Grant],
        actor: NamedDependency[Actor],
        instance: NamedDependency[Instance],
        corrections: NamedDependency[TournamentRulingService],
    ) -> None:
        """Needs an organiser's key, or that of a moderator of the match."""
        matches = await moderated(instance, grant, tournament_id)
        await corrections.check_known(tournament_id, ruling, matches)
        await corrections.withdraw(tournament_id, WithdrawRuling(ruling, actor))
