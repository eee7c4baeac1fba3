"""Checks of what was read: views and lines."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from uuid import UUID

import msgspec

from domain.match.events import NameSalted
from domain.match.live import undoes
from domain.rulings.events import SeatReplaced
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.audience.lines import LineText, own_number
from projections.audience.view import AudienceState, see, see_live, view
from tests.simulation.checked_history import CheckedHistory
from tests.simulation.violations import Violation

SALT = re.compile(rb'"salt":"[^"]*"')
"""A salt in a line."""


def check_views(checked: CheckedHistory) -> Iterator[Violation]:
    """A view at a number is always the fold of the same events, and all of them are on record
    before it is seen."""
    seen: dict[tuple[UUID, Viewer], dict[int, set[bytes]]] = defaultdict(lambda: defaultdict(set))
    for viewed in checked.views:
        if checked.visible(viewed.match, viewed.viewer, viewed.on_record) < viewed.seq:
            yield Violation("seen before it is on record", f"step {viewed.step}")
        seen[viewed.match, viewed.viewer][viewed.seq].add(viewed.view)
    for one in checked.answers:
        seen[one.match, one.viewer][one.response.view_seq].add(one.response.view)
    for (match, viewer), views in seen.items():
        yield from _other_views(checked, match, viewer, views)


def _other_views(
    checked: CheckedHistory, match: UUID, viewer: Viewer, views: dict[int, set[bytes]]
) -> Iterator[Violation]:
    records, positions = checked.records.of(match), checked.records.positions(match, viewer)
    state, folded, game, undone = AudienceState(viewer), 0, "", False
    if records:
        game = records[0].event.game  # type: ignore[attr-defined]  # MatchCreated
    for seq in sorted(views):
        try:
            new = [records[position - 1] for position in positions[folded:seq]]
            if undone or undoes(record.event for record in new):
                undone = True
                own = positions[:seq]
                state = see_live(viewer, own, [records[position - 1] for position in own])
            else:
                state = see(state, new)
        except Exception as differs:  # noqa: BLE001  a wrong record may break any rule
            yield Violation("record", f"{match} as {viewer}: {differs!r}")
            return
        folded = min(seq, len(positions))
        if views[seq] != {msgspec.json.encode(view(str(match), game, state))}:
            yield Violation("seen otherwise", f"{match} as {viewer} at {seq}")


def check_lines(checked: CheckedHistory) -> Iterator[Violation]:
    """Each reader gets the lines of its audience 1, 2, 3 without gaps, as they are on record."""
    last: dict[tuple[int, UUID, Viewer], int] = {}
    for one in checked.lines:
        positions = checked.records.positions(one.match, one.viewer)
        seq = msgspec.json.decode(one.line)["seq"]
        reader = one.reader, one.match, one.viewer
        expected = last.get(reader, one.after) + 1
        last[reader] = seq
        if seq != expected:
            yield Violation("gap", f"reader {one.reader} got {seq} instead of {expected}")
        if checked.visible(one.match, one.viewer, one.on_record) < seq:
            yield Violation("seen before it is on record", f"reader {one.reader}, line {seq}")
        if seq > len(positions) or one.line not in _lines(checked, one.match, positions, seq):
            yield Violation("seen otherwise", f"reader {one.reader}, line {seq}")


def _lines(
    checked: CheckedHistory, match: UUID, positions: Sequence[int], seq: int
) -> Iterator[bytes]:
    """The line of an event, and also without a salt that those who take over a seat are not
    told."""
    position, records = positions[seq - 1], checked.records.of(match)
    public = checked.records.positions(match, PUBLIC_VIEWER)
    number = bisect_right(public, position) if position in public else 0
    stored = checked.records.stored(match, position)
    line = LineText(stored).numbered(seq, number, partial(own_number, positions))
    yield line
    salted = records[position - 1].event
    taken_over = (record.event.seat for record in records if isinstance(record.event, SeatReplaced))
    if isinstance(salted, NameSalted) and salted.seat in taken_over:
        yield SALT.sub(b'"salt":null', line)
