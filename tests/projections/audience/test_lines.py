"""An event's line on the wire, and the record that is read from it again."""

import msgspec
import pytest

from domain.events import Record
from domain.match.events import PhaseClosed
from projections.audience.lines import Line, line, record_of
from projections.fields import instant, rfc3339
from tests.recorded.files import recorded, records
from tests.support.instants import NOON


@pytest.mark.parametrize("name", recorded())
def test_the_record_can_be_read_from_its_line(name: str) -> None:
    for record in records(name):
        sent = msgspec.json.encode(line(1, None, record))
        assert record_of(msgspec.json.decode(sent, type=Line), record.back) == record


def test_an_unknown_kind_of_event_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        record_of(Line(1, None, rfc3339(NOON), "match.never-heard-of.1", {}), 0)


@pytest.mark.parametrize("data", [{}, {"phase": 7}])
def test_wrong_fields_are_a_value_error(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="phase"):
        record_of(Line(1, None, rfc3339(NOON), "match.phase-closed.1", data), 0)


@pytest.mark.parametrize("at", ["noon", "", "2026-01-01T12:00:00+99:00"])
def test_a_time_that_is_none_is_a_value_error(at: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  whichever words
        record_of(Line(1, None, at, "match.phase-closed.1", {"phase": "x"}), 0)


def test_an_instant_is_read_whatever_its_offset() -> None:
    for at in (0, NOON, NOON + 1, NOON + 999_999, -1):
        assert instant(rfc3339(at)) == at
    assert instant("2026-01-01T14:00:00+02:00") == instant("2026-01-01T12:00:00Z") == NOON


@pytest.mark.parametrize("text", ["2026-01-01T12:00:00", "2026-01-01", "now", "", "12:00Z"])
def test_a_time_without_an_offset_is_no_instant(text: str) -> None:
    with pytest.raises(ValueError, match=r"offset|isoformat"):
        instant(text)
    later = Record(NOON, 0, PhaseClosed("x"))
    said = Line(1, None, "2026-01-01T14:00:00+02:00", "match.phase-closed.1", {"phase": "x"})
    assert record_of(said, 0) == later
