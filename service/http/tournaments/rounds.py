"""`/v1/tournaments/{id}/stages/{n}/rounds`: rounds, standings, brackets and lots."""

from collections.abc import Sequence
from typing import Annotated

from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter, QueryParameter
from msgspec import UNSET, Meta, Struct

from domain.people import Actor
from domain.tournament.competition import history_of
from domain.tournament.lots import drawn_lots, next_lots
from domain.tournament.open_stages import numbered_stage
from domain.tournament.stage_commands import PublishRound
from domain.tournament.stage_decide import ShowPlan, planned_history
from domain.tournament.stage_events import ByHand
from domain.tournament.stages import DeathMatch, EpisodePlan, MainMatch
from domain.tournament.state import Tournament, standing_of
from projections.fields import Player
from projections.tournaments.brackets import ShownSlot, show_bracket
from projections.tournaments.stage_standings import StageStandings
from projections.tournaments.stages import (
    ShownRound,
    show_draft,
    show_round,
    with_groups,
    with_rematches,
)
from service.application.tournaments.drafts import DraftPending
from service.application.tournaments.rounds import HandMade
from service.http.access.grants import found_grant, organises
from service.http.access.guards import EVERYBODY, ORGANISER, READERS
from service.http.description.routing import OfTournament, examples, get, post, problems
from service.http.errors.problems import Failed
from service.http.requests.dependencies import Number, TheTournament
from service.http.requests.responses import Answer, created, if_match, parse_tags, private
from service.http.tournaments.stages import LOCATION, StageNumber

RoundOfStage = Annotated[int, PathParameter(description="The number of the round, from 1")]
OfStage = Annotated[
    int | None, QueryParameter(ge=1, description="The stage; by default the last one with a round")
]
AfterRound = Annotated[
    int | None, QueryParameter(ge=1, description="As it was when this round was closed")
]
ExplainedPlayer = Annotated[
    int | None, QueryParameter(ge=0, description="The player whose tiebreaks are explained")
]
IfMatchDraft = Annotated[
    str | None, if_match("The `ETag` of a draft: the round is published only as it was drafted")
]
DRAFT = ResponseSpec(ShownRound, generate_examples=False, description="A draft, with an `ETag`")
PENDING_SECONDS = "2"

NEW_ROUND = examples(
    {
        "published": {},
        "a draft": {"preview": True},
        "a round of a show": {"preview": True, "main": {"game": "together"}},
        "by hand": {"pairings": [[0, 1]], "byes": [2], "reason": "The hall has two tables."},
    }
)


