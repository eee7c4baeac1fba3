"""Which tournaments are simulated: formats, settings and sizes, chosen by chance."""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain.game import Refused
from domain.tournament.formats import FORMATS
from domain.tournament.stages import PlacesOf, Stage, StageMatch, StagePoints, Tiebreak

MATCH = StageMatch("dollar-prize")
MEDIAN = 10
PLACES = StagePoints(places=(7, 5, 3, 2, 1), bye=3)
CHESS = StagePoints(win=3, share=1, bye=3)
TIEBREAKS: Sequence[Tiebreak] = (
    "head_to_head", "buchholz", "buchholz_cut_1", "median_buchholz", "sonneborn_berger",
    "progressive", "wins", "opponents_win_rate", "score_difference", "score_sum",
)  # fmt: skip


def players_of(rng: Random, most: int) -> int:
    """How many players: half of all tournaments have at most the median."""
    if rng.random() < 0.5:
        return rng.randint(2, min(MEDIAN, most))
    return min(most, MEDIAN + int(rng.expovariate(1 / MEDIAN)))


def stages_of(rng: Random, players: int, chosen: str | None = None) -> Sequence[Stage]:
    """One stage, or two of which the second has the best of the first."""
    first = _stage(rng, players, chosen)
    if players < 6 or rng.random() < 0.7:
        return (first,)
    left = rng.randint(2, players // 2)
    return (first, _stage(rng, left, None, entrants=PlacesOf(1, (1, left))))


def _stage(rng: Random, players: int, chosen: str | None, **more: Any) -> Stage:
    """A stage that so many players can play; others are drawn again."""
    while True:
        form = chosen or rng.choice(list(FORMATS))
        settings = {"first_seat": _first_seat(rng), "seeding": _seeding(rng)} | _settings(rng, form)
        if rng.random() < 0.4:
            settings["tiebreaks"] = tuple(rng.sample(TIEBREAKS, rng.randint(0, 4)))
        stage = Stage(form.capitalize(), form, MATCH, **settings, **more)
        try:
            FORMATS[form].check(stage, players)
        except Refused:
            if chosen is not None and form == "shootout":
                return Stage("Swiss", "swiss", MATCH, **more)
            continue
        return stage


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
        case "by_hand":
            return {"seats": rng.choice((2, tables)), "rounds": rng.randint(1, 4)}
    return {"points": points}
