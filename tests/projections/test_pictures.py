"""Pictures of boards: one for every position of every recorded match, of nothing but the public's
view."""

from xml.etree import ElementTree

import msgspec
import pytest

from projections.audience.disclosure import PUBLIC_VIEWER
from projections.audience.view import state_of, view
from projections.pictures import picture_of
from projections.svg_shapes import number
from tests.recorded.files import created, recorded, records


@pytest.mark.parametrize("name", recorded())
def test_every_position_of_a_match_has_a_picture(name: str) -> None:
    kept = list(enumerate(records(name), 1))
    end = state_of(PUBLIC_VIEWER, kept, None)
    assert end is not None
    for seq in range(0, end.seq + 1, 5):
        state = state_of(PUBLIC_VIEWER, kept, seq)
        assert state is not None
        shown = msgspec.json.encode(view("m", created(name).game, state))
        drawn = ElementTree.fromstring(picture_of(shown))  # noqa: S314  our own
        assert drawn.get("viewBox") == "0 0 320 168"


def test_every_digit_can_be_drawn() -> None:
    assert number(0, 0, "0123456789x", 16).count("<path") == 11
