"""Bodies of rulings: one Struct a kind, with what all kinds have."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.game import Result, Whole
from domain.names import LONGEST_NAME
from domain.requirements import MOST_SEATS
from domain.rulings.kinds import (
    YEAR_SECONDS,
    Because,
    Changes,
    Correction,
    Extend,
    Reapply,
    Rewind,
    RuleResult,
    Seq,
    Severity,
    Text,
    To,
)
from domain.rulings.kinds import AnyRuling as Ordered
from domain.tournament.commands import MOST_PLAYERS
from domain.tournament.ledger import MOST_GARNETS
from projections.fields import Next, check_year, microseconds
from projections.rulings.match_rulings import RulingShown
from projections.rulings.tournament_rulings import TournamentRulingShown
from service.http.requests.dependencies import Number, SeatNumber

KINDS: dict[Any, Any] = {kind.__struct_config__.tag: kind for kind in get_args(Ordered)}
"""What is ordered, by the name of the kind."""

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,64}(?!\n)$")]
MatchName = Annotated[str, Meta(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!\n)$")]
Previewed = Annotated[bool, Meta(description="With it nothing changes: the answer says what would")]
Seats = Annotated[tuple[SeatNumber, ...], Meta(max_length=MOST_SEATS)]


class RulingBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A ruling on a match or on a tournament."""

    reason: Annotated[Text, Meta(description="Why, for people")]
    rule: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="A rule of the game or of the event"),
    ] = None
    appeals: Annotated[
        Id | None, Meta(description="The id of the ruling about which this one decides")
    ] = None
    case: Annotated[Id | None, Meta(description="The id of the case that it closes")] = None
    preview: Previewed = False

    def ruling(self) -> Ordered:
        """What it orders."""
        kind = KINDS[self.__struct_config__.tag]
        ordered: Ordered = kind(**{name: getattr(self, name) for name in kind.__struct_fields__})
        return ordered


class NewRuling(RulingBody, frozen=True, kw_only=True):
    """A ruling."""

    ask_seats: Annotated[
        bool,
        Meta(
            description="If it needs a second person: whether every seat is asked, whose consent "
            "will do instead; always so of what a seat asks for"
        ),
    ] = False


class NewPause(NewRuling, frozen=True, kw_only=True, tag="pause"):
    """The match stands still; the time left is kept."""


class NewResume(NewRuling, frozen=True, kw_only=True, tag="resume"):
    """The match goes on, with the time that was left."""


class NewExtension(NewRuling, frozen=True, kw_only=True, tag="extend"):
    """More time: either a later `deadline`, or `seconds` that are added to the one in force, or to
    the time left while the match is paused."""

    exactly_one: ClassVar = ("deadline", "seconds")
    deadline: Annotated[datetime, Meta(tz=True)] | None = None
    seconds: Annotated[int, Meta(ge=1, le=YEAR_SECONDS)] | None = None

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not None for name in self.exactly_one) != 1:
            raise ValueError("an extension has either a deadline or seconds")
        if self.deadline is not None:
            check_year(self.deadline)

    def ruling(self) -> Ordered:
        instant = None if self.deadline is None else microseconds(self.deadline)
        return Extend(instant, self.seconds)


class NewNote(NewRuling, frozen=True, kw_only=True, tag="note"):
    """A text for one audience."""

    to: To
    text: Text
    severity: Severity


class RuledResult(Struct, frozen=True, forbid_unknown_fields=True):
    """A result: a score for each seat; each winner and loser once. A shared one has no losers."""

    winners: Seats
    losers: Seats
    shared: bool
    scores: Annotated[
        tuple[Whole, ...], Meta(max_length=MOST_SEATS, description="The score of each seat")
    ]


def result_of(ruled_result: RuledResult) -> Result:
    """A result as it was sent."""
    return Result(
        ruled_result.winners, ruled_result.losers, ruled_result.shared, ruled_result.scores
    )


class NewResult(NewRuling, frozen=True, kw_only=True, tag="result"):
    """The match ends with a result that its rules did not give."""

    result: RuledResult
    because: Because

    def ruling(self) -> Ordered:
        return RuleResult(result_of(self.result), self.because)


class NewVoid(NewRuling, frozen=True, kw_only=True, tag="void"):
    """The match counts for nothing; `replaced_by` is the id of the match played instead."""

    replaced_by: MatchName | None = None


