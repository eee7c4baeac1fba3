"""Tournament reports as histories of a Swiss stage."""

from typing import NamedTuple

from msgspec.structs import replace

from domain.game import Result
from domain.tournament.history import (
    Because,
    Bye,
    ByeKind,
    Entrant,
    History,
    Pairing,
    PastRound,
    PlayedMatch,
    Presence,
)
from domain.tournament.stages import Stage, StageMatch, StagePoints

POINTS = StagePoints(win=2, share=1, loss=0, bye=2, bye_asked=1, absent=0)
STAGE = Stage("Swiss", "swiss", StageMatch("dollar-prize"), points=POINTS, seeding="seed")


class Entry(NamedTuple):
    """A round of a player in a report: the opponent (0 for none), the colour and the result."""

    opponent: int
    colour: str
    result: str


Report = dict[int, list[Entry]]


def read(text: str) -> Report:
    """The rounds of each player: a line has the starting rank and, for each round, the opponent,
    the colour and the result as in a report of FIDE (TRF)."""
    report: Report = {}
    for line in text.splitlines():
        rank, *rounds = line.split()
        report[int(rank)] = [Entry(int(one[:-2]), one[-2], one[-1]) for one in rounds]
    return report


def history_before(report: Report, number: int) -> History:
    """The history from which a round was paired."""
    entrants = tuple(
        Entrant(player, seed=player, presence=_presence(entries, number))
        for player, entries in sorted(report.items())
    )
    rounds = tuple(round_of(report, past) for past in range(1, number))
    return History(replace(STAGE, rounds=max(map(len, report.values()))), entrants, rounds)


def _presence(entries: list[Entry], number: int) -> Presence:
    if number > len(entries):
        return "out"
    entry = entries[number - 1]
    return (
        "asked"
        if entry.opponent == 0 and entry.result in "HF"
        else ("absent" if entry.opponent == 0 and entry.result in "Z- " else "here")
    )


def round_of(report: Report, number: int) -> PastRound:
    """A round as it was played."""
    pairings: list[Pairing] = []
    byes: list[Bye] = []
    for player, entries in sorted(report.items()):
        if number > len(entries):
            continue
        opponent, colour, result = entries[number - 1]
        if opponent == 0:
            byes.append(_bye(player, result))
        elif colour == "w":
            other = report[opponent][number - 1].result
            pairings.append(
                Pairing(len(pairings) + 1, (player, opponent), (), (_played(result, other),))
            )
    return PastRound(tuple(pairings), tuple(byes))


def _bye(player: int, result: str) -> Bye:
    kinds: dict[str, tuple[ByeKind, Because]] = {
        "U": ("bye", "odd_number"),
        "H": ("bye_asked", "asked"),
    }
    kind, because = kinds.get(result, ("absent", "not_checked_in"))
    return Bye(player, kind, (because,))


def _played(white: str, black: str) -> PlayedMatch:
    forfeit = "+" in (white, black) or (white, black) == ("-", "-")
    if white == black:
        result = (
            Result((0, 1), (), True, (0, 0)) if white == "=" else Result((), (0, 1), False, (0, 0))
        )
        return PlayedMatch(result, forfeit=forfeit)
    winner = 0 if white in "1+" else 1
    return PlayedMatch(
        Result((winner,), (1 - winner,), False, (1 - winner, winner)), forfeit=forfeit
    )
