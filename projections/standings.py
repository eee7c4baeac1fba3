"""The standings of a tournament: how matches count in them, and how players are ranked."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from domain.game import Result
from projections.fields import Player

Tally = tuple[int, int, int, int]
"""How many matches: played, won, shared, lost."""

NO_MATCHES: Tally = (0, 0, 0, 0)


class Standing(Struct, frozen=True):
    """How a player has done in the matches that count: played, won alone or with a side, shared
    with all the others who won, lost. A match may be played without winning or losing it."""

    player: Player
    name: str
    played: int
    won: int
    shared: int
    lost: int


def ranked(standings: Iterable[Standing]) -> list[Standing]:
    """Most matches won first, then most shared, then by name."""
    return sorted(standings, key=lambda row: (-row.won, -row.shared, row.name))


def counted(players: Iterable[int], result: Result) -> Iterator[tuple[int, Tally]]:
    """What a match that counts adds to the tally of each of its players, seat by seat."""
    for seat, player in enumerate(players):
        won = seat in result.winners
        lost = not won and seat in result.losers
        shared = won and result.shared
        yield player, (1, int(won and not shared), int(shared), int(lost))


def with_result(
    standings: Iterable[Standing], names: Sequence[str], result: Result
) -> list[Standing]:
    """The standings with one match more, of players with these names, seat by seat."""
    more = {names[seat]: tally for seat, tally in counted(range(len(names)), result)}
    return ranked(_plus(row, more[row.name]) if row.name in more else row for row in standings)


def recounted(
    standings: Iterable[Standing],
    players: Sequence[int],
    before: Result | None,
    after: Result | None,
) -> list[Standing]:
    """The standings when a match of these players, seat by seat, counts otherwise than before; with
    None it does not count."""
    changes = changed(players, before, after)
    return ranked(_plus(row, changes.get(row.player, NO_MATCHES)) for row in standings)


def changed(
    players: Sequence[int], before: Result | None, after: Result | None
) -> dict[int, Tally]:
    """What it changes in the tally of each player when a match counts otherwise than before."""
    gone = {} if before is None else dict(counted(players, before))
    new = {} if after is None else dict(counted(players, after))
    return {
        player: total(new.get(player, NO_MATCHES), gone.get(player, NO_MATCHES), -1)
        for player in players
    }


def total(tally: Tally, more: Tally, sign: Literal[1, -1] = 1) -> Tally:
    """Both tallies together, or the first without the second."""
    played, won, shared, lost = (a + sign * b for a, b in zip(tally, more, strict=True))
    return played, won, shared, lost


def _plus(row: Standing, more: Tally) -> Standing:
    return Standing(row.player, row.name, *total((row.played, row.won, row.shared, row.lost), more))
