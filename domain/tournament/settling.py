"""How a match that is over counts in its tournament, and what a correction depends on in it."""

from msgspec.structs import replace

from domain.match.seat_holders import names_had
from domain.match.state import AnyGame, Match
from domain.rulings.tournament_decide import MatchFacts
from domain.tournament.commands import SettleMatch
from domain.tournament.stages import Named


def settlement_of(game: AnyGame, match: Match) -> SettleMatch | None:
    """The command that settles a match in its tournament; None if it is not over."""
    if not match.over:
        return None
    command = SettleMatch(match.id, match.result)
    if match.result is None:
        return command
    if match.rulings.result_ruled:
        # By a ruling no one earns anything: all keep what they have left (/docs/rulings#the-kinds).
        forfeit = match.rulings.forfeited
        return replace(command, balance=holdings_of(game, match), forfeit=forfeit)
    command = replace(command, named=named_by(game, match))
    if game.balance is not None and game.payout is not None:
        return replace(command, balance=game.balance(match.game), payout=game.payout(match.game))
    return command


def named_by(game: AnyGame, match: Match) -> Named | None:
    """The seats that the game names for a show; None if it names none."""
    if game.immune is None and game.candidates is None:
        return None
    return Named(
        None if game.immune is None else game.immune(match.game),
        None if game.candidates is None else game.candidates(match.game),
    )


def holdings_of(game: AnyGame, match: Match) -> tuple[int, ...] | None:
    """What each seat has left of what it brought; None in a game without garnets, and in a match
    that never began, where nothing was spent."""
    if game.balance is None or match.game is None:
        return None
    return game.balance(match.game)


def facts_of(game: AnyGame, match: Match) -> MatchFacts:
    """What a correction depends on in the record of a match."""
    rulings = match.rulings
    names = tuple(names_had(match))
    single = match.created.rulings == "single"
    return MatchFacts(names, single, holdings_of(game, match), rulings.past)
