"""The contract of a game: a decider with draws, deadlines and a menu."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from domain import requirements
from domain.chance.draws import Draw, Outcome
from domain.events import Event
from domain.limits import Refused as Refused
from domain.limits import within_limits
from domain.match.deadlines import Deadline
from domain.menu import Menu

Whole = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""A whole number that every JSON reader holds exactly (RFC 8259, section 6)."""


class Awaits(Struct, frozen=True):
    """What a match waits for: seats or a draw; with neither, the game is over. `deadline` is the
    one that the rules set for this wait, if any."""

    seats: tuple[int, ...] = ()
    draw: Draw | None = None
    deadline: Deadline | None = None


OVER = Awaits()


class Result(Struct, frozen=True):
    """How a game ended. In a shared result all sharers are winners."""

    winners: Annotated[tuple[int, ...], Meta(description="The seats that have won")]
    losers: Annotated[tuple[int, ...], Meta(description="The seats that have lost")]
    shared: Annotated[bool, Meta(description="Whether all winners share one result")]
    scores: Annotated[tuple[int, ...], Meta(description="The score of each seat")]


RecordRule = Literal["opened_at_end", "closed"]
"""Whether anyone may read everything once a match is over, or only its moderators."""


O = TypeVar("O")  # noqa: E741  the options of a game
S = TypeVar("S")  # its state
A = TypeVar("A")  # its actions: one tagged Struct or a union of them
E = TypeVar("E", bound=Event)  # its events


def highest_wins(scores: tuple[int, ...]) -> Result:
    """The seat with the highest score wins and all others lose; several share the victory."""
    winners = tuple(seat for seat, score in enumerate(scores) if score == max(scores))
    shared = len(winners) > 1
    losers = () if shared else tuple(seat for seat in range(len(scores)) if seat not in winners)
    return Result(winners, losers, shared, scores)


# The defaults of a game.

USUAL_CODES = {
    "options_not_allowed": "An option of the match is outside its limits.",
    "game_over": "The game is over.",
    "wrong_phase": "This kind of action does not belong to the present phase of the game.",
    "not_your_turn": "It is another seat's turn.",
}
"""Sentences for codes that most games have."""


def nothing_to_set_up(options: Any, seats: int) -> Sequence[Any]:
    """The default `open`: the game begins without an event of its own."""
    return ()


def no_draws(state: Any, draw: Draw, outcome: Outcome) -> Sequence[Any]:
    """The default `settle`: for a game whose `awaits` names no draw."""
    raise AssertionError(f"the rules ask for the draw {draw.id} and do not say what follows")


def no_deadlines(state: Any, deadline: Deadline) -> Sequence[Any]:
    """The default `expire`: for a game whose `awaits` names no deadline."""
    raise AssertionError(f"the rules want the deadline {deadline.id} and do not say what follows")


def nothing_misshapen(options: Any, seats: int, action: Any) -> str | None:
    """The default `misshapen`: the type of an action says all of its shape."""
    return None


def nothing_stands(state: Any, seat: int) -> None:
    """The default `standing`: for a game without sealed phases."""


@dataclass(frozen=True)
class Game(Generic[O, S, A, E]):
    """A game: all that a match needs to know of it.

    Every function is pure and total except `check` and `decide`, which raise Refused. If something
    is missing, this raises TypeError (`domain.requirements`).

    `complete` gives the options as they are played and recorded, with every default filled in that
    depends on the number of seats or on other options; completing them again changes nothing.
    `misshapen` says what is wrong with an action that is larger than any could be in a match with
    these options and this many seats; it is not received at all, so it depends on nothing else.
    `initial` is the state before the first event, `open` the events of the setup. `codes` has a
    sentence for each code by which `check` and `decide` can refuse; `text` is the rules for people,
    in Markdown. `variants` are options, one set for each way to play: the simulation, the demo and
    the tests play them all. `records` are the record rules it can be played under; the first is the
    default. `invariants` must hold in every state.

    For a game played for garnets `stake` is what each seat brings by the options, `balance` what is
    left of that at the end, and `payout` the award. `hides_draws`: a draw may be sealed.
    `public_result`: the public events alone, folded by `evolve`, give the result. `scores_rank`:
    the higher of two scores is the better result. `immune` and `candidates` name seats, by what is
    public, once the rules have ended a match: in an elimination show no one meets the immune, and
    of the candidates, one or two, one goes home; by default the winners are immune and the loser is
    the candidate. `grouped` are the options by which the first seats are in one group and the next
    ones in another, by the sizes of these groups; it may raise Refused. `chosen` are the options
    by which a seat has what the rules give the opponent whom a candidate of a show has chosen.
    `bluff`: while the match runs, no seat can prove to another what it submitted. `sealed_phase`
    says by its id whether a phase is sealed, `reopened` what the state is when a rewind has opened
    such a phase again (`submissions.Sealed`). `standing` is the action that counts for a seat in
    the sealed phase that is open, as the seat might send it again. `conceals`: by these options
    moderators are shown of what is for one seat only that it is there (`Event.masked`).
    `upcasters` turn the fields of an event stored under an old name into the current name and
    fields. `Note` has the fields that a receipt may have besides those of every game; no one else
    reads them (`Event.game_note`).
    """

    id: str
    title: str
    rules_version: int
    text: str
    seats: range
    Options: type[O]
    Action: Any
    Event: Any
    codes: Mapping[str, str]
    initial: Callable[[O, int], S]
    awaits: Callable[[S], Awaits]
    legal: Callable[[S, int], Menu]
    decide: Callable[[S, int, A], Sequence[E]]
    evolve: Callable[[S, E], S]
    result: Callable[[S], Result | None]
    check: Callable[[O, int], None] = within_limits
    open: Callable[[O, int], Sequence[E]] = nothing_to_set_up
    misshapen: Callable[[O, int, A], str | None] = nothing_misshapen
    settle: Callable[[S, Draw, Outcome], Sequence[E]] = no_draws
    expire: Callable[[S, Deadline], Sequence[E]] = no_deadlines
    complete: Callable[[O, int], Any] = lambda options, _: options
    variants: tuple[Mapping[str, Any], ...] = ({},)
    records: tuple[RecordRule, ...] = ("opened_at_end", "closed")
    invariants: Mapping[str, Callable[[S], bool]] = field(default_factory=dict)
    hides_draws: bool = True
    public_result: bool = False
    scores_rank: bool = True
    bluff: bool = False
    sealed_phase: Callable[[str], bool] = lambda _: False
    reopened: Callable[[S], S] = lambda state: state
    standing: Callable[[S, int], A | None] = nothing_stands
    conceals: Callable[[O], bool] = lambda _: False
    Note: type[Struct] | None = None
    stake: Callable[[O, int], tuple[int, ...]] | None = None
    balance: Callable[[S], tuple[int, ...]] | None = None
    payout: Callable[[S], tuple[int, ...]] | None = None
    grouped: Callable[[Sequence[int]], dict[str, Any]] | None = None
    chosen: Callable[[int], dict[str, Any]] | None = None
    immune: Callable[[S], tuple[int, ...]] | None = None
    candidates: Callable[[S], tuple[int, ...]] | None = None
    upcasters: Mapping[str, Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        requirements.check(self)
