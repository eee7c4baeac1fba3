"""What a rewind looks back on: the match where it goes on, and the inputs since then
(/docs/rulings#going-back).

It is computed from the whole record, which a match in memory does not hold.
"""

from typing import Any

from msgspec import Struct

from domain.draws import Part
from domain.events import Event, Instant


class Input(Struct, frozen=True):
    """An input behind the point where the match goes on, which the rewind undoes.

    `head` is the position of its first event, `of` that of `event`, which has its content: another
    one if the input was reapplied. `counted` is False for one that was refused or found invalid;
    `parts` are those of the draw that it answers.
    """

    head: int
    of: int
    event: Event
    counted: bool = True
    parts: tuple[Part, ...] = ()


class Past(Struct, frozen=True):
    """What a rewind looks back on, in a record of `length` events.

    `start` is the position of the first event of the batch that is named, `at` its instant; both
    are 0 where none is. `base` is the match (`match_state.Match`) as the rewind leaves it: folded
    from what is live without what is undone and struck. `inputs` are those that it undoes, `undone`
    the positions of all that it undoes. `alone`: nothing but refusals came after the batch, and it
    told no seat anything alone. `struck` and `admitted` are the actions that it names, by position
    and in order. `fault` is the code of why there is no such rewind; then nothing else holds.
    """

    length: int
    start: int = 0
    at: Instant = 0
    base: Any = None
    inputs: tuple[Input, ...] = ()
    undone: tuple[int, ...] = ()
    alone: bool = False
    struck: tuple[tuple[int, Event], ...] = ()
    admitted: tuple[tuple[int, Event], ...] = ()
    fault: str | None = None
