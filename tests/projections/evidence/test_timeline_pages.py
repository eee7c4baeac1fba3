"""A page of a time line is made, and not all of it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from projections.evidence.timeline import dated, shown_whole, timeline
from projections.texts import event_text
from tests.recorded.files import records
from tests.support.evidence.recorded_timelines import NAMES, whole

PAGES = (range(1, 2), range(2, 12), range(40, 41), range(1, 1))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many sentences were made."""
    made: Counter[str] = Counter()

    def counting(owner: Any, name: str) -> None:
        honest: Callable[..., Any] = getattr(owner, name)

        def counted(*given: Any) -> Any:
            made[name] += 1
            return honest(*given)

        monkeypatch.setattr(owner, name, counted)

    counting(event_text, "account")
    return made


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_that_part_of_the_whole(name: str, made: Counter[str]) -> None:
    entries = whole(name)
    for page in PAGES:
        made.clear()
        found = timeline(shown_whole(records(name)), page)
        assert made["account"] == len(found)
        assert found == [one for one in entries if one.number in page]


@pytest.mark.parametrize("name", NAMES)
def test_the_times_alone_take_no_words(name: str, made: Counter[str]) -> None:
    entries = whole(name)
    made.clear()
    times = [(one.number, one.record, one.recorded) for one in entries]
    assert dated(list(shown_whole(records(name)))) == times
    assert not made
