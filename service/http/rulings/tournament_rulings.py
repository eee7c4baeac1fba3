"""`/v1/tournaments/{id}/rulings`: what organisers rule on a tournament."""

from typing import Annotated, Any
from uuid import UUID

from litestar.params import QueryParameter
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from domain.rulings.commands import SecondRuling, WithdrawRuling
from domain.rulings.kinds import EveryKind
from projections.fields import instant
from projections.rulings.match_rulings import RulingShown
from projections.rulings.tournament_rulings import PUBLIC_ONLY, TournamentRulingShown
from service.application.rulings.rulings import Preview
from service.application.rulings.tournament_rulings import TournamentRulingAnswer
from service.http.access.grants import found_grant, sight_of
from service.http.access.guards import DIRECTORS, ORGANISER, READERS
from service.http.description.routing import (
    OfTournament,
    answer_of,
    delete,
    examples,
    get,
    post,
    problems,
)
from service.http.requests.across import ACROSS, Listed, Rows, TheAcross
from service.http.requests.dependencies import Page, TheActor, TheGrant, TheTournament
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
from service.http.rulings.ruling_schemas import AnyTournamentRuling, Seconding, TournamentRulingList
from service.http.rulings.rulings import rulings_seen

NEW_RULING = examples(
    {
        "out of the standings": {
            "kind": "correct",
            "match": "01900000-0000-7000-8000-000000000000",
            "result": None,
            "reason": "The seats had been mixed up.",
        },
        "a penalty": {"kind": "penalty", "player": 0, "points": 1, "reason": "Late."},
        "seeds": {"kind": "seed", "order": [1, 0], "reason": "The ratings had been mixed up."},
    },
    component="NewTournamentRuling",
)


OfKind = Annotated[EveryKind | None, QueryParameter(description="Of this kind")]


class TournamentRulingsController(OfTournament):
    """Rulings of a tournament."""

    path = f"{OfTournament.path}/rulings"
    dependencies = {**RULING_REQUEST, **ACROSS}  # noqa: RUF012

    @post(
        summary="Rule on a tournament",
        guards=[ORGANISER],
        responses={200: PREVIEW, 202: answer_of(TournamentRulingAnswer)},
        opt=problems(
            "moderator_plays own_ruling key_not_renewed no_such_tournament_match no_such_ruling "
            "no_such_case case_closed "
            "record_altered result_not_final not_public result_does_not_fit cannot_replace "
            "no_such_player no_such_stage stage_closed not_in_stage penalty_not_allowed "
            "not_enough_garnets garnets_not_allowed already_disqualified not_disqualified "
            "paired_twice wrong_table_size no_such_round round_open round_closed immune eliminated "
            "player_not_active tournament_closed preview_needed",
            remembered=False,
        ),
    )
    async def rule_on_tournament(
        self,
        tournament: TheTournament,
        data: Annotated[AnyTournamentRuling, NEW_RULING],
        judge: TheActor,
        ruling_request: TheRulingRequest,
    ) -> Answer[TournamentRulingAnswer] | Answer[Preview]:
        """Needs an organiser's key, and the `ETag` of its preview as `If-Match`. 201 when it is
        carried out: a `penalty`, a `seed` before the first round, and what is about a match that
        was created with `"rulings":"single"`. 202 when it waits for a second person."""
        command = rule_of(data.ruling(), data, judge)
        return await ruling_request.on_tournament(tournament, command, data)

    @get(summary="The rulings of a tournament and its matches", guards=[READERS])
    async def list_tournament_rulings(
        self, tournament: TheTournament, across: TheAcross, kind: OfKind = None
    ) -> Answer[TournamentRulingList]:
        """The rulings on the tournament, and then those in its matches, each as its own list shows
        it. Everyone sees what was carried out. Organisers also see what is pending, and who ruled;
        so do moderators what is about their matches and, if they do not play, what is about the
        whole tournament or a match without a moderator. A page may have less than `limit`, and
        another one follow."""
        instance = tournament.instance

        async def list_rows(match: UUID | None, page: Page) -> Rows[TournamentRulingShown]:
            if match is None:
                grant, sight = found_grant(tournament.request), PUBLIC_ONLY
                if grant is not None:
                    sight = await sight_of(instance, grant, tournament.id)
                rulings = await instance.tournament_rulings.list_rulings(tournament.id, sight)
            else:
                rulings = [
                    TournamentRulingShown(**_fields_of(ruling), match=str(match))
                    for ruling in await rulings_seen(await across.match_request(match))
                ]
            rows, following = page.of(rulings)
            return [_row_of(row) for row in rows if kind in (None, row.kind)], following

        return private(TournamentRulingList(*await across.rows(list_rows, directed=False)))

    @post(
        "/{ruling:str}/second",
        summary="Carry out a pending ruling on a tournament",
        guards=[DIRECTORS],
        responses={200: PREVIEW},
        opt=problems(
            "moderator_plays own_ruling same_person key_not_renewed no_such_ruling record_altered "
            "no_such_case case_closed not_pending cannot_replace already_disqualified "
            "not_disqualified no_such_round stage_closed round_open round_closed immune eliminated "
            "player_not_active tournament_closed preview_needed",
            remembered=False,
        ),
    )
    async def second_ruling_on_tournament(
        self,
        tournament: TheTournament,
        ruling: RulingId,
        grant: TheGrant,
        judge: TheActor,
        ruling_request: TheRulingRequest,
        data: Annotated[Seconding, SECONDS] = CARRIED_OUT,
    ) -> Answer[TournamentRulingAnswer] | Answer[Preview]:
        """Needs the key of someone other than the person who ruled: an organiser's, or that of a
        moderator of the match, or of the tournament if they do not play in it and the ruling is on
        the whole of it or on a match without a moderator. The key has another name, and is its
        holder's if the person who ruled issued it (403 `key_not_renewed`). It takes the `ETag` of a
        preview of its own as `If-Match`."""
        sight = await sight_of(tournament.instance, grant, tournament.id)
        rulings = tournament.instance.tournament_rulings
        await rulings.check_known(tournament.id, ruling, sight)
        return await ruling_request.on_tournament(tournament, SecondRuling(ruling, judge), data)

    @delete(
        "/{ruling:str}",
        summary="Withdraw a pending ruling on a tournament",
        response_description="It is withdrawn",
        guards=[DIRECTORS],
        opt=problems("moderator_plays no_such_ruling record_altered not_pending"),
    )
    async def withdraw_ruling_on_tournament(
        self, tournament: TheTournament, ruling: RulingId, grant: TheGrant, actor: TheActor
    ) -> None:
        """Needs the key of someone who could second it, or of the organiser who ruled."""
        sight = await sight_of(tournament.instance, grant, tournament.id)
        rulings = tournament.instance.tournament_rulings
        await rulings.check_known(tournament.id, ruling, sight)
        await rulings.withdraw(tournament.id, WithdrawRuling(ruling, actor))


def _fields_of(ruling: RulingShown) -> dict[str, Any]:
    """What the list of a match says of a ruling."""
    return {name: value for name, value in asdict(ruling).items() if value is not UNSET}


def _row_of(ruling: TournamentRulingShown) -> Listed[TournamentRulingShown]:
    """A ruling with those who made it, from when it was proposed to when it was carried out."""
    first = ruling.at if isinstance(ruling.proposed, UnsetType) else ruling.proposed
    return Listed(ruling, ruling.match, ruling.by or (), instant(first), instant(ruling.at))
