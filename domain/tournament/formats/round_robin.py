"""Round robin: all in a group meet, by the Berger tables (FIDE C.05, annex 1)."""

from collections.abc import Iterator, Sequence

from domain.game import Refused
from domain.tournament.format import Format
from domain.tournament.history import (
    Because,
    Bye,
    Draft,
    History,
    Pairing,
    byes_beforehand,
    present,
    seeded,
)
from domain.tournament.scores import Score, annulled_by_ruling, counting, usual_bye
from domain.tournament.stages import MOST_ROUNDS, Stage
from domain.tournament.tiebreaks import Ranking, Reckoning

Board = tuple[int, ...]
"""The two players of a board, the first seat first; one alone where a group is odd."""


def berger(players: int, number: int) -> list[tuple[int, int]]:
    """The boards of a round, from 1, for an even number of players by their numbers from 0: the
    last player stays, the others move on by half of their number each round."""
    moving = players - 1
    start = number // 2 if number % 2 else (players + number) // 2 - 1
    first = (start, moving) if number % 2 else (moving, start)
    others = ((start + i) % moving for i in range(1, players // 2))
    return [first, *((other, (2 * start - other) % moving) for other in others)]


def groups_of(history: History) -> list[Sequence[int]]:
    """The players of each group, in order of seeds: the best seeds go to the first group, the
    second, and so on, then back again."""
    count = history.stage.groups
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, entrant in enumerate(seeded(history)):
        lap, step = divmod(place, count)
        groups[count - 1 - step if lap % 2 else step].append(entrant.player)
    return list(groups)


def _check(stage: Stage, entrants: int) -> None:
    if entrants < 2 * stage.groups:
        raise Refused("too_few_players", "each group needs two players")
    if _rounds(stage, entrants) > MOST_ROUNDS:
        raise Refused("too_many_rounds", f"a stage has at most {MOST_ROUNDS} rounds")


def _rounds(stage: Stage, entrants: int) -> int:
    """The rounds of the largest group."""
    largest = -(-entrants // stage.groups)
    return stage.cycles * _of_cycle(largest)


def _of_cycle(players: int) -> int:
    return players - 1 + players % 2


def _draft(history: History) -> Draft:
    number = history.next_round
    if number > _rounds(history.stage, len(history.entrants)):
        raise Refused("no_pairing", "everyone has met everyone")
    here = {entrant.player for entrant in present(history)}
    pairings: list[Pairing] = []
    byes = [*byes_beforehand(history)]
    for group in groups_of(history):
        for board in _boards(history.stage, group, number):
            players = tuple(player for player in board if player in here)
            if len(players) == 2:
                pairings.append(Pairing(len(pairings) + 1, players, ("berger",)))
            elif players:
                byes.append(Bye(players[0], "bye", (_why_free(history, board, players[0]),)))
    return Draft("berger", "1", tuple(pairings), tuple(byes))


def _why_free(history: History, board: Board, player: int) -> Because:
    presence = {entrant.player: entrant.presence for entrant in history.entrants}
    other = next((opponent for opponent in board if opponent != player), None)
    reasons: dict[str | None, Because] = {
        "out": "opponent_withdrawn",
        "asked": "asked",
        "absent": "not_checked_in",
    }
    return "odd_number" if other is None else reasons[presence[other]]


def _boards(stage: Stage, group: Sequence[int], number: int) -> Iterator[Board]:
    """Who meets whom in a round of a group; an odd group lacks one player, and a group that is
    through sits this round out."""
    of_cycle = _of_cycle(len(group))
    if number > stage.cycles * of_cycle:
        yield from ((player,) for player in group)
        return
    cycle, index = divmod(number - 1, of_cycle)
    for first, second in berger(len(group) + len(group) % 2, index + 1):
        board = (second, first) if cycle % 2 else (first, second)
        yield tuple(group[place] for place in board if place < len(group))


def _places(history: History, reckoning: Reckoning) -> Ranking:
    """All first of their groups, then all second, and so on; among these by points and tiebreaks,
    but those who have met are in one group, where head-to-head has counted."""
    orders = [reckoning.order(group) for group in groups_of(history)]
    position: dict[int, int] = {}
    for order in orders:
        first = 0
        for tie in order.ties:
            position |= dict.fromkeys(tie, first)
            first += len(tie)
    others = tuple(entry for entry in reckoning.tiebreaks if entry != "head_to_head")
    across = reckoning._replace(tiebreaks=others).order(
        history.players, lambda player: (-position[player], reckoning.points[player])
    )
    return Ranking(
        across.ties, {player: entry for order in orders for player, entry in order.levels.items()}
    )


def _annulled(history: History) -> frozenset[int]:
    """Those who left before half of their games were played, besides those whom a ruling annuls
    (FIDE C.05)."""
    stage = history.stage
    leavers = {entrant.player for entrant in history.entrants if entrant.presence == "out"}
    early = (
        player
        for group in groups_of(history)
        for player in leavers.intersection(group)
        if 2 * _games_of(history, player) < stage.cycles * (len(group) - 1)
    )
    return annulled_by_ruling(history).union(early)


def _games_of(history: History, player: int) -> int:
    return sum(
        player in pairing.players and counting(pairing) is not None
        for past_round in history.rounds
        for pairing in past_round.pairings
    )


def _score_bye(history: History, number: int, bye: Bye, annulled: frozenset[int]) -> Score:
    """A bye gives nothing. Games that a player misses by having left are lost by forfeit, and won
    by the opponent, unless one of both is annulled; they count like others (FIDE C.07, 15.2)."""
    points, has_left = history.stage.points, bye.kind == "absent" and not bye.because
    walkover = bye.because == ("opponent_withdrawn",)
    if bye.kind != "bye" and not has_left:
        return usual_bye(history, number, bye, annulled)
    opponent = _opponent(history, number, bye.player) if has_left or walkover else None
    if opponent is None or opponent in annulled:
        return Score(number, bye.kind)
    points_taken = points.loss if has_left else points.win
    return Score(number, "forfeit", points_taken, (opponent,), (points_taken,))


def _opponent(history: History, number: int, player: int) -> int | None:
    """Whom a player meets in a round by the tables, if anyone."""
    boards = (
        board for group in groups_of(history) for board in _boards(history.stage, group, number)
    )
    board = next(board for board in boards if player in board)
    return next((other for other in board if other != player), None)


FORMAT = Format(
    "round_robin",
    range(2, 3),
    ("head_to_head", "sonneborn_berger", "wins"),
    _draft,
    check=_check,
    rounds=_rounds,
    places=_places,
    predetermined=True,
    missed=_score_bye,
    annulled=_annulled,
    groups=groups_of,
)
