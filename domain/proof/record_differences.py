"""How a record differs from what its inputs give, in words that name what stands there and what
should."""

from collections.abc import Sequence

import msgspec

from domain.encoding import encode
from domain.events import Event, Record, stored_name
from domain.match.inputs import Given
from domain.match.state import awaited_draw


class RecordDiffers(Exception):
    """The record differs from what its inputs give: where first, counted from 0, and why; after
    the stored name of the event that stands there, if there is one."""

    def __init__(self, index: int, why: str, name: str | None = None) -> None:
        self.index = index
        self.why = why if name is None else f"{name}: {why}"
        super().__init__(f"event {index}{': ' if name is None else ', '}{self.why}")

    def standing_in(self, batch: Sequence[Record[Event]], begun: int) -> "RecordDiffers":
        """The same, with the name of the event in a batch that begins at the index `begun`."""
        if self.index - begun >= len(batch):
            return self
        name = stored_name(type(batch[self.index - begun].event))
        return RecordDiffers(self.index, self.why, name)


def compared(given: Record[Event], recorded: Record[Event] | None, index: int) -> Record[Event]:
    """The recorded event, which is the one that the rules give. Raises RecordDiffers."""
    if recorded is None:
        raise RecordDiffers(
            index, f"{stored_name(type(given.event))} should follow, and nothing does"
        )
    # Compared as stored: in memory a list may be a tuple, and 1 equals True.
    if encode(recorded) != encode(given):
        due = stored_name(type(given.event))
        if stored_name(type(recorded.event)) != due:
            raise RecordDiffers(index, f"the rules give {due} here")
        differing = ", ".join(_differing(recorded, given))
        raise RecordDiffers(index, f"the rules give it otherwise ({differing})")
    return recorded


def _differing(recorded: Record[Event], given: Record[Event]) -> list[str]:
    """The fields in which two records of a kind differ as they are stored."""
    found, due = (
        {"time": one.at, "input": one.back, **msgspec.to_builtins(one.event)}
        for one in (recorded, given)
    )
    return [name for name in {**due, **found} if repr(found.get(name)) != repr(due.get(name))]


def coming(given: Given) -> str:
    """What could come next."""
    match = given.match
    if match.unnamed:
        return f"seat {match.unnamed[0]} is named next"
    draw = awaited_draw(given.game, match)
    if draw is not None:
        return f"the draw {draw.id} is settled next"
    phase = "no phase" if match.awaiting.phase is None else f"the phase {match.awaiting.phase}"
    return f"it is {match.status}, in {phase}, and waits for the seats {list(match.awaiting.seats)}"
