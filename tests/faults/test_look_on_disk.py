"""A moderator's look is on disk before it is answered: it survives kill -9 and a power failure."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from uuid import UUID

from service.event_store.database import SQLiteDatabase
from service.event_store.reads import Read, ReadTable
from tests.faults.syscall_trace import STRACE, answered, strace_there
from tests.support.faults.server_process import PATIENCE, Process
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.waiting import wait_until

__all__ = ["strace_there"]

LOOKS = 10


def started_match(url: str) -> tuple[str, str, str]:
    """The path of a running match, its moderator's key and that of its first seat."""
    with local_http.client(url, headers=bearing(ORGANISER_KEY), timeout=PATIENCE) as organiser:
        new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
        made = organiser.post("/v1/matches", json=new).json()
        path = f"/v1/matches/{made['id']}"
        assert organiser.post(f"{path}/start").status_code == 201
        return path, made["moderator_key"], made["seats"][0]["key"]


def bearing(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def views(url: str, path: str, key: str, count: int = 1) -> Sequence[int]:
    """Asks for a view so many times; returns the numbers up to which the answers go."""
    with local_http.client(url, headers=bearing(key), timeout=PATIENCE) as reader:
        seen = [reader.get(f"{path}/view") for _ in range(count)]
    assert [answer.status_code for answer in seen] == [200] * count
    return [answer.json()["seq"] for answer in seen]


def stored(data: Path, path: str, audience: str) -> list[Read]:
    """The reads of a match as this audience that are on disk."""
    with closing(SQLiteDatabase(str(data / "arbiter.db"))) as database:
        found = ReadTable(database).of_match(UUID(path.rpartition("/")[2]))
    return [read for read in found if read.audience == audience]


def test_a_look_that_was_answered_is_there_after_kill_9(tmp_path: Path) -> None:
    with Process(tmp_path) as process:
        path, moderator, _ = started_match(process.url)
        (seq,) = views(process.url, path, moderator)
        process.kill()
    (look,) = stored(tmp_path, path, "moderator")
    assert (look.hidden, look.role, look.seq) == (True, "moderator", seq)
    assert look.first == look.last > 0


def test_a_seat_s_read_is_there_soon_after(tmp_path: Path) -> None:
    with Process(tmp_path) as process:
        path, _, seat = started_match(process.url)
        (seq,) = views(process.url, path, seat)
        wait_until(lambda: bool(stored(tmp_path, path, "seat:0")))
        process.kill()
    (read,) = stored(tmp_path, path, "seat:0")
    assert (read.hidden, read.role, read.name, read.seq) == (False, "seat", "Ann", seq)


def test_a_look_is_synced_to_disk_before_it_is_answered(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    under = (*STRACE, f"--output={trace}")
    with Process(tmp_path / "data", under=under) as process:
        path, moderator, _ = started_match(process.url)
        views(process.url, path, moderator, LOOKS)
        # The awaited line appears in the trace only after everything that came before it.
        local_http.get(f"{process.url}/healthz").raise_for_status()
    assert answered(trace, method="GET", status=200) == (LOOKS, 0)
