"""The postings by which a match is settled in its tournament, and those by which it is corrected.

A correction changes nothing that was posted: it reverses the postings of the settlement, or of the
last correction, each by one that names it, and posts anew.
"""

from collections.abc import Iterable, Sequence

from domain.events import Event
from domain.game import Result
from domain.tournament.events import GarnetsPosted, MatchCorrected, MatchSettled
from domain.tournament.ledger import AccountKind, purse, stake
from domain.tournament.stages import Inherit
from domain.tournament.state import Tournament, fold

Holdings = Sequence[int]
"""Garnets by seat."""


def settled(
    state: Tournament, match: str, result: Result | None, balance: Holdings | None, payout: Holdings
) -> list[Event]:
    """The settlement of a match: `balance` is what is left of each seat's stake, all of it if that
    is None, `payout` each seat's award."""
    return [MatchSettled(match, result), *_accounted(state, match, balance, payout)]


def corrected(
    state: Tournament, match: str, result: Result | None, balance: Holdings | None
) -> list[Event]:
    """The correction of a settled match. With a result all keep what they have left, by `balance`,
    and no one earns anything; without one every stake goes back (/docs/rulings#the-kinds)."""
    events = [MatchCorrected(match, result), *_reversed(state, match)]
    kept = None if result is None else balance
    return [*events, *_accounted(fold(state, events), match, kept, ())]


def inherited(state: Tournament, rule: Inherit, loser: int, winner: int) -> Iterable[Event]:
    """The garnets of a player who is eliminated from a show go to the winner or to the house, or
    stay."""
    amount = state.balances.get(purse(loser), 0)
    if rule == "purse" or amount <= 0:
        return
    yield GarnetsPosted(loser, "player", "house", amount, "eliminated")
    if rule == "winner":
        yield GarnetsPosted(winner, "house", "player", amount, "inherited")


def _reversed(state: Tournament, match: str) -> Iterable[Event]:
    for number, posted in state.matches[match].accounted:
        debit, credit = posted.credit, posted.debit
        yield GarnetsPosted(
            posted.seat, debit, credit, posted.amount, "reversed", match=match, reverses=number
        )


def _accounted(
    state: Tournament, match: str, balance: Holdings | None, payout: Holdings
) -> Iterable[Event]:
    for seat, player in enumerate(state.matches[match].players):
        staked = state.balances.get(stake(player, match), 0)
        left = staked if balance is None else balance[seat]
        yield from _of_player(player, match, staked, left, payout[seat] if payout else 0)


def _of_player(player: int, match: str, staked: int, balance: int, payout: int) -> Iterable[Event]:
    """What is left of the stake returns to the purse, the rest is spent; the payout comes from the
    house."""
    moves: list[tuple[AccountKind, AccountKind, int, str]] = [
        ("match", "player", balance, "kept"),
        ("match", "house", staked - balance, "spent"),
        ("house", "player", payout, "earned"),
    ]
    for debit, credit, amount, reason in moves:
        if amount:
            yield GarnetsPosted(player, debit, credit, amount, reason, match)
