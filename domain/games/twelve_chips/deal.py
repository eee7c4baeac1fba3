"""Rule 1: the shuffles that a deal asks for, and the chips that each seat is dealt."""

from typing import NamedTuple

from domain.draws import Draw, Outcome, Part, Shuffle, orders
from domain.games.twelve_chips.chips import HAND, Chips, chips_for, is_red


class Dealt(NamedTuple):
    """Each seat's hand, and the chips that are set aside; all sorted."""

    hands: tuple[Chips, ...]
    aside: Chips


def asked(round_: int, seats: int, deal: str) -> Draw:
    """Reds and blues are shuffled separately, or all chips together; nobody sees how."""
    chips = chips_for(seats)
    parts: tuple[Part, ...] = (Shuffle(chips),)
    if deal == "two_two":
        reds = tuple(chip for chip in chips if is_red(chip))
        blues = tuple(chip for chip in chips if not is_red(chip))
        parts = (Shuffle(reds), Shuffle(blues))
    return Draw(f"round{round_}/deal", parts)


def dealt(outcome: Outcome, seats: int) -> Dealt:
    """Each seat in turn gets the same share of every shuffle; the rest is set aside."""
    shuffles = [tuple(map(int, part)) for part in orders(outcome)]
    share = HAND // len(shuffles)
    hands = tuple(
        tuple(sorted(chip for part in shuffles for chip in part[share * seat : share * (seat + 1)]))
        for seat in range(seats)
    )
    aside = tuple(sorted(chip for part in shuffles for chip in part[share * seats :]))
    return Dealt(hands, aside)
