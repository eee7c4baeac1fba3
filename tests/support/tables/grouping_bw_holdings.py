"""Positions of all chips of Grouping Black & White, counted from the events."""

from collections.abc import Iterable

from domain.events import Event
from domain.games.grouping_bw.events import AntesPaid, Called, Pair, Raised, RoundEnded
from domain.games.grouping_bw.options import House


def holdings(house: House, events: Iterable[Event]) -> tuple[Pair, Pair, int]:
    """The stacks, the bets, and the chips that left the game, computed by the house rules."""
    stacks, bets, gone = list(house.stacks), [0, 0], 0
    for event in events:
        match event:
            case AntesPaid(chips):
                for seat in (0, 1):
                    _put_in(stacks, bets, seat, chips)
            case Raised(seat, by):
                _put_in(stacks, bets, seat, bets[1 - seat] - bets[seat] + by)
            case Called(seat):
                _put_in(stacks, bets, seat, bets[1 - seat] - bets[seat])
            case RoundEnded():
                gone += _settle(house, stacks, bets, event)
                bets = [0, 0]
    return (stacks[0], stacks[1]), (bets[0], bets[1]), gone


def _put_in(stacks: list[int], bets: list[int], seat: int, chips: int) -> None:
    stacks[seat] -= chips
    bets[seat] += chips


def _settle(house: House, stacks: list[int], bets: list[int], ended: RoundEnded) -> int:
    """Pays out the bets; what is paid to no one has left the game."""
    goes = house.on_call if ended.folder is None else house.on_fold
    before = sum(stacks) + sum(bets)
    if ended.winner is None:
        back = goes == "pot" or stacks == [0, 0]
        paid = bets if back else [0, 0]
    else:
        paid = [0, 0]
        paid[ended.winner] = sum(bets) if goes == "pot" else bets[ended.winner]
    stacks[:] = [stack + chips for stack, chips in zip(stacks, paid, strict=True)]
    if ended.folder is not None and ended.folded_8:
        stacks[ended.folder] -= min(house.fold_8_penalty, stacks[ended.folder])
    return before - sum(stacks)
