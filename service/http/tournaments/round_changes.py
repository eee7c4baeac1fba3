"""`/v1/tournaments/{id}/stages/{n}/rounds/{r}`: what becomes of a published round."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct

from domain.rulings.commands import Rule
from domain.rulings.kinds import RuleResult, Text
from domain.tournament.absences import forfeited
from domain.tournament.open_stages import numbered_round
from domain.tournament.stage_commands import ExtendRound, WithdrawRound
from domain.tournament.state import Tournament, standing_of
from projections.audience.disclosure import MODERATOR
from projections.fields import Player, Timestamp, check_year, microseconds, rfc3339
from projections.tournaments.stages import ShownRound, show_round
from service.application.rulings.rulings import RulingAnswer
from service.application.tournaments.absences import OpenMatch, last_match
from service.auth.grants import Grant
from service.http.access.grants import moderated, organises
from service.http.access.guards import DIRECTORS, ORGANISER
from service.http.description.routing import (
    OfTournament,
    answer_of,
    delete,
    examples,
    get,
    post,
    problems,
)
from service.http.errors.problems import Failed
from service.http.requests.audiences import account_for
from service.http.requests.dependencies import (
    Number,
    Once,
    TheActor,
    TheGrant,
    TheTournament,
    TournamentRequest,
)
from service.http.requests.responses import (
    Answer,
    created,
    if_match,
    parse_tags,
    private,
    private_headers,
)
from service.http.tournaments.rounds import RoundOfStage
from service.http.tournaments.stages import StageNumber

IfMatchRound = Annotated[
    str | None, if_match("The `inputs` of the round in quotes, as its draft had them as `ETag`")
]
FORFEIT = examples(
    {
        "one is absent": {
            "match": "019b76da-a800-7000-8000-000000000000",
            "absent": [1],
            "reason": "Ben has not come.",
        }
    }
)
MORE_TIME = examples(
    {"an hour": {"ends": "2030-01-01T12:00:00Z", "reason": "The train was late.", "tables": [1]}}
)
WHY = examples({"a wrong roster": {"reason": "Two players had been entered twice."}})


class RoundWithdrawal(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a round is withdrawn."""

    reason: Text


class Absence(Struct, frozen=True):
    """A match that is not over by the end of its round (`ends`), whether it has `begun`, and the
    players who have done nothing in it (`absent`)."""

    table: Annotated[int, Meta(description="The number of the table in the round")]
    match: str
    begun: bool
    absent: tuple[Player, ...]
    ends: Timestamp


class AbsenceList(Struct, frozen=True):
    """The matches of a round that are not over by its end."""

    absences: list[Absence]


class NewForfeit(Struct, frozen=True, forbid_unknown_fields=True):
    """A match that the `absent` players lose, who have done nothing in it: all of these, and no one
    else, or it is refused."""

    match: Annotated[str, Meta(description="The id of the match")]
    absent: Annotated[
        tuple[Number, ...],
        Meta(max_length=64, description="The players who have done nothing in it"),
    ]
    reason: Text
    rule: Annotated[Text | None, Meta(description="The rule of the event to which it refers")] = (
        None
    )


class MoreTime(Struct, frozen=True, forbid_unknown_fields=True):
    """Until when a round, or some `tables` of it, may last."""

    ends: Annotated[datetime, Meta(tz=True, description="The new end, later than the one before")]
    reason: Text
    tables: Annotated[
        Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(max_length=512)] | None,
        Meta(description="The tables that get more time; null for all"),
    ] = None

    def __post_init__(self) -> None:
        check_year(self.ends)


