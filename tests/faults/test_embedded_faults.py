"""The embedded store is damaged, or its disk is full: readiness, answers and the log say so."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree

import httpx
import pytest

from tests.faults.served_process import Served, served
from tests.support.faults.small_disk import MIB, SmallDisk, leaves, overwrite, small_disk
from tests.support.http.match_play import assert_problem
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, LiveMatch
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

NOT_NOW = {"type": "end_turn"}
"""An action that is refused before the first turn, however often it is sent."""

MATCHES = 12
REQUESTS = 100

LOG_BYTES = 4_000
"""What an outage may add to the log, whatever fails meanwhile."""

LIMITS = {"ARBITER_DISK_LOW": "3", "ARBITER_DISK_FULL": "1"}


def assert_needs_operator(answer: httpx.Response, detail: str) -> None:
    problem = assert_problem(answer, 503, "operator_needed")
    assert detail in problem["detail"]
    assert "not your fault" in problem["title"]
    assert int(answer.headers["retry-after"]) >= 30


def assert_quiet(service: Served, outage: str) -> None:
    """The outage is one line, without a traceback."""
    told = [line for line in service.lines() if line.get("outage") == outage]
    assert len(told) == 1, service.logged()
    assert "File " not in told[0]["exception"]
    assert len(service.logged()) < LOG_BYTES, service.logged()


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store that no one uses, and the matches in it, the oldest first."""
    folder = tmp_path_factory.mktemp("once")
    data = folder / "data"
    with served(data, folder) as service:
        matches = [service.started() for _ in range(MATCHES)]
        for match in matches:
            for _ in range(10):
                assert match.seats[0].act(NOT_NOW).status_code == 422
    return data, [match.id for match in matches]


@pytest.fixture
def recorded(once: tuple[Path, list[str]], tmp_path: Path) -> tuple[Path, list[str]]:
    """A copy of it."""
    data, matches = once
    return Path(copytree(data, tmp_path / "data")), matches


def test_a_page_that_was_damaged_before_the_start(
    tmp_path: Path, recorded: tuple[Path, list[str]]
) -> None:
    data, _ = recorded
    database = data / "arbiter.db"
    (middle,) = leaves(database, "stored_events")[1:2]
    overwrite(database, [middle])
    with served(data, tmp_path, ready=False) as service:
        wait_until(lambda: service.ready()[1]["checks"]["database"] == "corrupt")
        status, readiness = service.ready()
        assert (status, readiness["ready"]) == (503, False)
        # What is damaged is not added to; what can be read is.
        organiser = Client(service.http, ORGANISER_KEY)
        new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
        assert_needs_operator(organiser.post("/v1/matches", new), "damaged")
        assert service.http.get("/v1/matches").status_code == 200
        assert_quiet(service, "corrupt")


def test_a_page_that_is_damaged_while_the_service_runs(
    tmp_path: Path, recorded: tuple[Path, list[str]]
) -> None:
    data, matches = recorded
    database = data / "arbiter.db"
    pages = leaves(database, "stored_events")
    with served(data, tmp_path) as service:
        assert service.database() == "up"
        overwrite(database, pages[:-1])
        service.forget_log()
        path = f"/v1/matches/{matches[0]}/events"
        for _ in range(REQUESTS):
            assert_needs_operator(service.http.get(path), "damaged")
        wait_until(lambda: service.database() == "corrupt")
        assert service.ready()[0] == 503
        assert service.http.get("/healthz").status_code == 200
        assert_quiet(service, "corrupt")


@contextmanager
def on_small_disk(tmp_path: Path) -> Iterator[tuple[Served, SmallDisk, LiveMatch]]:
    """The service with a running match on a disk that is nearly empty."""
    with (
        small_disk(tmp_path / "disk", 24 * MIB) as disk,
        served(disk.folder / "data", tmp_path, LIMITS) as service,
    ):
        match = service.started()
        assert service.http.get("/v1/matches").json()["matches"]
        yield service, disk, match


def test_a_full_disk(tmp_path: Path) -> None:
    with on_small_disk(tmp_path) as (service, disk, match):
        assert "age" not in service.http.get("/v1/matches").headers
        service.forget_log()
        disk.fill()
        wait_until(lambda: service.database() == "full")
        assert service.ready()[0] == 503
        for number in range(REQUESTS):
            answer = match.seats[0].act(NOT_NOW, {"Idempotency-Key": f"n{number}"})
            assert_needs_operator(answer, "no room")
            # What is on record can be read, and lists say how old they are.
            assert match.seats[0].view().status_code == 200
            listed = service.http.get("/v1/matches")
            assert [row["id"] for row in listed.json()["matches"]] == [match.id]
            assert int(listed.headers["age"]) >= 0
        assert_quiet(service, "full")

        disk.empty()
        wait_until(lambda: service.ready()[0] == 200)
        assert match.seats[0].act(NOT_NOW, {"Idempotency-Key": "n0"}).status_code == 422
        assert "age" not in service.http.get("/v1/matches").headers
        wait_until(lambda: bool(service.lines("store_works_again")))
        [ended] = service.lines("store_works_again")
        assert ended["outage"] == "full"
        assert ended["failures"] >= REQUESTS and ended["seconds"] > 0


def test_lists_while_the_index_cannot_be_written(tmp_path: Path) -> None:
    """The log has grown and the disk is full before the index has followed."""
    with on_small_disk(tmp_path) as (service, disk, _):
        later = service.started()
        disk.fill()
        for path in ("/v1/matches", "/v1/tournaments"):
            answer = service.http.get(path)
            assert answer.status_code == 200, answer.text
        disk.empty()
        wait_until(lambda: service.ready()[0] == 200)

        def listed() -> bool:
            shown = service.http.get("/v1/matches").json()["matches"]
            return later.id in [row["id"] for row in shown]

        wait_until(listed)


def test_a_disk_that_is_nearly_full(tmp_path: Path) -> None:
    with on_small_disk(tmp_path) as (service, disk, match):
        assert service.ready() == (200, service.ready()[1])
        # Less than a twentieth, which is more than counts as full.
        disk.fill(leave=int(1.1 * MIB))
        wait_until(lambda: service.database() == "low")
        status, readiness = service.ready()
        assert (status, readiness["ready"], readiness["degraded"]) == (200, True, True)
        assert match.seats[0].act(NOT_NOW).status_code == 422


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """As by a quota: the disk has room, and nothing can be written."""
    with served(tmp_path / "data", tmp_path) as service:
        match = service.started()
        _, hard = resource.prlimit(service.pid, resource.RLIMIT_FSIZE)
        service.forget_log()
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (4_096, hard))
        wait_until(lambda: service.database() == "io_error")
        assert_needs_operator(match.seats[0].act(NOT_NOW), "disk")
        assert service.http.get("/v1/matches").status_code == 200
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (hard, hard))
        wait_until(lambda: service.ready()[0] == 200)
        assert match.seats[0].act(NOT_NOW).status_code == 422
