"""Who holds the seats of a match: those whom the creation named, or those who have replaced them
(RULINGS §3, `replace_seat`)."""

from domain.match_state import Match


def names_had(match: Match) -> list[tuple[int, str]]:
    """Every name that a seat has or had, with the seat."""
    return [*enumerate(match.created.seats), *match.rulings.replaced]


def holders(match: Match) -> tuple[str, ...]:
    """The names of those who hold the seats now, by seat."""
    now = dict(names_had(match))
    return tuple(now[seat] for seat in range(len(match.created.seats)))


def tenure(match: Match, seat: int) -> int:
    """How often somebody else has taken over the seat: its holders are numbered from 0."""
    replaced = match.rulings.replaced
    return sum(each == seat for each, _ in replaced) if replaced else 0
