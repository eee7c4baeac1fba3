"""Pairings for two seats by the FIDE Dutch system (C.04.3, in force from 1 February 2026).

Who meets whom is the library's work. The first seats (the colours) are given here, by article 5: in
the library the player with the lower number goes before the one with more points. Articles in
brackets are those of C.04.3.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Literal, NamedTuple

from caissify_pairings import generate_pairings

from domain.game import Refused
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
from domain.tournament.matching import matched_again
from domain.tournament.scores import Exact, Score, Scores, after_penalties, scores_of, total

VERSION = "caissify-pairings 0.5.0+2"
"""The library's, and of how it is asked: drafts are computed again by the same one alone."""

Colour = Literal["first", "second"]
OTHER: Mapping[Colour, Colour] = {"first": "second", "second": "first"}


class Preference(NamedTuple):
    """The seat that a player should get (1.7): 3 is absolute, 2 strong, 1 mild, 0 none."""

    colour: Colour | None
    strength: int
    difference: int


class Candidate(NamedTuple):
    """A player of the round: the number in the pairing (from 1, the best seed), the points, the
    seats so far, oldest first, whom they have met, and whether they may still get the bye (C2)."""

    player: int
    number: int
    points: Exact
    colours: Sequence[Colour]
    met: frozenset[int]
    floats: Sequence[str]
    bye_allowed: bool

    @property
    def rank(self) -> tuple[Exact, int]:
        """What orders the players (1.2): the higher is the better."""
        return self.points, -self.number

    @property
    def preference(self) -> Preference:
        """The seat that this player should get (1.7)."""
        difference = self.colours.count("first") - self.colours.count("second")
        if not self.colours:
            return Preference(None, 0, 0)
        last = self.colours[-1]
        twice = len(self.colours) > 1 and self.colours[-2] == last
        absolute = twice or abs(difference) > 1
        alternate = difference == 0 or (twice and abs(difference) < 2)
        rarer: Colour = "second" if difference > 0 else "first"
        colour = OTHER[last] if alternate else rarer
        return Preference(colour, 3 if absolute else 1 + abs(difference), difference)


def draft_round(history: History, rounds: int) -> Draft:
    """The pairings of the next of so many rounds. Raises Refused if none keeps the absolute
    criteria."""
    people = people_of(history)
    byes = list(byes_beforehand(history))
    boards: list[tuple[Candidate, Candidate]] = []
    for pair in _match(history, people, rounds):
        if len(pair) == 1:
            byes.append(Bye(pair[0].player, "bye", ("odd_number",)))
        else:
            boards.append((pair[0], pair[1]))
    _check(history, boards, rounds)
    pairings = tuple(
        _pairing(number, *board) for number, board in enumerate(sorted(boards, key=_order), 1)
    )
    return Draft("dutch", VERSION, pairings, tuple(byes))


def people_of(history: History) -> list[Candidate]:
    """The players who can be paired now, the best seed first."""
    scores = scores_of(history)
    points = after_penalties(history, scores)
    colours = _colours(history)
    here = {entrant.player for entrant in present(history)}
    return [
        Candidate(
            player=entrant.player,
            number=number,
            points=points[entrant.player],
            colours=colours[entrant.player],
            met=_opponents_met(scores[entrant.player]),
            floats=_floats(scores, entrant.player),
            bye_allowed=not any(map(partial(_as_good_as_a_win, history), scores[entrant.player])),
        )
        for number, entrant in enumerate(seeded(history), 1)
        if entrant.player in here
    ]


def _as_good_as_a_win(history: History, score: Score) -> bool:
    """Whether a round rules out the bye (C2): it gave a bye, or a win without a match."""
    if score.kind == "bye":
        return True
    unplayed = score.kind in ("forfeit", "bye_asked", "absent")
    return unplayed and score.points >= history.stage.points.win > 0


def _opponents_met(scores: Sequence[Score]) -> frozenset[int]:
    """The opponents of matches that were played or still are; others may meet again."""
    return frozenset(
        opponent
        for score in scores
        if score.kind in ("played", "open")
        for opponent in score.opponents
    )


def _colours(history: History) -> Mapping[int, Sequence[Colour]]:
    """The seats of each player in matches that were played or still are."""
    colours: dict[int, list[Colour]] = {player: [] for player in history.players}
    for past_round in history.rounds:
        for pairing in past_round.pairings:
            if not any(match.forfeit or match.void for match in pairing.matches[-1:]):
                for player, colour in zip(pairing.players, OTHER, strict=False):
                    colours[player].append(colour)
    return colours


