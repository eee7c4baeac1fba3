"""What everyone sees of a round of an elimination show."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Result
from domain.tournament.competition import PublishedRound, Results
from domain.tournament.stages import DEATH, DeathMatch, Episode, EpisodePlan, Groups, MainMatch
from projections.fields import Player, Timestamp, rfc3339

Players = tuple[Player, ...]


class ShownGames(Struct, frozen=True):
    """What is played in a round of a show, and the groups as they were given, if they were."""

    main: MainMatch
    death: DeathMatch
    groups: Groups | None


class CorrectedNames(Struct, frozen=True):
    """Who would be immune, and who lost, by the corrected result of the main match. Nothing that
    was played since is changed by it: staff rule."""

    immune: Players
    losers: Players


class ShownShow(Struct, frozen=True):
    """A round of a show: its main match, who is immune and who is a candidate once that is final, a
    sole candidate (`chooser`), who chooses an opponent until `choice_until`, the death matches, and
    who was eliminated. What is not known yet is null."""

    games: ShownGames
    main: Annotated[str | None, Meta(description="The id of the main match")]
    immune: Players | None
    candidates: Players | None
    chooser: Player | None
    choice_until: Timestamp | None
    opponent: Player | None
    death: Annotated[tuple[str, ...], Meta(description="The ids of the death matches")]
    eliminated: Player | None
    corrected: CorrectedNames | None


def show_plan(plan: EpisodePlan) -> ShownShow:
    """A round of a show before it is published."""
    return _shown(Episode(plan), None, (), None)


def show_episode(one: PublishedRound, results: Results) -> ShownShow | None:
    """A round as one of a show; None if it is none."""
    if one.show is None:
        return None
    main = one.tables[0]
    match = main.matches[-1] if main.matches else None
    death = one.tables[DEATH - 1].matches if len(one.tables) == DEATH else ()
    counted = results.get(match or "")
    changed = one.show.immune is not None and counted and counted.result != one.show.counted
    corrected = None
    if counted and changed:
        corrected = _corrected(counted.players, counted.result)
    return _shown(one.show, match, death, corrected)


def _corrected(players: Players, result: Result | None) -> CorrectedNames:
    won, lost = ((), ()) if result is None else (result.winners, result.losers)
    return CorrectedNames(
        tuple(players[seat] for seat in won), tuple(players[seat] for seat in lost)
    )


def _shown(
    show: Episode, main: str | None, death: tuple[str, ...], corrected: CorrectedNames | None
) -> ShownShow:
    plan, until = show.plan, show.choice_until
    return ShownShow(
        games=ShownGames(plan.main, plan.death, plan.groups),
        main=main,
        immune=show.immune,
        candidates=show.candidates,
        chooser=show.chooser,
        choice_until=None if until is None else rfc3339(until),
        opponent=show.opponent,
        death=death,
        eliminated=show.eliminated,
        corrected=corrected,
    )
