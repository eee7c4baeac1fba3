"""What can be asked of the stages of a tournament, and the codes by which it is refused."""

from msgspec import UNSET, Struct, UnsetType

from domain.events import Instant
from domain.match.deadlines import Absence
from domain.tournament.history import Draft
from domain.tournament.stage_events import ByHand, LotsCommitted
from domain.tournament.stages import MOST_STAGES, EpisodePlan, Stage

LONGEST_LOTS_SEED = 64

CODES = {
    "no_such_stage": "The tournament has no stage of this number.",
    "no_such_round": "The stage has no round of this number.",
    "too_many_stages": f"A tournament has at most {MOST_STAGES} stages.",
    "unknown_format": "There is no format of this name.",
    "settings_do_not_fit": "The settings of the stage do not fit its format.",
    "scores_do_not_rank": "Points for places need a game whose scores can be compared.",
    "stage_begun": "A round of the stage has been published: its settings cannot change.",
    "stage_closed": "The stage is closed.",
    "stage_not_closed": "The stage from which the players come is not closed yet.",
    "tournament_closed": "The tournament is closed.",
    "too_few_players": "There are too few players for this format.",
    "too_many_rounds": "The players cannot play so many rounds.",
    "no_pairing": "No pairing satisfies the rules of the format.",
    "round_open": "A round of the stage is not closed yet.",
    "round_closed": "The round is closed.",
    "round_begun": "A match of the round has started.",
    "no_end": "The round has no end that could be later.",
    "no_such_table": "The round has no table of this number.",
    "not_absent": "Others have done nothing in the match, or all have done something.",
    "round_withdrawn": "The round has been withdrawn.",
    "lots_not_drawn": "Lots decide here, and have not been drawn yet.",
    "lots_drawn": "These lots have been drawn.",
    "paired_twice": "A player is named twice.",
    "player_not_active": "A player cannot be paired in this round.",
    "not_paired": "A player has neither a table nor a bye.",
    "wrong_table_size": "A table has too few or too many players.",
    "results_not_final": "A result is not final yet.",
    "already_withdrawn": "The player has left the tournament.",
    "not_withdrawn": "The player has not left the tournament of their own will.",
    "no_check_in": "No check-in has been opened.",
    "not_started_by_players": "The match is not one that its players start.",
    "too_many_byes": "The player has asked for as many byes as the stage allows.",
    "round_published": "The round has been published.",
    "not_candidate": "Only the one candidate of this round chooses an opponent.",
    "choice_over": "The opponent is known, or the time to choose one is over.",
    "immune": "The player is immune in this round.",
    "eliminated": "The player has been eliminated.",
    "not_in_stage": "The player does not take part in the stage.",
    "penalty_not_allowed": "A penalty takes something, and does not give back more points than "
    "penalties have taken in the stage.",
    "already_disqualified": "The player has been disqualified.",
    "not_disqualified": "The player has not been disqualified.",
    "stale": "Another round would be drawn now.",
}
"""A sentence for every code by which a stage refuses."""


class AddStage(Struct, frozen=True):
    """The next stage."""

    settings: Stage


class ChangeStage(Struct, frozen=True):
    """Other settings for a stage without rounds."""

    stage: int
    settings: Stage


class PublishRound(Struct, frozen=True):
    """A round as it was drafted from what has the hash `inputs`, or as it was seated by hand. It is
    published at an instant; with `overlap` even while the one before is not closed. A round of a
    `show` says what is played in it."""

    stage: int
    draft: Draft
    inputs: str
    at: Instant
    by_hand: ByHand | None = None
    overlap: bool = False
    show: EpisodePlan | UnsetType = UNSET


class _OfRound(Struct, frozen=True):
    stage: int
    round: int


class WithdrawRound(_OfRound, frozen=True):
    """A round shall count for nothing: none of its matches has started. They are void."""

    reason: str


class ExtendRound(_OfRound, frozen=True):
    """At the instant `at` a round, or these `tables` of it, shall end later."""

    ends: Instant
    tables: tuple[int, ...] | UnsetType
    reason: str
    at: Instant


class MoveEnds(Struct, frozen=True):
    """The service was away until the instant `at`."""

    absence: Absence
    at: Instant


class OpenChoice(_OfRound, frozen=True):
    """At the instant `at` the candidate of a round of a show begins to choose an opponent."""

    at: Instant


class ChooseOpponent(_OfRound, frozen=True):
    """The player `by` names their opponent in the death match of a round, at an instant."""

    player: int
    by: int
    at: Instant


class CloseStage(Struct, frozen=True):
    """The places of a stage are fixed."""

    stage: int


class CloseTournament(Struct, frozen=True):
    """The tournament is over."""


class Withdraw(Struct, frozen=True):
    """A player leaves the tournament, from the next round on."""

    player: int
    reason: str


class Return(Struct, frozen=True):
    """A player who has left is back, from the next round on."""

    player: int


class OpenCheckIn(Struct, frozen=True):
    """At the instant `at` a check-in opens that closes at another one."""

    closes: Instant
    at: Instant


class CheckInPlayer(Struct, frozen=True):
    """A player checks in."""

    player: int


class SayReady(Struct, frozen=True):
    """A player is ready to begin a match of a round."""

    match: str
    player: int


class AskBye(Struct, frozen=True):
    """A player asks for a bye in a round that is not published yet; without a number of a stage, in
    the one that is open."""

    player: int
    stage: int | None
    round: int


class GiveLotsSeed(Struct, frozen=True):
    """A player adds to the next draw of lots."""

    player: int
    seed: str


class DrawLots(Struct, frozen=True):
    """Draws lots for a purpose, at an instant, under the seed that is committed to; `following`
    commits to the seed of the next draw."""

    tournament: str
    purpose: str
    seed: bytes
    following: LotsCommitted
    at: Instant


StageCommand = (
    AddStage
    | ChangeStage
    | PublishRound
    | WithdrawRound
    | ExtendRound
    | MoveEnds
    | OpenChoice
    | ChooseOpponent
    | CloseStage
    | CloseTournament
    | Withdraw
    | Return
    | OpenCheckIn
    | CheckInPlayer
    | SayReady
    | AskBye
    | GiveLotsSeed
    | DrawLots
)
