"""The postings by which a match is settled in its tournament, and those by which it is corrected.

A correction changes nothing that was posted: it reverses the postings of the settlement, or of the
last correction, each by one that names it, and posts anew.
"""

from collections.abc import Iterable, Sequence

from domain.events import Event
from domain.game import Refused, Result
from domain.tournament.events import GarnetsPosted, MatchCorrected, MatchSettled
from domain.tournament.fold import fold
from domain.tournament.ledger import MOST_GARNETS, AccountKind, purse, stake
from domain.tournament.stages import Inherit
from domain.tournament.state import Tournament

Holdings = Sequence[int]
"""Garnets by seat."""


def by_hand(
    state: Tournament, player: int, amount: int, reason: str, by: str | None
) -> GarnetsPosted:
    """Garnets that someone gives a player, or takes away if the amount is negative. Raises
    Refused."""
    if not 0 <= player < len(state.players):
        raise Refused("no_such_player")
    after = state.balances.get(purse(player), 0) + amount
    if not 1 <= abs(amount) <= MOST_GARNETS or (amount > 0 and after > MOST_GARNETS):
        raise Refused("garnets_not_allowed")
    if amount < 0 and after < 0:
        raise Refused("not_enough_garnets")
    ends: tuple[AccountKind, AccountKind] = ("house", "player")
    debit, credit = ends if amount > 0 else ends[::-1]
    return GarnetsPosted(player, debit, credit, abs(amount), reason, by=by)


def settle_match(
    state: Tournament, over: MatchSettled, balance: Holdings | None, payout: Holdings
) -> list[Event]:
    """The settlement of a match that is over: `balance` is what is left of each seat's stake, all
    of it if that is None, `payout` each seat's award."""
    return [over, *_account(state, over.match, balance, payout)]


def correct_match(
    state: Tournament, match: str, result: Result | None, balance: Holdings | None
) -> list[Event]:
    """The correction of a settled match. With a result all keep what they have left, by `balance`,
    and no one earns anything; without one every stake goes back (/docs/rulings#the-kinds)."""
    events = [MatchCorrected(match, result), *_reverse(state, match)]
    rest = None if result is None else balance
    return [*events, *_account(fold(state, events), match, rest, ())]


def inherited(state: Tournament, rule: Inherit, loser: int, winner: int) -> Iterable[Event]:
    """The garnets of a player who is eliminated from a show go to the winner or to the house, or
    stay."""
    amount = state.balances.get(purse(loser), 0)
    if rule == "purse" or amount <= 0:
        return
    yield GarnetsPosted(loser, "player", "house", amount, "eliminated")
    if rule == "winner":
        yield GarnetsPosted(winner, "house", "player", amount, "inherited")


def _reverse(state: Tournament, match: str) -> Iterable[Event]:
    for number, posting in state.matches[match].accounted:
        debit, credit = posting.credit, posting.debit
        yield GarnetsPosted(
            posting.seat, debit, credit, posting.amount, "reversed", match=match, reverses=number
        )


def _account(
    state: Tournament, match: str, balance: Holdings | None, payout: Holdings
) -> Iterable[Event]:
    for seat, player in enumerate(state.matches[match].players):
        stake_now = state.balances.get(stake(player, match), 0)
        rest = stake_now if balance is None else balance[seat]
        yield from _of_player(player, match, stake_now, rest, payout[seat] if payout else 0)


def _of_player(
    player: int, match: str, stake_now: int, balance: int, payout: int
) -> Iterable[Event]:
    """What is left of the stake returns to the purse, the rest is spent; the payout comes from the
    house."""
    moves: list[tuple[AccountKind, AccountKind, int, str]] = [
        ("match", "player", balance, "kept"),
        ("match", "house", stake_now - balance, "spent"),
        ("house", "player", payout, "earned"),
    ]
    for debit, credit, amount, reason in moves:
        if amount:
            yield GarnetsPosted(player, debit, credit, amount, reason, match)
