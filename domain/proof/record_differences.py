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

    def standing_in(self, batch: Sequence[Record[Event]], start: int) -> "RecordDiffers":
        """The same, with the name of the event in a batch that begins at the index `start`."""
        if self.index - start >= len(batch):
            return self
        name = stored_name(type(batch[self.index - start].event))
        return RecordDiffers(self.index, self.why, name)


def compare(
    expected_record: Record[Event], actual: Record[Event] | None, index: int
) -> Record[Event]:
    """The recorded event, which is the one that the rules give. Raises RecordDiffers."""
    if actual is None:
        raise RecordDiffers(
            index, f"{stored_name(type(expected_record.event))} should follow, and nothing does"
        )
    # Compared as stored: in memory a list may be a tuple, and 1 equals True.
    if encode(actual) != encode(expected_record):
        due = stored_name(type(expected_record.event))
        if stored_name(type(actual.event)) != due:
            raise RecordDiffers(index, f"the rules give {due} here")
        differing = ", ".join(_differing(actual, expected_record))
        raise RecordDiffers(index, f"the rules give it otherwise ({differing})")
    return actual


def _differing(actual: Record[Event], expected_record: Record[Event]) -> list[str]:
    """The fields in which two records of a kind differ as they are stored."""
    actual_fields, due = (
        {"time": record.at, "input": record.back, **msgspec.to_builtins(record.event)}
        for record in (actual, expected_record)
    )
    return [
        name
        for name in {**due, **actual_fields}
        if repr(actual_fields.get(name)) != repr(due.get(name))
    ]


def coming(context: Given) -> str:
    """What could come next."""
    match = context.match
    if match.unnamed:
        return f"seat {match.unnamed[0]} is named next"
    draw = awaited_draw(context.game, match)
    if draw is not None:
        return f"the draw {draw.id} is settled next"
    phase = "no phase" if match.awaiting.phase is None else f"the phase {match.awaiting.phase}"
    return f"it is {match.status}, in {phase}, and waits for the seats {list(match.awaiting.seats)}"
