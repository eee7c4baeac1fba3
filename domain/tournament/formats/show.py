"""Elimination show: all who are left play a main match, then two of them a death match, after which
one goes home (/docs/tournaments#an-elimination-show)."""

from collections.abc import Sequence

from msgspec import UNSET

from domain.game import Refused
from domain.tournament.format import Format
from domain.tournament.history import Draft, History, Pairing, byes_beforehand, present
from domain.tournament.stages import MAIN, Groups, Stage
from domain.tournament.tiebreaks import Ranking, Reckoning


def _check(stage: Stage, entrants: int) -> None:
    if entrants <= stage.until:
        raise Refused("too_few_players", f"the show is over with {stage.until} players")


def _draft(history: History) -> Draft:
    """One table with everyone who is here; seats by lots, or as the groups are given."""
    here = [entrant.player for entrant in present(history)]
    if len(here) <= history.stage.until:
        raise Refused("no_pairing", f"the show is over with {history.stage.until} players")
    if history.stage.rounds is not None and history.next_round > history.stage.rounds:
        raise Refused("no_pairing", f"the stage has {history.stage.rounds} rounds")
    groups = None if history.show is UNSET else history.show.groups
    seats = _by_lots(history, here) if groups is None else _as_given(groups, here)
    lots = ("lots",) if groups is None else ()
    table = Pairing(MAIN, tuple(seats), (*lots, "tables"))
    return Draft("show", "1", (table,), byes_beforehand(history))


def _by_lots(history: History, here: Sequence[int]) -> Sequence[int]:
    """The players who are here, in the order of lots of this round; those who came after they were
    drawn sit behind them."""
    if history.seat_lots is UNSET:
        raise Refused("lots_not_drawn")
    late = [player for player in here if player not in history.seat_lots]
    return [*(player for player in history.seat_lots if player in here), *late]


def _as_given(groups: Groups, here: Sequence[int]) -> Sequence[int]:
    """The groups, one behind the other. Raises Refused unless everyone is in one of them."""
    seats = [player for group in groups for player in group]
    for player in seats:
        if player not in here:
            raise Refused("player_not_active", f"player {player} does not take part")
        if seats.count(player) > 1:
            raise Refused("paired_twice", f"player {player} is in two groups")
    for player in here:
        if player not in seats:
            raise Refused("not_paired", f"player {player} is in no group")
    return seats


def _places(history: History, reckoning: Reckoning) -> Ranking:
    """By the round of elimination: the last round that a player who has left took part in."""
    left_in = dict.fromkeys(history.players, 0)
    for number, past_round in enumerate(history.rounds, 1):
        left_in |= {player: number for pairing in past_round.pairings for player in pairing.players}
    still_in = len(history.rounds) + 1
    out = {entrant.player for entrant in history.entrants if entrant.presence == "out"}
    return reckoning.order(
        history.players, lambda player: left_in[player] if player in out else still_in
    )


FORMAT = Format(
    "show", range(2, 65), (), _draft, _check, places=_places, byes_asked=False, episodes=True
)
