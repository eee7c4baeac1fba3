"""One number to cite: `public_seq` is the event's number in the public's count, for everyone."""

from functools import cache, partial

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import PUBLIC
from domain.match.events import SeatNamed
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.audience.lines import Line, LineText, checksum, own_number
from projections.audience.projection import AudienceProjection, body_after
from projections.audience.projections import projections_of
from projections.evidence.timeline import timeline_for
from tests.recorded.files import created, outcome, recorded, records, states
from tests.support.evidence.recorded_timelines import audiences, whole
from tests.support.tables.own_events import lines_start

NAMES = recorded()


@cache
def public_numbers(name: str) -> dict[int, int]:
    """The public's own numbers of its events, by their positions on the record."""
    places = [n for n, one in enumerate(records(name), 1) if one.event.audience == PUBLIC]
    return {position: number for number, position in enumerate(places, 1)}


@cache
def projection(name: str, viewer: Viewer, cut: int) -> AudienceProjection:
    """The audience's projection, which has read `cut` events from the store and was then told the
    others."""
    played, stored = records(name), states(name)
    (made,) = projections_of([viewer], played[:cut], list(map(checksum, stored[:cut])))
    for position, record in enumerate(played[cut:], cut + 1):
        if may_see(viewer, record.event):
            made.add(position, record, LineText(stored[position - 1]))
    return made


@settings(max_examples=6)
@given(st.data())
@pytest.mark.parametrize("name", NAMES)
def test_a_line_has_the_number_that_the_public_gives_its_event(
    name: str, data: st.DataObject
) -> None:
    """From memory and as read again from the store."""
    viewer = data.draw(st.sampled_from(audiences(records(name))))
    cut = data.draw(st.sampled_from((0, 1, len(records(name)) // 2)))
    made, numbers = projection(name, viewer, cut), public_numbers(name)
    after = data.draw(st.integers(lines_start(made), made.seq))
    rows, own = made.own_rows(after), partial(own_number, made.positions)
    again = [
        LineText(states(name)[position - 1]).numbered(seq, number, own)
        for seq, (position, number) in enumerate(
            zip(rows.positions, rows.public, strict=True), after + 1
        )
    ]
    texts = made.lines(after, len(again))
    assert texts == again
    told = [msgspec.json.decode(text, type=Line).public_seq for text in again]
    assert told == [numbers.get(position) for position in rows.positions]
    if viewer == PUBLIC_VIEWER:
        assert told == list(range(after + 1, made.seq + 1))


@pytest.mark.parametrize("name", NAMES)
def test_a_view_has_the_number_of_the_last_public_event_and_the_names_so_far(name: str) -> None:
    played, match, game = records(name), outcome(name).match, created(name).game
    for viewer in audiences(played):
        own = [n for n, one in enumerate(played, 1) if may_see(viewer, one.event)]
        seats: dict[int, str] = {}
        for seq in range(1, len(own) + 1):
            position = own[seq - 1]
            event = played[position - 1].event
            if isinstance(event, SeatNamed):
                seats[event.seat] = event.name
            public = sum(number <= position for number in public_numbers(name))
            if seq > 2 * len(audiences(played)) and seq % 7 and seq < len(own):
                continue
            shown = [played[one - 1] for one in own[:seq]]
            body = msgspec.json.decode(body_after(viewer, match, game, own[:seq], shown))
            assert (body["seq"], body["public_seq"]) == (seq, public)
            assert body["seats"] == [seats[seat] for seat in sorted(seats)]


@pytest.mark.parametrize("name", NAMES)
def test_the_time_line_has_it_for_every_reader(name: str) -> None:
    by_reader = {
        viewer: [one.public_seq for one in timeline_for(whole(name), viewer)]
        for viewer in audiences(records(name))
    }
    numbers = list(range(1, len(public_numbers(name)) + 1))
    for viewer, told in by_reader.items():
        assert [number for number in told if number is not None] == numbers, viewer
    assert by_reader[PUBLIC_VIEWER] == numbers
    assert [one.public_seq for one in whole(name)] == by_reader[MODERATOR]
