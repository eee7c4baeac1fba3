"""What can happen to the stages of a tournament, and in a round of an elimination show. The tags
are the storage format."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from domain.chance.draws import Item
from domain.events import Instant, PublicEvent
from domain.tournament.history import Because, Bye
from domain.tournament.stages import ChosenBy, EpisodePlan, Stage


class RoundEvent(PublicEvent, frozen=True):
    """About a round of a stage."""

    stage: int
    round: int


class ImmuneNamed(RoundEvent, frozen=True, tag="tournament.immune-named.1"):
    """The main match of a round of a show is over; no one can choose these players as an
    opponent."""

    players: tuple[int, ...]


class CandidatesNamed(RoundEvent, frozen=True, tag="tournament.candidates-named.1"):
    """Two players meet in the death match, one chooses an opponent for it; without any there is
    none, unless a ruling names some after all."""

    players: tuple[int, ...]


class ChoiceOpened(RoundEvent, frozen=True, tag="tournament.choice-opened.1"):
    """A candidate chooses an opponent before the instant `until`; later lots do."""

    player: int
    until: Instant


class OpponentChosen(RoundEvent, frozen=True, tag="tournament.opponent-chosen.1"):
    """The candidate, or lots in their place, have chosen the player who meets them in the death
    match."""

    player: int
    by: ChosenBy
    candidate: int


class PlayerEliminated(RoundEvent, frozen=True, tag="tournament.player-eliminated.1"):
    """A player has lost the death match of a round of a show, and has left the tournament."""

    player: int


ShowEvent = ImmuneNamed | CandidatesNamed | ChoiceOpened | OpponentChosen | PlayerEliminated


PlayerState = Literal["entered", "checked_in", "withdrawn", "disqualified", "eliminated"]


class StageAdded(
    PublicEvent,
    Stage,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=False,
    tag="tournament.stage-added.1",
):
    """A stage with its settings; stages are numbered from 1."""

    stage: int


class StageChanged(
    PublicEvent,
    Stage,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=False,
    tag="tournament.stage-changed.1",
):
    """The settings of a stage from here on; none of its rounds has been published."""

    stage: int


class StageOpened(PublicEvent, frozen=True, tag="tournament.stage-opened.1"):
    """A stage begins with these players; its order of entry is theirs."""

    stage: int
    entrants: tuple[int, ...]


class Meeting(Struct, frozen=True):
    """The players who meet at a table of a published round, in the order of their seats, and
    why."""

    table: int
    players: tuple[int, ...]
    because: tuple[Because, ...]


class ByHand(Struct, frozen=True):
    """Who seated a round by hand, and why."""

    by: str | None
    reason: str


class RoundPublished(RoundEvent, frozen=True, tag="tournament.round-published.1"):
    """Who meets whom in a round. It was computed by a version of a `method` from what has the hash
    `inputs`; one that was seated by hand has neither. Its matches follow one by one. A round of a
    `show` says what is played in it."""

    method: str
    version: str
    inputs: str
    by_hand: ByHand | None
    pairings: tuple[Meeting, ...]
    byes: tuple[Bye, ...]
    starts: Instant
    ends: Instant | None
    show: EpisodePlan | UnsetType = UNSET


class RoundMatchCreated(RoundEvent, frozen=True, tag="tournament.round-match-created.1"):
    """The match just added is one of a table of a round."""

    table: int
    match: str


class RoundWithdrawn(RoundEvent, frozen=True, tag="tournament.round-withdrawn.1"):
    """A round counts for nothing: none of its matches had started. They are void."""

    reason: str


class RoundExtended(RoundEvent, frozen=True, tag="tournament.round-extended.1"):
    """A round ends later than it did: all of it, or these `tables`."""

    ends: Instant
    reason: str
    tables: tuple[int, ...] | UnsetType = UNSET


class EndsMoved(
    PublicEvent, frozen=True, tag="tournament.ends-moved.1", rename={"begun": "from", "ended": "to"}
):
    """The service was away from `begun` until `ended`, stored as `from` and `to`. What had an end
    then ends later by that: open rounds and their tables, a check-in, the choice of an opponent."""

    begun: Instant
    ended: Instant


class RoundClosed(RoundEvent, frozen=True, tag="tournament.round-closed.1"):
    """All results of a round are final."""


class StageClosed(PublicEvent, frozen=True, tag="tournament.stage-closed.1"):
    """A stage is over, with its players in order of place."""

    stage: int
    places: tuple[int, ...]


class TournamentClosed(PublicEvent, frozen=True, tag="tournament.closed.1"):
    """The tournament is over; the champions took the first place of its last stage."""

    champions: tuple[int, ...]


class PlayerStatus(PublicEvent, frozen=True, tag="tournament.player-status.1"):
    """What a player is in the tournament from here on, and the reason that was given, if any. What
    an `annulled` player has done in the stages counts for no one."""

    player: int
    status: PlayerState
    because: str | None
    annulled: bool | UnsetType = UNSET


class PenaltyGiven(PublicEvent, frozen=True, tag="tournament.penalty-given.1"):
    """A ruling takes points from a player in a stage, or gives them back if they are negative.
    Without either it takes garnets: how many is for the player and for staff."""

    player: int
    stage: int | None
    points: int | None


class PlayersSeeded(PublicEvent, frozen=True, tag="tournament.players-seeded.1"):
    """These players have the seeds 1, 2, … in this order, all others have none."""

    order: tuple[int, ...]


class CheckInOpened(PublicEvent, frozen=True, tag="tournament.check-in-opened.1"):
    """Until `closes` players say that they are there; those who have done so before are asked
    again."""

    closes: Instant


class CheckInClosed(PublicEvent, frozen=True, tag="tournament.check-in-closed.1"):
    """From here on only those are paired who have said that they are there; its record has the
    instant at which the check-in closed."""


class PlayerReady(PublicEvent, frozen=True, tag="tournament.player-ready.1"):
    """A player is ready to begin a match; it starts when all of its players are."""

    match: str
    player: int


class ByeAsked(PublicEvent, frozen=True, tag="tournament.bye-asked.1"):
    """A player sits out a round that is not published yet."""

    player: int
    stage: int
    round: int


class LotsDrawn(PublicEvent, frozen=True, tag="tournament.lots-drawn.1"):
    """The outcome of a draw of lots for a `purpose`, under the seed of its epoch, which is revealed
    here; the commitment of the next epoch follows."""

    epoch: int
    id: str
    purpose: str
    seed: bytes
    outcome: tuple[Item, ...]


class LotsCommitted(PublicEvent, frozen=True, tag="tournament.lots-committed.1"):
    """The commitment to the seed of the next draw of lots, and to all that is fixed with it
    (/docs/evidence-format#arbiter-rng1)."""

    epoch: int
    scheme: str
    commit: bytes
    rules_hash: bytes
    roster_hash: bytes


class LotsSeedGiven(PublicEvent, frozen=True, tag="tournament.lots-seed-given.1"):
    """A player adds to the next draw of lots; the last seed before it counts."""

    player: int
    seed: str


StageEvent = (
    StageAdded
    | StageChanged
    | StageOpened
    | RoundPublished
    | RoundMatchCreated
    | RoundWithdrawn
    | RoundExtended
    | EndsMoved
    | RoundClosed
    | StageClosed
    | TournamentClosed
    | PlayerStatus
    | PenaltyGiven
    | PlayersSeeded
    | CheckInOpened
    | CheckInClosed
    | PlayerReady
    | ByeAsked
    | LotsCommitted
    | LotsSeedGiven
    | LotsDrawn
    | ShowEvent
)
