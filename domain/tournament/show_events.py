"""What can happen in a round of an elimination show. The tags are the storage format."""

from domain.events import Instant, PublicEvent
from domain.tournament.episodes import ChosenBy


class ImmuneNamed(PublicEvent, frozen=True, tag="tournament.immune-named.1"):
    """The main match of a round of a show is over; no one can choose these players as an
    opponent."""

    stage: int
    round: int
    players: tuple[int, ...]


class CandidatesNamed(PublicEvent, frozen=True, tag="tournament.candidates-named.1"):
    """Two players meet in the death match, one chooses an opponent for it; without any there is
    none, unless a ruling names some after all."""

    stage: int
    round: int
    players: tuple[int, ...]


class ChoiceOpened(PublicEvent, frozen=True, tag="tournament.choice-opened.1"):
    """A candidate chooses an opponent before the instant `until`; later lots do."""

    stage: int
    round: int
    player: int
    until: Instant


class OpponentChosen(PublicEvent, frozen=True, tag="tournament.opponent-chosen.1"):
    """The candidate, or lots in their place, have chosen the player who meets them in the death
    match."""

    stage: int
    round: int
    player: int
    by: ChosenBy
    candidate: int


class PlayerEliminated(PublicEvent, frozen=True, tag="tournament.player-eliminated.1"):
    """A player has lost the death match of a round of a show, and has left the tournament."""

    stage: int
    round: int
    player: int


ShowEvent = ImmuneNamed | CandidatesNamed | ChoiceOpened | OpponentChosen | PlayerEliminated
