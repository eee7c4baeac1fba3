"""A stage of a tournament as its organiser sets it (/docs/tournaments), and a round of an
elimination show: its games, who is safe, and who goes home."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from domain.events import Instant
from domain.game import RecordRule, Result
from domain.match.events import MOST_PROTEST_HOURS, Chance, ClockRule
from domain.rulings.kinds import RulingPeople

MOST_STAGES = 64
MOST_ROUNDS = 64
MOST_CYCLES = 8
MOST_GROUPS = 64
MOST_MINUTES = 366 * 24 * 60

Tiebreak = Literal[
    "head_to_head",
    "buchholz",
    "buchholz_cut_1",
    "median_buchholz",
    "sonneborn_berger",
    "progressive",
    "wins",
    "opponents_win_rate",
    "score_difference",
    "score_sum",
    "lots",
]
FirstSeat = Literal["balanced", "lots", "higher_seed"]
Seeding = Literal["rating", "seed", "lots", "entry"]
Points = Annotated[int, Meta(ge=0, le=1000)]
Count = Annotated[int, Meta(ge=1)]
BestOf = Literal[1, 3, 5, 7, 9]
Inherit = Literal["winner", "house", "purse"]


class PlacesOf(Struct, frozen=True, forbid_unknown_fields=True):
    """The entrants of a stage are those who took the places from the first to the last of these in
    an earlier one."""

    stage: Annotated[int, Meta(ge=1, le=MOST_STAGES)]
    places: tuple[Count, Count]


class StageMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """How the matches of a stage are created. `options` are one set for all rounds, or one a
    round; `rulings` and `protest_hours` as for a match. A show has no `game` here: each round
    names its own."""

    game: str | None = None
    options: dict[str, Any] | tuple[dict[str, Any], ...] = {}
    chance: Chance = "server"
    clock: ClockRule = "none"
    record: RecordRule | None = None
    rulings: RulingPeople = "two"
    protest_hours: Annotated[int, Meta(ge=0, le=MOST_PROTEST_HOURS)] = 0


class StagePoints(Struct, frozen=True, forbid_unknown_fields=True):
    """Points for a round: by the result (`win`, `share`, `loss`), or for each place at the table
    where `places` are given; for the `bye` of a player who cannot be paired, for one that was asked
    for (`bye_asked`), and for an absence (`absent`)."""

    win: Points = 2
    share: Points = 1
    loss: Points = 0
    bye: Points = 2
    bye_asked: Points = 1
    absent: Points = 0
    places: Annotated[tuple[Points, ...], Meta(min_length=1, max_length=64)] | None = None


class RoundRule(Struct, frozen=True, forbid_unknown_fields=True):
    """How rounds start, end and follow one another. Staff `start` the matches, or they start when
    they are created, or when all of their players are ready. A round `ends` after this many hours.
    Staff publish the `next` one, or it is drawn and published this many minutes after the close of
    the one before."""

    start: Literal["by_hand", "at_once", "ready"] = "by_hand"
    ends: Annotated[float, Meta(gt=0, le=8760)] | None = None
    next: Literal["by_hand"] | Annotated[int, Meta(ge=0, le=MOST_MINUTES)] = "by_hand"


class Stage(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a stage. What is left out has the value that stands here."""

    name: Annotated[str, Meta(min_length=1, max_length=80)]
    format: Annotated[str, Meta(description="The id of a format, such as `swiss`")]
    match: StageMatch
    entrants: Annotated[
        Literal["all"] | tuple[int, ...] | PlacesOf,
        Meta(description="Who plays: all, these players, or those with places in a stage before"),
    ] = "all"
    seats: Annotated[int, Meta(ge=2, le=64, description="The seats of a table")] = 2
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] | None,
        Meta(description="How many rounds; null for as many as the format has"),
    ] = None
    groups: Annotated[
        int, Meta(ge=1, le=MOST_GROUPS, description="In how many groups a round robin is played")
    ] = 1
    cycles: Annotated[
        int, Meta(ge=1, le=MOST_CYCLES, description="How often all meet in a round robin")
    ] = 1
    advance: Annotated[
        int, Meta(ge=1, le=63, description="How many of each table go on in a shootout")
    ] = 1
    best_of: Annotated[
        BestOf, Meta(description="Out of how many matches a pairing of an elimination is decided")
    ] = 1
    losses: Annotated[
        Literal[1, 2], Meta(description="After how many losses a player is out of an elimination")
    ] = 1
    third_place: Annotated[
        bool, Meta(description="Whether the losers before the final meet for the third place")
    ] = False
    replays: Annotated[
        int,
        Meta(ge=0, le=9, description="How many shared matches of an elimination are played again"),
    ] = 2
    points: StagePoints = StagePoints()
    tiebreaks: Annotated[
        tuple[Tiebreak, ...] | None,
        Meta(description="What separates players of equal points; null for those of the format"),
    ] = None
    first_seat: Annotated[FirstSeat, Meta(description="Who has the first seat of a match")] = (
        "balanced"
    )
    seeding: Annotated[Seeding, Meta(description="What orders the players at the start")] = "rating"
    byes_asked: Annotated[
        int,
        Meta(ge=0, le=MOST_ROUNDS, description="For how many rounds a player may ask for a bye"),
    ] = 1
    moderators: Annotated[
        Literal["all"] | tuple[int, ...],
        Meta(description="The moderators of the tournament to whom every match is given"),
    ] = ()
    absent: Annotated[
        Literal["staff", "forfeit"],
        Meta(
            description="Who rules on those who have done nothing by the end of a round (its "
            "`ends`): `staff`, or the service by itself, a `forfeit`"
        ),
    ] = "staff"
    round: RoundRule = RoundRule()
    until: Annotated[
        int, Meta(ge=2, le=63, description="With how many players left a show is over")
    ] = 2
    inherit: Annotated[
        Inherit,
        Meta(
            description="Whose the garnets are of a player who is eliminated from a show: those of "
            "the winner of the death match, of the house, or the player's own as before"
        ),
    ] = "winner"
    choice_hours: Annotated[
        float,
        Meta(
            ge=0,
            le=8760,
            description="For how many hours a candidate of a show chooses an opponent, before lots "
            "do; with 0 lots do at once",
        ),
    ] = 24.0


