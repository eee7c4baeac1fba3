"""How a match that is over counts in its tournament."""

from msgspec.structs import replace

from domain.match_state import AnyGame, Match
from domain.tournament import SettleMatch


def settlement_of(game: AnyGame, match: Match) -> SettleMatch | None:
    """The command that settles a match in its tournament; None if it is not over."""
    if match.status not in ("ended", "void"):
        return None
    command = SettleMatch(match.id, match.result)
    if match.rulings.result_ruled and game.balance is not None:
        # By a ruling nobody earns anything: all keep what they have left (RULINGS §3).
        return replace(command, balance=game.balance(match.game))
    if match.result is not None and game.balance is not None and game.payout is not None:
        return replace(command, balance=game.balance(match.game), payout=game.payout(match.game))
    return command