class RoundChangesController(OfTournament):
    """What becomes of published rounds."""

    path = OfTournament.path + "/stages/{stage:int}/rounds/{number:int}"

    @delete(
        summary="Withdraw a round",
        status_code=200,
        guards=[ORGANISER],
        opt=problems(
            "no_such_stage no_such_round round_closed round_begun round_withdrawn stale "
            "moderator_plays record_altered tournament_closed"
        ),
    )
    async def withdraw_round(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        number: RoundOfStage,
        data: Annotated[RoundWithdrawal, WHY],
        once: Once,
        if_match: IfMatchRound = None,
    ) -> Answer[ShownRound]:
        """Needs an organiser's key. Only while none of its matches has started. They are void, and
        those that are not there yet are never created. The number of the round is not used again,
        and the next one is drafted as if it had not been."""
        instance, state = tournament.instance, await tournament.state()
        round_ = numbered_round(standing_of(state), stage, number)
        tags = parse_tags(if_match)
        if tags is not None and not {"*", f'"{round_.inputs}"'}.intersection(tags):
            raise Failed("stale")
        command, by = WithdrawRound(stage, number, data.reason), tournament.by
        change = await instance.withdrawal.withdraw(tournament.id, command, once, by)
        answer = show_round(await tournament.state(), stage, number)
        return created(answer, repeated=True) if change.repeated else Answer(answer)

    @get(
        "/absences",
        summary="Who is absent from a round",
        guards=[DIRECTORS],
        opt=problems("no_such_stage no_such_round record_altered"),
    )
    async def show_absences(
        self, tournament: TheTournament, stage: StageNumber, number: RoundOfStage, grant: TheGrant
    ) -> Answer[AbsenceList]:
        """Needs an organiser's key, or that of a moderator, who sees their own matches. From the
        end of a round on: those of its matches that are not over, and who has done nothing in them.
        Before it there are none. It is a look at what is hidden, and accounted for."""
        instance = tournament.instance
        state = await instance.tournaments.now(tournament.id)
        round_ = numbered_round(standing_of(state), stage, number)
        mine = await _directs(tournament, grant)
        now, rows = instance.clock.now(), list[Absence]()
        for open_match in await instance.absences.open_matches(state, round_):
            due = open_match.end is not None and open_match.end <= now
            if not due or round_.status != "published" or not mine(open_match.match):
                continue
            await account_for(instance, grant, UUID(open_match.match), MODERATOR, open_match.seq)
            rows.append(_absence(state, open_match))
        return private(AbsenceList(rows))

    @post(
        "/forfeits",
        summary="Rule a forfeit",
        guards=[DIRECTORS],
        responses={202: answer_of(RulingAnswer)},
        opt=problems(
            "no_such_stage no_such_round no_such_tournament_match not_absent moderator_plays "
            "rule_of_service "
            "result_final stale record_altered"
        ),
    )
    async def forfeit_match(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        number: RoundOfStage,
        data: Annotated[NewForfeit, FORFEIT],
        grant: TheGrant,
        actor: TheActor,
        once: Once,
    ) -> Answer[RulingAnswer]:
        """Needs an organiser's key, or that of a moderator of the match. A ruling `result` of the
        match, because of a `forfeit`, which starts it if need be: those who have done nothing lose,
        all others win; if nobody has done anything, all lose. 202 where it waits for a second
        person, as any such ruling."""
        instance, state = tournament.instance, await tournament.state()
        round_ = numbered_round(standing_of(state), stage, number)
        tables = (at for at in round_.tables if at.matches)
        table = next((at for at in tables if last_match(state, at) == data.match), None)
        mine = await _directs(tournament, grant)
        if table is None or not mine(data.match):
            raise Failed("no_such_tournament_match")
        players = state.matches[data.match].players
        absent = [seat for seat, player in enumerate(players) if player in data.absent]
        open_match = await instance.absences.open_match(state, round_, table, data.match)
        if open_match.status in ("created", "running", "paused"):
            if not absent or tuple(absent) != open_match.idle:
                raise Failed("not_absent")
            await instance.absences.start(open_match, actor)
            open_match = await instance.absences.open_match(state, round_, table, data.match)
        result = RuleResult(forfeited(open_match.seats, absent), "forfeit")
        rule = Rule("", result, data.reason, actor, rule=data.rule)
        expected = frozenset({open_match.seq})
        outcome = await instance.rulings.execute(UUID(data.match), rule, once, expected)
        if outcome.answer.status == "pending" and not outcome.repeated:
            return Answer(outcome.answer, 202, private_headers())
        return created(outcome.answer, repeated=outcome.repeated, headers=private_headers())

    @post(
        "/time",
        summary="Give a round more time",
        guards=[ORGANISER],
        opt=problems(
            "no_such_stage no_such_round no_such_table round_closed round_withdrawn no_end "
            "not_in_future too_late tournament_closed"
        ),
    )
    async def extend_round(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        number: RoundOfStage,
        data: Annotated[MoreTime, MORE_TIME],
        once: Once,
    ) -> Answer[ShownRound]:
        """Needs an organiser's key. The round ends later, or these tables of it."""
        ends, at = microseconds(data.ends), tournament.instance.clock.now()
        tables = UNSET if data.tables is None else data.tables
        command = ExtendRound(stage, number, ends, tables, data.reason, at)
        return await tournament.changed(
            command, once, lambda state: show_round(state, stage, number)
        )


async def _directs(tournament: TournamentRequest, grant: Grant) -> Callable[[str], bool]:
    """Whether a key directs a match of the tournament."""
    instance = tournament.instance
    if await organises(instance, grant, tournament.id):
        return lambda _: True
    return (await moderated(instance, grant, tournament.id)).__contains__


def _absence(state: Tournament, open_match: OpenMatch) -> Absence:
    players = state.matches[open_match.match].players
    return Absence(
        table=open_match.table.table,
        match=open_match.match,
        begun=open_match.status != "created",
        absent=tuple(players[seat] for seat in open_match.idle),
        ends=rfc3339(open_match.end or 0),
    )
