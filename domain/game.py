"""The contract of a game: a decider with draws, deadlines and a menu."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from msgspec import Meta, Struct

from domain.deadlines import Deadline
from domain.draws import Draw, Outcome
from domain.events import Event, check_stored_names
from domain.menu import Menu

Whole = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""A whole number that every JSON reader holds exactly (RFC 8259, section 6)."""


class Refused(Exception):
    """Understood and not allowed: `code` is stable and for programs, `text` is for people."""

    def __init__(self, code: str, text: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.text = text


class Awaits(Struct, frozen=True):
    """What a match waits for: seats or a draw; with neither, the game is over.

    `deadline` is the one the rules want for this wait, if any.
    """

    seats: tuple[int, ...] = ()
    draw: Draw | None = None
    deadline: Deadline | None = None


OVER = Awaits()


class Result(Struct, frozen=True):
    """How a game ended. `scores` is per seat; in a shared result all sharers are winners."""

    winners: tuple[int, ...]
    losers: tuple[int, ...]
    shared: bool
    scores: tuple[int, ...]


RecordRule = Literal["opened_at_end", "closed"]
"""Whether anyone may read everything once a match is over, or only its moderators."""


O = TypeVar("O")  # noqa: E741  the options of a game
S = TypeVar("S")  # its state
A = TypeVar("A")  # its actions: one tagged Struct or a union of them
E = TypeVar("E", bound=Event)  # its events


@dataclass(frozen=True)
class Game(Generic[O, S, A, E]):
    """A game: all that a match needs to know of it. Every function is pure and total but for
    `check` and `decide`, which raise Refused.

    `complete` gives the options as they are played and recorded, with everything filled in that
    depends on the number of seats or on other options; what it gives is complete already.
    `initial` is the state before the first event; `open` the events of the setup; `codes` holds
    a sentence for each code that `check` and `decide` can refuse with; `text` is the rules for
    people, in Markdown. `records` are the record rules it can be played under, the first of them
    the default. `invariants` must hold in every state. For a game played for garnets `brought` is
    what each seat brings by the options, `kept` what is left of that in the end, and `earned` what
    it is awarded. `hides_draws`: a draw may be sealed. `bluff`: what a seat submitted must not be
    provable to another while the match runs. `upcasters` turn the fields of an event stored under
    an old name into the current name and fields.
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
    check: Callable[[O, int], None]
    initial: Callable[[O, int], S]
    open: Callable[[O, int], Sequence[E]]
    awaits: Callable[[S], Awaits]
    legal: Callable[[S, int], Menu]
    decide: Callable[[S, int, A], Sequence[E]]
    settle: Callable[[S, Draw, Outcome], Sequence[E]]
    expire: Callable[[S, Deadline], Sequence[E]]
    evolve: Callable[[S, E], S]
    result: Callable[[S], Result | None]
    complete: Callable[[O, int], Any] = lambda options, _: options
    records: tuple[RecordRule, ...] = ("opened_at_end", "closed")
    invariants: Mapping[str, Callable[[S], bool]] = field(default_factory=dict)
    hides_draws: bool = True
    bluff: bool = False
    brought: Callable[[O, int], tuple[int, ...]] | None = None
    kept: Callable[[S], tuple[int, ...]] | None = None
    earned: Callable[[S], tuple[int, ...]] | None = None
    upcasters: Mapping[str, Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        check_stored_names(get_args(self.Event) or (self.Event,), self.id)