class NewRewind(NewRuling, frozen=True, kw_only=True, tag="rewind"):
    """The match goes on before the public event `before`, which is its `seq` in the moderators'
    view, or `before_public`, its number in the public's count: one of the two; all from there on is
    undone. `changes` says what is different there: a draw by hand, an action that is struck, one
    that counts after all. With `reapply` later inputs are judged again for as long as they are
    legal. In an open sealed phase actions are struck and admitted without either: nothing else is
    undone then, and no one else sees it."""

    before: Seq | None = None
    before_public: Seq | None = None
    changes: Changes = ()
    reapply: Reapply = "none"

    def __post_init__(self) -> None:
        if self.before is not None and self.before_public is not None:
            raise ValueError("an event is named by `before` or by `before_public`, not by both")
        Rewind(self.before or self.before_public, self.changes, self.reapply)

    def looked_up(self, public: Sequence[int]) -> "NewRewind":
        """The same by `before`; `public` are the positions of the public's events."""
        number = self.before_public
        if number is None:
            return self
        return replace(self, before=public[number - 1], before_public=None)

    def numbers(self) -> Iterator[tuple[str, int]]:
        """The events that it names by the moderators' numbers, each with its JSON pointer."""
        if self.before is not None:
            yield "/before", self.before
        for index, change in enumerate(self.changes):
            for name, number in (("strike", change.strike), ("admit", change.admit)):
                if isinstance(number, int):
                    yield f"/changes/{index}/{name}", number


class NewReplacement(NewRuling, frozen=True, kw_only=True, tag="replace_seat"):
    """Another person, `name`, takes over the seat: no one who moderates the match or has another
    seat. In a tournament an organiser may say in `has_looked_reason` why they do although they have
    looked at what is hidden from another of the players; that is recorded if they have."""

    seat: SeatNumber
    name: Annotated[str, Meta(description=f"1 to {LONGEST_NAME} characters")]
    has_looked_reason: Text | None = None


class NewConfirmation(NewRuling, frozen=True, kw_only=True, tag="confirm"):
    """The provisional result is final before its protest window ends. Only an organiser rules
    it."""


AnyRuling = (
    NewPause
    | NewResume
    | NewExtension
    | NewNote
    | NewResult
    | NewVoid
    | NewRewind
    | NewReplacement
    | NewConfirmation
)


class Seconding(Struct, frozen=True, forbid_unknown_fields=True):
    """Carries out a pending ruling. `has_looked_reason` is for a seat that someone takes over, as
    for the ruling itself."""

    preview: Previewed = False
    has_looked_reason: Text | None = None


class NewTournamentRuling(RulingBody, frozen=True, kw_only=True):
    """A ruling on a tournament."""


class NewCorrection(NewTournamentRuling, frozen=True, kw_only=True, tag="correct"):
    """From now on the match counts with this `result`; with null it does not count, and what was
    brought goes back."""

    match: MatchName
    result: RuledResult | None

    def ruling(self) -> Ordered:
        return Correction(self.match, None if self.result is None else result_of(self.result))


class NewPenalty(NewTournamentRuling, frozen=True, kw_only=True, tag="penalty"):
    """A player loses `points` in a `stage`, the open one by default, or `garnets` from their purse:
    one of the two. A negative number of points gives back what earlier penalties have taken. How
    many garnets it takes is for the player and for organisers; all else is public."""

    exactly_one: ClassVar = ("points", "garnets")
    player: Number
    stage: Annotated[int, Meta(ge=1)] | None = None
    points: Annotated[int, Meta(ge=-1000, le=1000)] | None = None
    garnets: Annotated[int, Meta(ge=1, le=MOST_GARNETS)] | None = None

    def __post_init__(self) -> None:
        self.ruling()


class NewDisqualification(NewTournamentRuling, frozen=True, kw_only=True, tag="disqualify"):
    """A player is not paired any more."""

    player: Number
    annul: Annotated[
        bool, Meta(description="Whether what they did in the stages counts for no one")
    ] = False


class NewReinstatement(NewTournamentRuling, frozen=True, kw_only=True, tag="reinstate"):
    """A player who was disqualified is what they were before."""

    player: Number


class NewRematch(NewTournamentRuling, frozen=True, kw_only=True, tag="replace"):
    """The match does not count any more, and what was brought goes back; the match `by` of the same
    players counts in its place."""

    match: MatchName
    by: MatchName


class NewSeeds(NewTournamentRuling, frozen=True, kw_only=True, tag="seed"):
    """The players have the seeds 1, 2, … in this `order` in the stages that open from now on; all
    others have none."""

    order: Annotated[
        tuple[Number, ...], Meta(max_length=MOST_PLAYERS, description="Numbers of players")
    ]


class NewCandidates(NewTournamentRuling, frozen=True, kw_only=True, tag="candidates"):
    """In the last round of a show, in which no one was a candidate, one of the `players` chooses an
    opponent for a death match, or two of them meet in it. The `stage` is the open one by
    default."""

    stage: Annotated[int, Meta(ge=1)] | None = None
    players: Annotated[
        tuple[Number, ...], Meta(min_length=1, max_length=2, description="Numbers of players")
    ]


AnyTournamentRuling = (
    NewCorrection
    | NewPenalty
    | NewDisqualification
    | NewReinstatement
    | NewRematch
    | NewSeeds
    | NewCandidates
)


class RulingList(Struct, frozen=True):
    """Rulings that the reader may see, in the order in which they learned of them."""

    rulings: list[RulingShown]
    next: Next


class TournamentRulingList(Struct, frozen=True):
    """Rulings that the reader may see, in the order in which they learned of them."""

    rulings: list[TournamentRulingShown]
    next: Next
