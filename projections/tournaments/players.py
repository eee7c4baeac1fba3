"""What everyone sees of the players of a tournament, and of what each has done in it, round by
round."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict

from domain.game import Result
from domain.tournament.competition import PublishedRound, history_of, pairing_of, stage_of
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.scores import Exact, RoundKind, Score, counting
from domain.tournament.stage_events import PlayerState
from domain.tournament.state import Tournament
from projections.fields import Player
from projections.tournaments.stage_standings import ExactNumber, StageStandings
from projections.tournaments.stages import with_rematches


class ShownPlayer(Struct, frozen=True):
    """A player of the roster: what they are in the tournament, and the rating, the seed and the
    team that the organiser has given."""

    player: Player
    name: str
    status: PlayerState
    rating: int | None
    seed: int | None
    team: str | None
    because: Annotated[str | None, Meta(description="The reason that was given for the status")]


def show_player(state: Tournament, number: int) -> ShownPlayer:
    """A player of the roster."""
    facts = state.competition.people[number]
    return ShownPlayer(
        number,
        state.players[number],
        facts.status,
        facts.rating,
        facts.seed,
        team=facts.team,
        because=facts.because,
    )


Outcome = Literal["won", "shared", "lost"] | None


class CardRound(Struct, frozen=True):
    """A round of a player: whom they met, in which matches, with what `result` and `score` (null
    while there is none), the `points` that it gave, and the points of the stage so far in
    `total`."""

    stage: int
    round: int
    kind: RoundKind
    opponents: tuple[Player, ...]
    matches: tuple[str, ...]
    result: Outcome
    score: int | None
    points: ExactNumber
    total: ExactNumber


class CardStage(Struct, frozen=True):
    """The place of a player in a stage, and their `points` less what penalties took (`penalty`)."""

    stage: int
    place: int
    points: ExactNumber
    penalty: int


class PlayerCard(ShownPlayer, frozen=True):
    """A player with the rating, the seed and the team that the organiser has given, how they stand
    in each stage that has begun, and all their rounds."""

    stages: list[CardStage]
    rounds: list[CardRound]


def show_card(
    state: Tournament, player: int, standings: Mapping[int, StageStandings]
) -> PlayerCard:
    """The card of a player; `standings` are those of the stages that have begun."""
    card = show_player(state, player)
    stages = [
        CardStage(number, row.place, row.points, row.penalty)
        for number, table in standings.items()
        for row in table.rows
        if row.player == player
    ]
    rounds = [card_round for stage in stages for card_round in _rounds(state, stage.stage, player)]
    return PlayerCard(**asdict(card), stages=stages, rounds=rounds)


def _rounds(state: Tournament, number: int, player: int) -> Iterator[CardRound]:
    stage = stage_of(state.competition, number)
    history = history_of(state.competition, number, state.results)
    form = FORMATS[stage.settings.format]
    scores = reckoning_of(form, history).crosstable.scores
    total: Exact = 0
    for past, score in zip(stage.standing, scores.get(player, ()), strict=False):
        total += score.points
        yield _round(state, number, player, with_rematches(state, past), score, total)


def _round(
    state: Tournament, stage: int, player: int, past: PublishedRound, score: Score, total: Exact
) -> CardRound:
    table = next((table for table in past.tables if player in table.players), None)
    result = None if table is None else counting(pairing_of(table, state.results))
    seat = 0 if table is None else table.players.index(player)
    return CardRound(
        stage=stage,
        round=past.number,
        kind=score.kind,
        opponents=score.opponents,
        matches=() if table is None else table.matches,
        result=None if result is None else _outcome(result, seat),
        score=None if result is None else result.scores[seat],
        points=str(score.points),
        total=str(total),
    )


def _outcome(result: Result, seat: int) -> Outcome:
    if seat in result.winners:
        return "shared" if result.shared else "won"
    return "lost" if seat in result.losers else None
