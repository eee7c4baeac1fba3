"""What a moderator or an organiser can rule: one Struct a kind, as it is sent and stored
(/docs/rulings#the-kinds)."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.events import Instant
from domain.game import Result, Whole
from domain.tournament.ledger import MOST_GARNETS

YEAR_SECONDS = 366 * 24 * 3600

NOTE_TO = r"^(public|sealed|seat:(0|[1-9][0-9]?))(?!\n)$"

Text = Annotated[str, Meta(min_length=1, max_length=2_000)]
To = Annotated[
    str,
    Meta(
        pattern=NOTE_TO, description="`public`, `seat:N` or `sealed`, which is for the moderators"
    ),
]
Because = Annotated[
    Literal["forfeit", "adjudicated"], Meta(description="Why the rules did not give the result")
]
Severity = Literal["clarification", "warning", "uphold"]


class Kind(Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """A kind of ruling; its tag is the name of the kind."""


class PauseMatch(Kind, frozen=True, tag="pause"):
    """The match stands still; the time left is kept."""


class ResumeMatch(Kind, frozen=True, tag="resume"):
    """The match goes on, with the time that was left."""


class Extend(Kind, frozen=True, tag="extend"):
    """The deadline in force becomes later: `deadline` is the new instant, `seconds` are added to
    the one in force, or to the time left while the match is paused. One of the two is given."""

    deadline: Instant | None = None
    seconds: Annotated[int, Meta(ge=1, le=YEAR_SECONDS)] | None = None

    def __post_init__(self) -> None:
        if (self.deadline is None) == (self.seconds is None):
            raise ValueError("an extension has either a deadline or seconds")


class Note(Kind, frozen=True, tag="note"):
    """A text for one audience."""

    to: To
    text: Text
    severity: Severity


class RuleResult(Kind, frozen=True, tag="result"):
    """The match ends with this result, which its rules did not give."""

    result: Result
    because: Because


class VoidMatch(Kind, frozen=True, tag="void"):
    """The match counts for nothing; `replaced_by` is the id of the one that is played instead."""

    replaced_by: str | None = None


class ReplaceSeat(Kind, frozen=True, tag="replace_seat"):
    """Another person, `name`, takes over the seat."""

    seat: Annotated[int, Meta(ge=0)]
    name: str


PartDrawn = str | Whole | tuple[str | Whole, ...]
"""How a part of a draw came out, as it can be sent; whether it fits is asked later."""


class Redraw(Struct, frozen=True, forbid_unknown_fields=True):
    """The draw `id`, entered by hand, shall have had this outcome."""

    id: str
    outcome: Annotated[tuple[PartDrawn, ...], Meta(max_length=1_000)]


Seq = Annotated[int, Meta(ge=1)]


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a rewind changes: a draw by hand has another outcome, an action shall not have
    been, or one that came too late counts. Actions are named by their `seq` in the moderators'
    view. Exactly one of the three is given."""

    exactly_one: ClassVar = ("redraw", "strike", "admit")
    redraw: Annotated[
        Redraw | UnsetType, Meta(description="A draw by hand that had another outcome")
    ] = UNSET
    strike: Annotated[Seq | UnsetType, Meta(description="The number of an action to strike")] = (
        UNSET
    )
    admit: Annotated[
        Seq | UnsetType,
        Meta(description="The number of an action that counts although it came too late"),
    ] = UNSET

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not UNSET for name in self.exactly_one) != 1:
            raise ValueError("a change is a redraw, a strike or an admission")


Changes = Annotated[tuple[Change, ...], Meta(max_length=100)]
Reapply = Literal["none", "while_legal"]