def _floats(scores: Scores, player: int) -> Sequence[str]:
    """The float of a player in each round (1.4): down against fewer points, up against more; down,
    too, in a round that gave points without a match."""
    floats: list[str] = []
    own: Exact = 0
    for index, score in enumerate(scores[player]):
        if score.kind in ("played", "open"):
            other = sum(total(scores[opponent][:index]) for opponent in score.opponents)
            floats.append("down" if own > other else "up" if own < other else "none")
        else:
            floats.append("down" if score.points > 0 else "none")
        own += score.points
    return floats


def _match(
    history: History, people: Sequence[Candidate], rounds: int
) -> list[tuple[Candidate, ...]]:
    """Who meets whom; one alone has the bye. The library wants points of which a win is one."""
    win = history.stage.points.win or 1
    by_number = {person.number: person for person in people}
    numbers = {entrant.player: number for number, entrant in enumerate(seeded(history), 1)}
    # Opponents who are not here count, too: who has met more of them has the bye (C9).
    pairs = {
        tuple(sorted((person.number, numbers[opponent])))
        for person in people
        for opponent in person.met
    }
    players = [
        {
            "id": person.number,
            "name": "",
            "score": float(person.points / win),
            "rating": 0,
            "starting_number": person.number,
            "color_hist": [
                "white" if colour_before == "first" else "black" for colour_before in person.colours
            ],
            "float_history": list(person.floats),
            "bye_count": int(not person.bye_allowed),
        }
        for person in people
    ]
    with matched_again():
        rows = generate_pairings(
            system="dutch",
            players=players,
            previous_pairings=pairs,
            round_number=history.next_round,
            total_rounds=rounds,
        )
    return [
        tuple(
            by_number[colour_before]
            for colour_before in (row["white_id"], row["black_id"])
            if colour_before is not None
        )
        for row in rows
    ]


def _check(history: History, boards: Sequence[tuple[Candidate, Candidate]], rounds: int) -> None:
    """Raises Refused unless a round keeps the absolute criteria (C1 to C3)."""
    here = people_of(history)
    at_boards = {person.player for board in boards for person in board}
    free = [person for person in here if person.player not in at_boards]
    last = history.next_round >= rounds
    half = Fraction(history.stage.points.win * len(history.rounds), 2)
    for first, second in boards:
        wish, other_wish = first.preference, second.preference
        top = last and max(first.points, second.points) > half
        same_colour_due = (
            wish.strength == other_wish.strength == 3 and wish.colour == other_wish.colour
        )
        if second.player in first.met or (same_colour_due and not top):
            raise Refused("no_pairing", "no pairing keeps the absolute criteria")
    if len(free) != len(here) % 2 or not all(person.bye_allowed for person in free):
        raise Refused("no_pairing", "no one may have the bye")


def _order(board: tuple[Candidate, Candidate]) -> tuple[Exact, Exact, int]:
    """What orders the boards of a round for its publication (C.04.2, 4.4)."""
    high, low = sorted(board, key=lambda person: person.rank, reverse=True)
    return -high.points, -low.points, high.number


def _pairing(table: int, candidate: Candidate, other: Candidate) -> Pairing:
    level = candidate.points == other.points
    because: tuple[Because, ...] = ("same_points",) if level else ("floated_down", "floated_up")
    first, second = by_colour(candidate, other)
    return Pairing(table, (first.player, second.player), (*because, "not_met", "colour"))


def by_colour(candidate: Candidate, other: Candidate) -> tuple[Candidate, Candidate]:
    """Two players in the order of their seats (5.2)."""
    high, low = (candidate, other) if candidate.rank > other.rank else (other, candidate)
    colour = _colour_of(high, low)
    return (high, low) if colour == "first" else (low, high)


def _colour_of(high: Candidate, low: Candidate) -> Colour:
    """The seat of the higher ranked of two players."""
    mine, theirs = high.preference, low.preference
    if mine.colour is None and theirs.colour is None:
        return "first" if high.number % 2 else "second"
    if mine.colour is None or theirs.colour is None or mine.colour != theirs.colour:
        return mine.colour or OTHER[theirs.colour or "first"]
    if mine.strength != theirs.strength:
        return mine.colour if mine.strength > theirs.strength else OTHER[mine.colour]
    if mine.strength == 3 and abs(mine.difference) != abs(theirs.difference):
        wider = abs(mine.difference) > abs(theirs.difference)
        return mine.colour if wider else OTHER[mine.colour]
    for ours, other in zip(reversed(high.colours), reversed(low.colours), strict=False):
        if ours != other:
            return OTHER[ours]
    return mine.colour
