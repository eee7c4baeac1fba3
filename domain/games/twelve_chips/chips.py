"""The chips: their colours, what wins a trick, what may be taken, and the value of four of them."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar

from domain.chance.draws import Draw, Outcome, Part, Shuffle, orders
from domain.games.twelve_chips.options import Over21

Colour = Literal["blue", "red"]
Chips = tuple[int, ...]
T = TypeVar("T")

HAND = 4
"""How many chips a seat has in its hand, in the centre and in front of it together."""
TARGET = 21
TWELVE: Chips = tuple(range(1, 13))
SIXTEEN: Chips = tuple(sorted((*TWELVE, 3, 4, 9, 10)))


def chips_for(seats: int) -> Chips:
    """All chips of the game, ascending; with four seats there are four more."""
    return SIXTEEN if seats == 4 else TWELVE


def is_red(chip: int) -> bool:
    return 4 <= chip <= 9


def colour(chip: int) -> Colour:
    return "red" if is_red(chip) else "blue"


def by_colour(chips: Chips) -> tuple[Chips, Chips]:
    """The red ones and the blue ones."""
    reds = tuple(filter(is_red, chips))
    return reds, tuple(chip for chip in chips if not is_red(chip))


def colours(chips: Chips) -> tuple[Colour, ...]:
    """The backs of these chips, sorted, so that they show nothing but colours."""
    return tuple(sorted(map(colour, chips)))


def takeable(centre: Chips) -> Chips:
    """Rule 4: the numbers that may be taken, ascending: only red ones while there are any."""
    chips = sorted(set(centre))
    return tuple(filter(is_red, chips)) or tuple(chips)


def round_winners(sums: Sequence[int], over_21: Over21) -> tuple[int, ...]:
    """Rule 7: every seat with the best sum."""
    if over_21 == "halve":
        # Twice the value of each sum, so that half of an odd one stays whole.
        values = [total if total > TARGET else 2 * total for total in sums]
    else:
        within = any(total <= TARGET for total in sums)
        values = [-1 if within and total > TARGET else total for total in sums]
    best = max(values)
    return tuple(seat for seat, value in enumerate(values) if value == best)


def is_hand(chips: Chips, seats: int, deal: str) -> bool:
    """Rule 1: whether a seat can have been dealt these four chips."""
    if len(chips) != HAND or Counter(chips) - Counter(chips_for(seats)):
        return False
    return deal == "random" or len(by_colour(chips)[0]) == 2


def miscounted(chips: Sequence[int], seats: int) -> tuple[Chips, Chips]:
    """The chips that all hands together have more often than there are, and those that they lack
    where every chip is dealt."""
    had, real = Counter(chips), Counter(chips_for(seats))
    lacking = real - had if len(chips) == real.total() else Counter()
    return tuple(sorted((had - real).elements())), tuple(sorted(lacking.elements()))


def remove_one(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """The items without one of them; of equal ones the first is removed."""
    fewer = list(items)
    fewer.remove(item)
    return tuple(fewer)


class Dealt(NamedTuple):
    """Each seat's hand, and the chips that are set aside; all sorted."""

    hands: tuple[Chips, ...]
    aside: Chips


def deal_draw(round_: int, seats: int, deal: str) -> Draw:
    """Reds and blues are shuffled separately, or all chips together; no one sees how."""
    chips = chips_for(seats)
    parts: tuple[Part, ...] = (Shuffle(chips),)
    if deal == "two_two":
        parts = tuple(map(Shuffle, by_colour(chips)))
    return Draw(f"round{round_}/deal", parts)


def read_deal(outcome: Outcome, seats: int) -> Dealt:
    """Each seat in turn gets the same share of every shuffle; the rest is set aside."""
    shuffles = [tuple(map(int, part)) for part in orders(outcome)]
    share = HAND // len(shuffles)
    hands = tuple(
        tuple(sorted(chip for part in shuffles for chip in part[share * seat : share * (seat + 1)]))
        for seat in range(seats)
    )
    aside = tuple(sorted(chip for part in shuffles for chip in part[share * seats :]))
    return Dealt(hands, aside)
