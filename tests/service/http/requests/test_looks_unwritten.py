"""Nothing hidden is handed out before the look is on disk, and no one else waits for that."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event as ThreadEvent

import pytest
from eventsourcing.persistence import OperationalError

from service.application.evidence import reads
from service.event_store.reads import Read, ReadTable
from tests.support.http.match_play import assert_problem
from tests.support.instance.service_instance import PATIENCE
from tests.support.servers.live_server import NDJSON, Answer, Live, LiveMatch, serving
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("live")) as server:
        yield server


@pytest.fixture
def chips(live: Live) -> LiveMatch:
    return live.started("twelve-chips")


@pytest.fixture
def away(chips: LiveMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    """The match has been started, and no read can be written any more."""

    def fails(table: ReadTable, reads: Sequence[Read]) -> None:
        raise OperationalError("the disk is away")

    monkeypatch.setattr(ReadTable, "add", fails)


class Transactions:
    """The rows of each transaction that writes reads. While `open` is not set, they wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: list[int] = []
        self.open, self.reached = ThreadEvent(), ThreadEvent()
        self.open.set()
        honest = ReadTable.add

        def add(table: ReadTable, reads: Sequence[Read]) -> None:
            self.reached.set()
            assert self.open.wait(PATIENCE)
            honest(table, reads)
            self.rows.append(len(reads))

        monkeypatch.setattr(ReadTable, "add", add)


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> Transactions:
    return Transactions(monkeypatch)


LOOKS: dict[str, Callable[[LiveMatch], Answer]] = {
    "view": lambda match: match.moderator.view(),
    "a seat's view": lambda match: match.moderator.view("seat:0"),
    "unchanged": lambda match: match.moderator.view(headers={"If-None-Match": '"moderator.9"'}),
    "events": lambda match: match.moderator.events("seat:1"),
    "stream": lambda match: match.moderator.try_stream(as_="moderator", after=0),
    "bundle": lambda match: match.moderator.client.get(f"{match.moderator.path}/bundle"),
    "checkpoint": lambda match: match.moderator.client.get(f"{match.moderator.path}/checkpoint"),
    "signed": lambda match: match.moderator.client.post(f"{match.moderator.path}/checkpoints"),
    "reads": lambda match: match.organiser.client.get(f"{match.organiser.path}/reads"),
}


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_look_that_cannot_be_written_is_503(
    chips: LiveMatch, look: Callable[[LiveMatch], Answer]
) -> None:
    assert_problem(look(chips), 503, "try_again")


@pytest.mark.usefixtures("away")
def test_seats_and_the_public_read_on_meanwhile(chips: LiveMatch) -> None:
    for player, as_ in ((chips.seats[0], None), (chips.anyone, "public")):
        assert player.view(as_).status_code == 200
        assert player.events(as_).status_code == 200
    assert chips.moderator.view("public").status_code == 200
    assert chips.seats[0].act({"type": "play", "chip": 99}).status_code == 422


def test_a_line_waits_for_its_look_and_nobody_waits_for_the_line(
    chips: LiveMatch, transactions: Transactions
) -> None:
    with (
        chips.moderator.stream({"Accept": NDJSON}) as watched,
        chips.seats[0].stream({"Accept": NDJSON}) as own,
        ThreadPoolExecutor(1) as aside,
    ):
        lines, own_lines, seat = watched.iter_lines(), own.iter_lines(), chips.seats[0]
        transactions.open.clear()
        transactions.reached.clear()
        line = aside.submit(next, lines)
        try:
            for _ in range(3):
                assert seat.act({"type": "play", "chip": 99}).status_code == 422
                assert next(own_lines)
                assert seat.view().status_code == 200
            assert transactions.reached.wait(PATIENCE)
            assert not line.done()
        finally:
            transactions.open.set()
        assert line.result(PATIENCE)


def test_streams_and_requests_of_many_seats_cost_no_write_each(
    live: Live, transactions: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "BATCH_SECONDS", 0.0)
    matches = [live.started("twelve-chips") for _ in range(3)]
    wait_until(lambda: not live.instance.reads.waiting)
    transactions.open.clear()
    for match in matches:
        for _ in range(10):
            for seat in match.seats:
                assert seat.view().status_code == 200
                assert seat.act({"type": "play", "chip": 99}).status_code == 422
            assert match.anyone.view("public").status_code == 200
            assert match.anyone.events().status_code == 200
    transactions.rows.clear()
    transactions.open.set()
    wait_until(lambda: not live.instance.reads.waiting)
    assert sum(transactions.rows) <= 2 * 6