Seats = tuple[int, ...]
Groups = tuple[tuple[int, ...], ...]
ChosenBy = Literal["player", "lots"]

MAIN, DEATH = 1, 2
"""The tables of an episode: that of the main match is published with the round."""

TWO = 2
"""Players of a death match."""


class MainMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """The main match of a round of a show, which all who are left play."""

    game: Annotated[str, Meta(description="The id of a game")]
    options: Annotated[dict[str, Any], Meta(description="The game's own options")] = {}


class DeathMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """The match after which one of two goes home, or as many as `best_of` takes. The second seat
    of the first is the opponent's who was chosen."""

    game: Annotated[str, Meta(description="The id of a game for two")]
    options: Annotated[dict[str, Any], Meta(description="The game's own options")] = {}
    best_of: Annotated[BestOf, Meta(description="Out of how many matches it is decided")] = 1


class EpisodePlan(Struct, frozen=True):
    """What is played in a round of a show. The seats of the main match go to the players of the
    first of the `groups`, then to those of the second, and so on; without groups by lots."""

    main: MainMatch
    death: DeathMatch
    groups: Groups | None = None


class Named(Struct, frozen=True):
    """The seats that a game has named at the end of a match; None where it names none."""

    immune: Seats | None = None
    candidates: Seats | None = None


class Episode(Struct, frozen=True):
    """A round of a show as it stands. `counted` is the result of the main match by which `immune`
    and `candidates` were named, both None until then. A sole candidate has until `choice_until` to
    choose the `opponent`."""

    plan: EpisodePlan
    counted: Result | None = None
    immune: tuple[int, ...] | None = None
    candidates: tuple[int, ...] | None = None
    choice_until: Instant | None = None
    opponent: int | None = None
    chosen_by: ChosenBy | None = None
    eliminated: int | None = None

    @property
    def chooser(self) -> int | None:
        """The candidate who chooses an opponent, if there is but one."""
        return self.candidates[0] if self.candidates and len(self.candidates) == 1 else None
