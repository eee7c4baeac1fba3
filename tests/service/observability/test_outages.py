"""An outage of the store is a line when it begins and a line when it is over."""

from collections.abc import Iterator

import pytest
from eventsourcing.persistence import OperationalError

from service.observability import logs
from service.observability.outages import QUIET_SECONDS, EndedOutage, Outages, current_outages
from service.observability.store_faults import Fault
from tests.support.captured_logs import logged as logged

pytestmark = pytest.mark.usefixtures("logged")


class Outage:
    """A store's outages on a clock that the test sets, and the faults reported."""

    def __init__(self) -> None:
        self.now = 100.0
        self.reported: list[Fault] = []
        self.outages = Outages(lambda: self.now)
        self.outages.start(self.reported.append)


@pytest.fixture
def store() -> Iterator[Outage]:
    made = Outage()
    token = current_outages.set(made.outages)
    yield made
    current_outages.reset(token)


def test_of_an_outage_the_first_failure_is_to_be_logged(store: Outage) -> None:
    assert [store.outages.failed("down") for _ in range(3)] == [True, False, False]
    assert store.outages.failed("full")
    assert store.reported == ["down", "down", "down", "full"]


def test_it_is_over_when_nothing_has_failed_for_a_while(store: Outage) -> None:
    store.outages.failed("down")
    store.now += 2.0
    store.outages.failed("down")
    assert store.outages.folding
    assert store.outages.works() == []
    store.now += QUIET_SECONDS / 2
    store.outages.failed("down")
    store.now += 1.0
    assert store.outages.works() == []
    store.now += QUIET_SECONDS
    length = 2.0 + QUIET_SECONDS / 2 + 1.0
    assert store.outages.works() == [EndedOutage("down", length, 3)]
    assert not store.outages.folding
    assert store.outages.failed("down"), "the next one is told again"


def test_damaged_bytes_stay_damaged(store: Outage) -> None:
    store.outages.failed("corrupt")
    store.now += 10 * QUIET_SECONDS
    assert store.outages.works() == []
    assert not store.outages.failed("corrupt")
    assert not store.outages.folding, "nothing is waited for"


def test_nothing_is_folded_before_the_start_and_after_the_end() -> None:
    outages = Outages()
    assert outages.failed("down") and outages.failed("down")
    outages.start(lambda _: None)
    assert outages.failed("down") and not outages.failed("down")
    outages.stop()
    assert outages.failed("down")


def test_a_folded_failure_has_no_traceback_and_counts_as_an_error(
    store: Outage, capsys: pytest.CaptureFixture[str]
) -> None:
    counted: list[str] = []
    logs.configure_logs("json", counted.append)
    for event in ("store_failed", "not_signed", "store_failed"):
        try:
            raise OperationalError("the connection is lost")
        except OperationalError as error:
            logs.failure(event, error)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "File" not in said
    assert '"outage": "down"' in said and "the connection is lost" in said
    assert counted == ["store_failed", "not_signed", "store_failed"]


def test_a_bug_is_never_folded(store: Outage, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure_logs("json")
    store.outages.failed("down")
    for _ in range(2):
        logs.failure("request_failed", KeyError("a bug"))
    assert capsys.readouterr().err.count("request_failed") == 2
