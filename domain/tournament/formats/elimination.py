"""Elimination: a bracket; who has lost once, or twice, is out."""

from itertools import chain

from domain.game import Refused
from domain.tournament.bracket import Bracket, Progress, SlotOutcome, bracket_of, places_taken
from domain.tournament.format import Format, goes_on, winner_of
from domain.tournament.history import Bye, Draft, History, Pairing, PastRound, present, seeded
from domain.tournament.stages import Stage
from domain.tournament.tables import in_seats
from domain.tournament.tiebreaks import Ranking, Reckoning


def _check(stage: Stage, entrants: int) -> None:
    if entrants < 2:
        raise Refused("too_few_players", "a bracket needs two players")


def bracket_at(history: History) -> Bracket:
    """The bracket of a stage."""
    stage = history.stage
    return bracket_of(len(history.entrants), stage.losses, third_place=stage.third_place)


def progress_of(history: History) -> Progress:
    """The bracket as the published rounds have decided it."""
    seeds = [entrant.player for entrant in seeded(history)]
    progress = Progress(bracket_at(history), seeds)
    for past_round in history.rounds:
        _take(history.stage, progress, past_round)
    return progress


def _take(stage: Stage, progress: Progress, past_round: PastRound) -> None:
    """Decides what a round has decided: by its pairings, and by the absence of an opponent, or of
    both. Who was moved in its draft goes on from there."""
    pairings = {frozenset(pairing.players): pairing for pairing in past_round.pairings}
    free = {bye.player for bye in past_round.byes}
    here = free.union(*pairings)
    progress.pass_over(here)
    ready = [players for _, players in progress.ready()]
    instead = places_taken(ready, [pairing.players for pairing in past_round.pairings], free)
    if instead:
        progress.move(instead)
    for slot, players in progress.ready():
        pairing = pairings.get(frozenset(players))
        remaining = [player for player in players if player in here]
        if pairing is not None:
            is_decided, winner = winner_of(stage.best_of, pairing)
            if is_decided:
                progress.decide(slot, winner)
        elif len(remaining) == 1 and remaining[0] in free:
            progress.decide(slot, remaining[0])


def _ready(history: History) -> list[tuple[int, int]]:
    """Who meets in the next round, if both are here."""
    progress = progress_of(history)
    progress.pass_over({entrant.player for entrant in present(history)})
    return [players for _, players in progress.ready()]


def _must_play(history: History) -> frozenset[int]:
    """Those who have lost need neither a table nor a bye, nor do those who wait for a winner."""
    here = frozenset(entrant.player for entrant in present(history))
    return here.intersection(chain(*_ready(history))) if history.rounds else here


def _draft(history: History) -> Draft:
    """The slots whose players are known. Who meets one that has left goes on without a match; in
    the first round the best seeds may have no opponent."""
    ready = _ready(history)
    if not ready:
        raise Refused("no_pairing", "the bracket is decided")
    pairings: list[Pairing] = []
    here = {entrant.player for entrant in present(history)}
    waiting = here.difference(*ready)
    byes = [
        Bye(player, "bye", ("bracket",))
        for player in history.players
        if player in waiting and not history.rounds
    ]
    for players in ready:
        remaining = [player for player in players if player in here]
        if len(remaining) == 2:
            table = len(pairings) + 1
            pairings.append(Pairing(table, in_seats(history, players), ("bracket",)))
        else:
            byes += [Bye(player, "bye", ("opponent_withdrawn",)) for player in remaining]
    return Draft("bracket", "1", tuple(pairings), tuple(byes))


def _places(history: History, reckoning: Reckoning) -> Ranking:
    """By the round of the last loss; who is still in stands before all who are out. Where only
    matches are left whose players have left, these are passed over."""
    progress = progress_of(history)
    progress.pass_over({entrant.player for entrant in present(history)})
    if progress.ready():
        progress = progress_of(history)
    still_in = 4 * len(progress.bracket) + 4
    ranks: dict[int, int] = {}
    for slot in progress.bracket:
        winner, loser, out = progress.outcomes.get(slot.number, SlotOutcome(None, None))
        ranks |= {player: progress.rank_of_losers(slot) for player in out}
        if loser is not None and slot.loser_rank is not None:
            ranks[loser] = slot.loser_rank
        if winner is not None and slot.winner_rank is not None:
            ranks[winner] = slot.winner_rank
    return reckoning.order(history.players, lambda player: ranks.get(player, still_in))


FORMAT = Format(
    "elimination",
    range(2, 3),
    (),
    _draft,
    _check,
    places=_places,
    goes_on=goes_on,
    byes_asked=False,
    left=_must_play,
)
