"""A pairing of two that is decided by the best of several matches."""

from msgspec.structs import replace

from domain.tournament.format import Next
from domain.tournament.history import Pairing
from domain.tournament.stages import BestOf, Stage


def winner_of(best_of: BestOf, pairing: Pairing) -> tuple[bool, int | None]:
    """Whether a pairing is decided, and for whom: the first to win more than half of `best_of`, or
    whom lots name; no one if all have lost."""
    if pairing.lots is not None:
        return True, pairing.lots
    wins = [0] * len(pairing.players)
    for match in pairing.deciding:
        if match.result is None or match.result.shared:
            continue
        if not match.result.winners:
            return True, None
        wins[match.result.winners[0]] += 1
    best = max(wins)
    if best <= best_of // 2:
        return False, None
    return True, pairing.players[wins.index(best)]


def goes_on(stage: Stage, pairing: Pairing) -> Next:
    """Another match while none has won enough; lots after `replays` matches that were shared."""
    if any(match.open for match in pairing.matches) or winner_of(stage.best_of, pairing)[0]:
        return None
    shared = sum(match.result is not None and match.result.shared for match in pairing.matches)
    return "lots" if shared > stage.replays else "match"


def death_goes_on(stage: Stage, best_of: BestOf, pairing: Pairing) -> Next:
    """The same for the death match of a show, of which one goes home: lots decide if both have
    lost."""
    if winner_of(best_of, pairing) == (True, None):
        return "lots"
    return goes_on(replace(stage, best_of=best_of), pairing)
