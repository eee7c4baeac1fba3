"""What a moderator or an organiser can rule: one Struct a kind, as it is sent and stored (RULINGS
§3)."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.game import Result

YEAR_SECONDS = 366 * 24 * 3600

LATEST = 2**53 - 1
"""The latest instant of a deadline, in the year 2255: the greatest number that every JSON reader
holds exactly."""

NOTE_TO = r"^(public|sealed|seat:(0|[1-9][0-9]?))(?!\n)$"

Text = Annotated[str, Meta(min_length=1, max_length=2_000)]
Because = Literal["forfeit", "adjudicated"]
Severity = Literal["clarification", "warning", "uphold"]


class Kind(Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """A kind of ruling; its tag is the name of the kind."""


class PauseMatch(Kind, frozen=True, tag="pause"):
    """The match stands still; the time left is kept."""


class ResumeMatch(Kind, frozen=True, tag="resume"):
    """The match goes on, with the time that was left."""


class Extend(Kind, frozen=True, tag="extend"):
    """The deadline in force becomes later: `deadline` is the new instant in microseconds, `seconds`
    are added to the one in force, or to the time left while the match is paused. One of the two is
    given, otherwise this raises ValueError."""

    deadline: Annotated[int, Meta(ge=0, le=LATEST, extra={"instant": True})] | None = None
    seconds: Annotated[int, Meta(ge=1, le=YEAR_SECONDS)] | None = None

    def __post_init__(self) -> None:
        if (self.deadline is None) == (self.seconds is None):
            raise ValueError("an extension has either a deadline or seconds")


class Note(Kind, frozen=True, tag="note"):
    """A text for one audience: `public`, `seat:N` or `sealed` (moderators)."""

    to: Annotated[str, Meta(pattern=NOTE_TO)]
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
    """Somebody else, `name`, takes over the seat."""

    seat: Annotated[int, Meta(ge=0)]
    name: str


Ruling = PauseMatch | ResumeMatch | Extend | Note | RuleResult | VoidMatch | ReplaceSeat
KindName = Literal["pause", "resume", "extend", "note", "result", "void", "replace_seat"]
RulingPeople = Literal["two", "single"]
"""How many people a ruling needs that is not simple: two, or one where a match was created so."""


def kind_of(ruling: Ruling) -> KindName:
    """The name of the kind."""
    return ruling.__struct_config__.tag  # type: ignore[return-value]  # the tags are these names
