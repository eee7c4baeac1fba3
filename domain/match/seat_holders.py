"""Who holds the seats of a match: those whom it was created for, or those who have replaced them
(/docs/rulings#a-new-player)."""

from domain.match.state import Match
from domain.people import named_person


def names_had(match: Match) -> list[str]:
    """Every name that a seat has or had."""
    return [name for _, name in match.names]


def people_in(match: Match) -> frozenset[str]:
    """Everyone who plays or has played in a match (see `Actor.person`)."""
    return frozenset(map(named_person, names_had(match)))


def holders(match: Match) -> tuple[str, ...]:
    """The names of those who hold the seats now, by seat."""
    now = dict(match.names)
    return tuple(now[seat] for seat in range(match.created.seats))


def first_holders(match: Match) -> tuple[str, ...]:
    """The names of those for whom the match was created, by seat; at an open table of those who
    have taken the seats."""
    if match.created.table:
        return holders(match)
    return tuple(name for _, name in match.names[: match.created.seats])


def free_seats(match: Match) -> list[int]:
    """The seats of an open table that nobody has taken yet: they have the name alone with which the
    table was opened. The first seat is that of who opened it; after another table each is free."""
    named_seats = [seat for seat, _ in match.names]
    first = 0 if match.created.again else 1
    return [seat for seat in range(first, match.created.seats) if named_seats.count(seat) == 1]


def tenure(match: Match, seat: int) -> int:
    """How often another person has taken over the seat: its holders are numbered from 0."""
    return match.rulings.replaced.count(seat)