class Rewind(Kind, frozen=True, tag="rewind"):
    """All from the batch of the public event `before` on is undone; `before` is its `seq` in the
    moderators' view. In a sealed phase that is open actions are struck and admitted without it.
    With `reapply` later inputs are judged again for as long as they are legal."""

    before: Seq | None = None
    changes: Annotated[Changes, Meta(description="What is different when the match goes on")] = ()
    reapply: Reapply = "none"

    def __post_init__(self) -> None:
        if self.before is None and not self.in_open_phase:
            raise ValueError(
                "a rewind names the event before which the match goes on; without it there are "
                "only strikes and admissions"
            )

    @property
    def in_open_phase(self) -> bool:
        """Whether it only changes what was submitted in the sealed phase that is open."""
        has_redraw = any(change.redraw is not UNSET for change in self.changes)
        return (
            self.before is None and bool(self.changes) and not has_redraw and self.reapply == "none"
        )


class Confirm(Kind, frozen=True, tag="confirm"):
    """The provisional result is final before its protest window ends. Only organisers rule it."""


class Correction(Kind, frozen=True, tag="correct"):
    """From now on the match counts with this result; with None it does not count."""

    match: str
    result: Result | None


Number = Annotated[int, Meta(ge=0)]
"""The number of a player in the roster."""


class Penalty(Kind, frozen=True, tag="penalty"):
    """A player loses `points` in a stage, the open one by default, or `garnets` from their purse:
    one of the two. A negative number of points gives back what earlier penalties have taken."""

    exactly_one: ClassVar = ("points", "garnets")
    player: Number
    stage: Annotated[int, Meta(ge=1)] | None = None
    points: Annotated[int, Meta(ge=-1000, le=1000)] | None = None
    garnets: Annotated[int, Meta(ge=1, le=MOST_GARNETS)] | None = None

    def __post_init__(self) -> None:
        if (self.points is None) == (self.garnets is None):
            raise ValueError("a penalty takes either points or garnets")
        if self.garnets is not None and self.stage is not None:
            raise ValueError("garnets are those of no stage")


class Disqualify(Kind, frozen=True, tag="disqualify"):
    """A player is not paired any more; with `annul` what they have done in the stages counts for
    no one."""

    player: Number
    annul: bool = False


class Reinstate(Kind, frozen=True, tag="reinstate"):
    """A player who was disqualified is what they were before."""

    player: Number


class ReplaceMatch(Kind, frozen=True, tag="replace"):
    """The match does not count any more; `by` is the one of the same players that counts in its
    place."""

    match: str
    by: str


class SeedPlayers(Kind, frozen=True, tag="seed"):
    """The players have the seeds 1, 2, … in this order, all others have none, in the stages that
    open from now on."""

    order: tuple[Number, ...]


class NameCandidates(Kind, frozen=True, tag="candidates"):
    """One player chooses an opponent for the death match of the last round of a show, or two meet
    in it, in which no one was a candidate."""

    stage: Annotated[int, Meta(ge=1)] | None
    players: tuple[Number, ...]


Ruling = (
    PauseMatch
    | ResumeMatch
    | Extend
    | Note
    | RuleResult
    | VoidMatch
    | ReplaceSeat
    | Rewind
    | Confirm
)
KindName = Literal[
    "pause", "resume", "extend", "note", "result", "void", "replace_seat", "rewind", "confirm"
]
TournamentRuling = (
    Correction | Penalty | Disqualify | Reinstate | ReplaceMatch | SeedPlayers | NameCandidates
)
TournamentKind = Literal[
    "correct", "penalty", "disqualify", "reinstate", "replace", "seed", "candidates"
]

ASKABLE = (PauseMatch, ResumeMatch, RuleResult, VoidMatch)
"""The kinds for which a seat may ask."""

AnyRuling = Ruling | TournamentRuling
"""What is ruled on a match, or on a tournament."""

RulingPeople = Literal["two", "single"]
"""How many people a ruling needs that is not simple: two, or one where a match was created so."""
EveryKind = Literal[KindName, TournamentKind]


def kind_of(ruling: AnyRuling) -> KindName:
    """The name of the kind, of a ruling on a match."""
    return ruling.__struct_config__.tag  # type: ignore[return-value]  # the tags are these names


def tournament_kind_of(ruling: AnyRuling) -> TournamentKind:
    """The name of the kind, of a ruling on a tournament."""
    return ruling.__struct_config__.tag  # type: ignore[return-value]  # the tags are these names