class NewDeathMatch(DeathMatch, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The match after which one of two goes home, or as many as `best_of` takes. The second seat
    of the first is the opponent's who was chosen."""

    game: Annotated[str, Meta(description="The id of a game for two")] = "grouping-bw"


class NewRound(Struct, frozen=True, forbid_unknown_fields=True):
    """The next round of a stage: drafted, or with `pairings` as they are sent, and a `reason`. A
    round of a show has a `main` match, a `death` match, and perhaps `groups`."""

    preview: Annotated[bool, Meta(description="Answer with the draft; change nothing.")] = False
    overlap: Annotated[
        bool, Meta(description="Even if the last round of the stage is not closed yet.")
    ] = False
    pairings: Annotated[
        tuple[Annotated[tuple[Number, ...], Meta(max_length=64)], ...] | None,
        Meta(description="The players of each table, in the order of their seats"),
    ] = None
    byes: Annotated[tuple[Number, ...], Meta(description="The players without a table")] = ()
    reason: Annotated[str, Meta(max_length=200)] = ""
    main: MainMatch | None = None
    death: NewDeathMatch = NewDeathMatch()
    groups: Annotated[
        tuple[Annotated[tuple[Number, ...], Meta(max_length=64)], ...] | None,
        Meta(description="The players of each group of the main match; null for lots"),
    ] = None

    @property
    def show(self) -> ShowPlan:
        """What is played in it if it is a round of a show."""
        if self.main is None:
            return UNSET
        death = DeathMatch(self.death.game, self.death.options, self.death.best_of)
        return EpisodePlan(self.main, death, self.groups)


PUBLISHED = NewRound()


class Lots(Struct, frozen=True):
    """An order of lots for a `purpose`: the first of the players is the best placed."""

    purpose: str
    order: tuple[Player, ...]


class BracketAnswer(Struct, frozen=True):
    """The matches of a bracket."""

    slots: list[ShownSlot]


class RoundsController(OfTournament):
    """The rounds of the stages of tournaments."""

    @post(
        "/stages/{stage:int}/rounds",
        summary="Draft or publish the next round",
        guards=[ORGANISER],
        response_headers=[LOCATION],
        responses={200: DRAFT},
        opt=problems(
            "no_such_stage stage_closed stage_not_closed tournament_closed round_open "
            "lots_not_drawn too_few_players too_many_rounds no_pairing paired_twice "
            "player_not_active not_paired wrong_table_size preview_needed stale draft_pending "
            "settings_do_not_fit unknown_game seats_not_allowed options_not_allowed "
            "record_not_allowed"
        ),
    )
    async def publish_round(
        self,
        tournament: TheTournament,
        stage: StageNumber,
        data: Annotated[NewRound, NEW_ROUND] = PUBLISHED,
        if_match: IfMatchDraft = None,
    ) -> Answer[ShownRound]:
        """Needs an organiser's key. With `preview` it answers with the draft and its `ETag`; the
        same without `preview` and with that as `If-Match` publishes it. Its matches are created
        after that. A draft that takes long is 202: send the same again."""
        address = f"{tournament.address}/stages/{stage}/rounds"
        by_hand = _by_hand(data, tournament.by)
        tags = parse_tags(if_match)
        state = await tournament.state()
        last = _published(state, stage, data, tags or ())
        if last is not None:
            # The same again: what was published is answered, whatever became of the first answer.
            answer = show_round(state, stage, last)
            headers = {LOCATION.name: f"{address}/{last}"}
            return created(answer, repeated=False, headers=headers)
        try:
            draft, inputs = await tournament.instance.rounds.draft(
                tournament.id, stage, by_hand, overlap=data.overlap, show=data.show
            )
        except DraftPending:
            later = {"Location": address, "Retry-After": PENDING_SECONDS}
            raise Failed("draft_pending", headers=later) from None
        who = None if by_hand is None else by_hand.by
        number = 1 + len(numbered_stage(standing_of(await tournament.state()), stage).rounds)
        if data.preview:
            answer = show_draft(stage, number, draft, inputs, who, show=data.show)
            answer = with_groups(answer, planned_history(standing_of(state), stage))
            return Answer(answer, 200, {"ETag": f'"{inputs}"', "Cache-Control": "no-store"})
        if tags is None:
            raise Failed("preview_needed")
        if f'"{inputs}"' not in tags:
            raise Failed("stale")
        at = tournament.instance.clock.now()
        command = PublishRound(
            stage, draft, inputs, at, by_hand=who, overlap=data.overlap, show=data.show
        )
        await tournament.execute(command)
        answer = show_round(await tournament.state(), stage, number)
        return created(answer, repeated=False, headers={LOCATION.name: f"{address}/{number}"})

    @get(
        "/stages/{stage:int}/rounds/{number:int}",
        summary="A round of a stage",
        guards=[READERS],
        opt=problems("no_such_stage no_such_round"),
    )
    async def show_round_of_stage(
        self, tournament: TheTournament, stage: StageNumber, number: RoundOfStage
    ) -> Answer[ShownRound]:
        """Who meets whom and why, and the results that count. With an organiser's key also why a
        match cannot be created."""
        state = await tournament.state()
        rounds = numbered_stage(standing_of(state), stage).rounds
        if not 1 <= number <= len(rounds):
            raise Failed("no_such_round")
        round_ = with_rematches(state, rounds[number - 1])
        matches = [match for table in round_.tables for match in table.matches]
        scheduled = await tournament.instance.lists.scheduled(matches)
        rows = {match: entry.row for match, entry in scheduled.items()}
        grant, refused = found_grant(tournament.request), dict[int, str]()
        if grant is not None and await organises(tournament.instance, grant, tournament.id):
            refused = tournament.instance.rounds.refusals(state, stage, number)
        return private(show_round(state, stage, number, rows, refused))

    @post(
        "/stages/{stage:int}/lots",
        summary="Draw the order of lots of a stage",
        guards=[ORGANISER],
        opt=problems("no_such_stage lots_drawn stage_not_closed tournament_closed"),
    )
    async def draw_lots(self, tournament: TheTournament, stage: StageNumber) -> Answer[Lots]:
        """Needs an organiser's key. Its seed was committed to before; each order is drawn once. In
        a show it is that of the seats of the next round."""
        now = standing_of(await tournament.state())
        purpose, drawn = next_lots(now, stage), drawn_lots(now, stage)
        if drawn is None:
            by = tournament.by
            await tournament.instance.rounds.draw_lots(tournament.id, purpose, by)
            drawn = drawn_lots(standing_of(await tournament.state()), stage)
        return created(Lots(purpose, drawn or ()), repeated=False)

    @get(
        "/standings",
        summary="The standings of a stage",
        guards=[EVERYBODY],
        opt=problems("no_such_stage no_such_round no_such_player"),
    )
    async def show_standings(
        self,
        tournament: TheTournament,
        stage: OfStage = None,
        after: AfterRound = None,
        explain: ExplainedPlayer = None,
    ) -> Answer[StageStandings]:
        """By points and tiebreaks: public, and the same for everyone. With `explain` the tiebreaks
        of a player are taken apart."""
        state = await tournament.state()
        number = stage or last_stage(state)
        of_stage = numbered_stage(standing_of(state), number)
        if after is not None and not any(
            round_.number == after and round_.status == "closed" for round_ in of_stage.rounds
        ):
            raise Failed("no_such_round")
        if explain is not None and explain >= len(state.players):
            raise Failed("no_such_player")
        return Answer(
            await tournament.instance.rounds.standings(
                tournament.id, number, after=after, explain=explain
            )
        )

    @get(
        "/stages/{stage:int}/bracket",
        summary="The bracket of a stage",
        guards=[EVERYBODY],
        opt=problems("no_such_stage no_bracket"),
    )
    async def show_bracket(
        self, tournament: TheTournament, stage: StageNumber
    ) -> Answer[BracketAnswer]:
        """The matches of an elimination, from its opening on."""
        state = await tournament.state()
        of_stage = numbered_stage(standing_of(state), stage)
        if of_stage.settings.format != "elimination" or of_stage.status == "planned":
            raise Failed("no_bracket")
        history = history_of(state.competition, stage, state.results)
        return Answer(BracketAnswer(show_bracket(history)))


def last_stage(state: Tournament) -> int:
    """The last stage with a round, or else the first."""
    stages = enumerate(state.competition.stages, 1)
    return max((number for number, stage in stages if stage.rounds), default=1)


def _published(state: Tournament, stage: int, data: NewRound, tags: Sequence[str]) -> int | None:
    """The number of the last round of a stage if it is what is to be published; None otherwise."""
    rounds = numbered_stage(standing_of(state), stage).rounds
    last = rounds[-1] if rounds and not data.preview else None
    if last is None or last.status == "withdrawn" or f'"{last.inputs}"' not in tags:
        return None
    request_by_hand = None if data.pairings is None else (data.pairings, data.byes)
    seated = tuple(table.players for table in last.tables), tuple(bye.player for bye in last.byes)
    return last.number if request_by_hand == (None if last.by_hand is None else seated) else None


def _by_hand(data: NewRound, actor: Actor) -> HandMade | None:
    if data.pairings is None:
        return None
    return HandMade(data.pairings, data.byes, ByHand(actor.by, data.reason))
