"""The double-entry ledger of garnets: accounts, postings, and the sum that must always be zero.

The balance of an account is its credits minus its debits. Every posting debits one account and
credits another with the same amount, so garnets move and never appear: players hold exactly what
the house has given out.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from msgspec import Struct

MOST_GARNETS = 1_000_000_000
"""The most that is given or taken at once, and that a purse may hold."""

LONGEST_REASON = 200
"""Characters of the reason of a posting by hand."""

AccountKind = Literal["player", "match", "house"]


class Account(Struct, frozen=True):
    """A player's purse, a player's stake in one match, or the house."""

    kind: AccountKind
    player: int | None = None
    match: str | None = None


HOUSE = Account("house")
"""The source of garnets and the destination of spent ones; the only account that may always be
negative."""

Balances = Mapping[Account, int]
"""The balance of each account; an account with a zero balance is left out."""


class Posting(Struct, frozen=True):
    """Moves garnets from the debited account to the credited one."""

    debit: Account
    credit: Account
    amount: int


class Unbalanced(Exception):
    """The books would be wrong: a bug, which must never be recorded."""


def purse(player: int) -> Account:
    """A player's garnets that are not at stake in a match."""
    return Account("player", player)


def stake(player: int, match: str) -> Account:
    """A player's stake in a match that is not settled yet."""
    return Account("match", player, match)


def post(balances: dict[Account, int], posting: Posting) -> None:
    """Applies a posting to these balances in place; the caller must own them."""
    for account, change in ((posting.debit, -posting.amount), (posting.credit, posting.amount)):
        balance = balances.pop(account, 0) + change
        if balance:
            balances[account] = balance


def check_posting(posting: Posting) -> None:
    """Raises Unbalanced for a posting of zero or a negative amount."""
    if posting.amount <= 0 or posting.debit == posting.credit:
        raise Unbalanced("a posting moves something from one account to another")


def check(balances: Balances, owing: Collection[Account] = ()) -> None:
    """Raises Unbalanced unless all accounts sum to zero and none but the house and those `owing` is
    negative. A purse owes what a correction took back after its player had spent it."""
    if sum(balances.values()) != 0:
        raise Unbalanced("the accounts do not sum to zero")
    check_covered(balances, balances, owing)


def check_covered(
    balances: Balances, accounts: Iterable[Account], owing: Collection[Account]
) -> None:
    """Raises Unbalanced if one of these accounts is negative that may not be."""
    if any(
        balances.get(account, 0) < 0 and account != HOUSE and account not in owing
        for account in accounts
    ):
        raise Unbalanced("an account other than the house is negative")
