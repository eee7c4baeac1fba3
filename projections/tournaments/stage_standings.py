"""What everyone sees of the standings of a stage, explained for one player."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from domain.tournament.competition import Competition, Results, history_of, stage_of
from domain.tournament.format import group_numbers, reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.stage_events import PlayerState
from domain.tournament.tiebreaks import Part, Ranking, Reckoning
from projections.fields import Player

ExactNumber = Annotated[
    str, Meta(description="An exact number: whole, or a fraction in lowest terms", examples=["7/2"])
]


class Contribution(Struct, frozen=True):
    """What a round, or an opponent in it, adds to a tiebreak, and whether it is `counted`."""

    round: int | None
    player: Player | None
    points: ExactNumber
    counted: bool


class Explanation(Struct, frozen=True, rename={"from_": "from"}):
    """A tiebreak of a player, and what it is made of."""

    tiebreak: str
    value: ExactNumber
    from_: list[Contribution]


class StandingsRow(Struct, frozen=True, omit_defaults=True):
    """A player in the standings of a stage. `played` is how many matches they have played, without
    forfeits. Players whom nothing separates share a place. `points` are those left after penalties,
    which took `penalty`. `group` is there where the stage has groups, from 1. The results of an
    `annulled` player count for no one in the stage."""

    place: int
    player: Player
    name: str
    status: PlayerState
    points: ExactNumber
    played: int
    tiebreaks: list[ExactNumber]
    penalty: int
    group: int | None = None
    annulled: bool = False
    explained: list[Explanation] | None = None


class StageStandings(Struct, frozen=True):
    """The standings of a stage, now or when the round `after` was closed, by points and then by
    these `tiebreaks`."""

    stage: int
    after: int | None
    tiebreaks: tuple[str, ...]
    rows: list[StandingsRow]


def show_standings(
    competition: Competition,
    number: int,
    results: Results,
    names: Sequence[str],
    *,
    after: int | None = None,
    explain: int | None = None,
) -> StageStandings:
    """The standings of a stage, now or when a round was closed, one player's explained."""
    stage = stage_of(competition, number)
    numbers = tuple(round_.number for round_ in stage.standing)
    as_closed = None if after is None else stage.rounds[after - 1].closed
    if as_closed is None:
        history = history_of(competition, number, results)
    else:
        numbers, history = as_closed
    form = FORMATS[stage.settings.format]
    reckoning = reckoning_of(form, history)
    order = form.places(history, reckoning)
    groups, annulled = group_numbers(form, history), form.annulled(history)
    rows = [
        StandingsRow(
            place=row.place,
            player=row.player,
            name=names[row.player],
            status=competition.people[row.player].status,
            points=str(row.points),
            played=row.played,
            tiebreaks=[str(value) for value in row.tiebreaks],
            penalty=row.penalty,
            group=groups.get(row.player),
            annulled=row.player in annulled,
            explained=_explained(reckoning, order, row.player, numbers)
            if row.player == explain
            else None,
        )
        for row in reckoning.rows(order)
    ]
    return StageStandings(number, after, tuple(reckoning.tiebreaks), rows)


def _explained(
    reckoning: Reckoning, order: Ranking, player: int, numbers: Sequence[int]
) -> list[Explanation]:
    return [
        Explanation(tiebreak, str(value), [_contribution(part, numbers) for part in parts])
        for tiebreak, value, parts in reckoning.explained(player, order)
    ]


def _contribution(part: Part, numbers: Sequence[int]) -> Contribution:
    number = numbers[part.round - 1] if part.round else None
    return Contribution(number, part.player, str(part.points), part.counted)
