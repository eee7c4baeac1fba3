"""Which tournaments are simulated: formats, settings and sizes, chosen by chance."""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain.game import Refused
from domain.games import GAMES
from domain.tournament.formats import FORMATS
from domain.tournament.stages import (
    TWO,
    DeathMatch,
    EpisodePlan,
    MainMatch,
    PlacesOf,
    RoundRule,
    Stage,
    StageMatch,
    StagePoints,
    Tiebreak,
)

MATCH = StageMatch("dollar-prize")
MEDIAN = 10
SHOW = range(3, 33)
"""Numbers of players for whom there is a main match."""
PLACES = StagePoints(places=(7, 5, 3, 2, 1), bye=3)
CHESS = StagePoints(win=3, share=1, bye=3)
TIEBREAKS: Sequence[Tiebreak] = (
    "head_to_head", "buchholz", "buchholz_cut_1", "median_buchholz", "sonneborn_berger",
    "progressive", "wins", "opponents_win_rate", "score_difference", "score_sum", "lots",
)  # fmt: skip


def players_of(rng: Random, most: int) -> int:
    """How many players: half of all tournaments have at most the median."""
    if rng.random() < 0.5:
        return rng.randint(2, min(MEDIAN, most))
    return min(most, MEDIAN + int(rng.expovariate(1 / MEDIAN)))


def stages_of(rng: Random, players: int, chosen: str | None = None) -> Sequence[Stage]:
    """One stage, or two of which the second has the best of the first."""
    first = _stage(rng, players, chosen)
    if first.format == "show":
        final = PlacesOf(1, (1, first.until))
        return (first, Stage("Final", "elimination", MATCH, entrants=final, best_of=3))
    if players < 6 or rng.random() < 0.7:
        return (first,)
    left = rng.randint(2, players // 2)
    return (first, _stage(rng, left, None, entrants=PlacesOf(1, (1, left))))


def _stage(rng: Random, players: int, chosen: str | None, **more: Any) -> Stage:
    """A stage that so many players can play; others are drawn again."""
    while True:
        form = chosen or rng.choice(list(FORMATS))
        settings = {"first_seat": _first_seat(rng), "seeding": _seeding(rng)} | _settings(rng, form)
        settings["round"] = RoundRule(ends=rng.choice((None, 1.0)))
        if rng.random() < 0.4:
            settings["tiebreaks"] = tuple(rng.sample(TIEBREAKS, rng.randint(0, 4)))
        match = StageMatch() if FORMATS[form].episodes else MATCH
        stage = Stage(form.capitalize(), form, match, **settings, **more)
        try:
            FORMATS[form].check(stage, players)
            if FORMATS[form].episodes and ("entrants" in more or players not in SHOW):
                raise Refused("too_many_players")
        except Refused:
            if chosen in ("shootout", "show"):
                return Stage("Swiss", "swiss", MATCH, **more)
            continue
        return stage


def episode_of(rng: Random, players: Sequence[int]) -> EpisodePlan:
    """The games of a round of a show with these players, perhaps in two groups."""
    mains = [game.id for game in GAMES.values() if len(players) in game.seats]
    deaths = [game.id for game in GAMES.values() if TWO in game.seats]
    main = "together" if "together" in mains and rng.random() < 0.7 else rng.choice(mains)
    death = "grouping-bw" if rng.random() < 0.7 else rng.choice(deaths)
    groups = None
    if GAMES[main].grouped is not None and rng.random() < 0.5:
        seats, half = rng.sample(players, len(players)), (len(players) + 1) // 2
        groups = tuple(seats[:half]), tuple(seats[half:])
    death_match = DeathMatch(death, best_of=rng.choice((1, 1, 3)))
    return EpisodePlan(MainMatch(main), death_match, groups)


def _first_seat(rng: Random) -> str:
    return rng.choice(("balanced", "lots", "higher_seed"))


def _seeding(rng: Random) -> str:
    return rng.choice(("rating", "seed", "lots", "entry"))


def _settings(rng: Random, form: str) -> dict[str, Any]:
    """Settings of a format's own."""
    tables = rng.randint(3, 6)
    points = rng.choice((StagePoints(), CHESS, StagePoints(win=1, share=0, bye=1, bye_asked=0)))
    match form:
        case "swiss" if rng.random() < 0.4:
            return {"seats": tables, "points": PLACES, "rounds": rng.randint(1, 4)}
        case "round_robin":
            groups, cycles = rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 2))
            return {"groups": groups, "cycles": cycles, "points": points}
        case "elimination":
            return {
                "best_of": rng.choice((1, 1, 3, 5)),
                "losses": rng.choice((1, 2)),
                "third_place": rng.random() < 0.5,
                "replays": rng.randint(0, 2),
            }
        case "shootout":
            advance = rng.randint(1, tables - 2)
            return {"seats": tables, "advance": advance, "points": PLACES}
        case "show":
            return {
                "until": rng.choice((2, 2, 3)),
                "inherit": rng.choice(("winner", "house", "purse")),
                "choice_hours": rng.choice((0.0, 24.0)),
            }
        case "by_hand":
            return {"seats": rng.choice((2, tables)), "rounds": rng.randint(1, 4)}
    return {"points": points}
