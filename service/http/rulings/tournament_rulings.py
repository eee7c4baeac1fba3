"""`/v1/tournaments/{id}/rulings`: how a match counts, corrected after its result was final."""

from typing import Annotated

from litestar import Controller

from domain.rulings.commands import SecondRuling, WithdrawRuling
from domain.rulings.kinds import Correction
from service.application.rulings.ruling_answers import Preview
from service.application.rulings.tournament_rulings import (
    CorrectionAnswer,
    Matches,
)
from service.http.access.grants import found_grant, moderated
from service.http.access.guards import DIRECTORS, MODERATES, ORGANISER, READERS
from service.http.description.described import answer_of, examples, problems
from service.http.description.routing import delete, get, post
from service.http.errors.problems import AnyRequest
from service.http.requests.dependencies import (
    TheActor,
    TheGrant,
    TheInstance,
    ThePage,
)
from service.http.requests.parameters import TournamentId
from service.http.requests.responses import Answer, private
from service.http.rulings.ruling_request import (
    CARRIED_OUT,
    PREVIEW,
    RULING_REQUEST,
    SECONDS,
    RulingId,
    TheRulingRequest,
    rule_of,
)
from service.http.rulings.ruling_schemas import (
    CorrectionList,
    NewCorrection,
    Seconding,
    result_of,
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
            "record_altered result_not_final not_public result_does_not_fit preview_needed",
            remembered=False,
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
        command = rule_of(Correction(data.match, result), data, judge)
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
        """Everyone sees what was carried out. Organisers, and the moderators of a match what is
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
            "not_pending preview_needed",
            remembered=False,
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
