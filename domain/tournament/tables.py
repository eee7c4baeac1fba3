"""Tables of three and more seats, from points and lots (/docs/tournaments#stages-and-rounds)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import lcm

from domain.game import Refused
from domain.tournament.history import Because, History, Pairing, order_by_lots
from domain.tournament.scores import Exact
from domain.tournament.stages import FirstSeat

Tables = list[list[int]]


def table_sizes(players: int, seats: int) -> list[int]:
    """The fewest tables of `seats` or one fewer whose sizes differ by at most one, the smaller ones
    last. Raises Refused if there are none."""
    tables = -(-players // seats)
    if players == 0 or players // tables < seats - 1:
        raise Refused("too_few_players", f"{players} do not fill tables of {seats} or {seats - 1}")
    size, larger = divmod(players, tables)
    return [size + 1] * larger + [size] * (tables - larger)


def tables_of(
    history: History, players: Sequence[int], points: Mapping[int, Exact]
) -> tuple[Pairing, ...]:
    """The tables for these players: by points, then lots, cut from the top; then players of
    neighbouring tables change places while that lowers how often tables have met, then how far
    their points differ."""
    lots = order_by_lots(history)
    waiting = sorted(players, key=lambda player: (-points[player], lots[player]))
    tables: Tables = []
    for size in table_sizes(len(waiting), history.stage.seats):
        tables.append(waiting[:size])
        waiting = waiting[size:]
    meetings = _count_meetings(history)
    scale = lcm(*(value.denominator for value in points.values()))
    whole = {player: int(value * scale) for player, value in points.items()}
    exchanged_tables = _exchange(tables, meetings, whole)
    return tuple(
        Pairing(number, in_seats(history, table), _because(table, meetings))
        for number, table in enumerate(exchanged_tables, 1)
    )


def in_seats(history: History, players: Sequence[int]) -> tuple[int, ...]:
    """The players of a table in the order of their seats: the first seat by the stage's rule, the
    others as they stand."""
    rule: FirstSeat = history.stage.first_seat
    if rule == "higher_seed":
        return tuple(players)
    lots = order_by_lots(history)
    before = Counter(
        pairing.players[0] for past_round in history.rounds for pairing in past_round.pairings
    )
    often = before if rule == "balanced" else Counter[int]()
    first = min(players, key=lambda player: (often[player], lots[player]))
    return (first, *(player for player in players if player != first))


Met = Mapping[frozenset[int], int]
"""How often two players have sat at one table."""


def _count_meetings(history: History) -> Met:
    return Counter(
        frozenset(pair)
        for past_round in history.rounds
        for pairing in past_round.pairings
        for pair in combinations(pairing.players, 2)
    )


def _because(table: Sequence[int], meetings: Met) -> tuple[Because, ...]:
    again = any(meetings.get(frozenset(pair)) for pair in combinations(table, 2))
    return ("tables", "met_before" if again else "not_met")


def _exchange(tables: Tables, meetings: Met, points: Mapping[int, int]) -> Tables:
    """The tables after the first exchange that lowers the cost, and so on until none does."""
    start: int | None = 0
    while start is not None:
        # Before the tables that were changed last nothing is new: the search goes on next to them.
        start = _exchange_once(tables, max(0, start - 1), meetings, points)
    return tables


def _exchange_once(
    tables: Tables, start: int, meetings: Met, points: Mapping[int, int]
) -> int | None:
    """Makes the first exchange between two neighbouring tables, from `start` on, that lowers what
    they cost together; returns the number of the first of them, None if there is no such
    exchange."""
    for index in range(start, len(tables) - 1):
        table, other = tables[index], tables[index + 1]
        before = _cost(table, other, meetings, points)
        for seat, place in product(range(len(table)), range(len(other))):
            table[seat], other[place] = other[place], table[seat]
            if _cost(table, other, meetings, points) < before:
                return index
            table[seat], other[place] = other[place], table[seat]
    return None


def _cost(
    table: Sequence[int], other: Sequence[int], counts: Met, points: Mapping[int, int]
) -> tuple[int, int]:
    """How often the pairs at two tables have met, each squared, and how far their points differ."""
    pairs = [*combinations(table, 2), *combinations(other, 2)]
    meetings = sum(counts.get(frozenset(pair), 0) ** 2 for pair in pairs)
    return meetings, sum(abs(points[a] - points[b]) for a, b in pairs)
