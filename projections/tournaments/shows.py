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
    return _show(Episode(plan), None, (), None)


def show_episode(round_: PublishedRound, results: Results) -> ShownShow | None:
    """A round as one of a show; None if it is none."""
    if round_.show is None:
        return None
    main = round_.tables[0]
    match = main.matches[-1] if main.matches else None
    death = round_.tables[DEATH - 1].matches if len(round_.tables) == DEATH else ()
    main_result = results.get(match or "")
    has_changed = (
        round_.show.immune is not None and main_result and main_result.result != round_.show.counted
    )
    corrected = None
    if main_result and has_changed:
        corrected = _corrected(main_result.players, main_result.result)
    return _show(round_.show, match, death, corrected)


def _corrected(players: Players, result: Result | None) -> CorrectedNames:
    winners, losers = ((), ()) if result is None else (result.winners, result.losers)
    return CorrectedNames(
        tuple(players[seat] for seat in winners), tuple(players[seat] for seat in losers)
    )


def _show(
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
