"""An action answered 201 is on disk: the kernel was asked to sync the write-ahead log between the
request and the first byte of the answer.

Killing a process cannot show this, because what the kernel holds survives it; so the service and
all processes of PostgreSQL run under strace, in one trace, so that the order is the true one.
Controls show that the check fails where the promise is broken.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.syscall_trace import STARTS, STRACE, answered, starts_matches
from tests.support.faults.server_process import Process
from tests.support.http import local_http
from tests.support.servers.postgres_server import PostgresServer
from tests.support.servers.serve_process import refused_start

ON_POSTGRES = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)
NO_WAIT = {"synchronous_commit": "off"}


def traced(
    folder: Path, options: tuple[str, ...], parameters: dict[str, str], clients: int = 1
) -> tuple[int, int]:
    """Serves this many clients; returns the answers with 201, and how many of them were unsafe."""
    trace, log, store = folder / "trace", "-wal>", None
    under = [*STRACE, f"--output={trace}"]
    with ExitStack() as stack:
        if "--postgres" in options:
            postgres = stack.enter_context(PostgresServer(**parameters))
            store, log = postgres.named_database("arbiter"), "/pg_wal/"
            parent = (postgres.cluster / "postmaster.pid").read_text().split()[0]
            under.append(f"--attach={parent}")
        process = stack.enter_context(Process(folder / "data", *options, under=under, store=store))
        with ThreadPoolExecutor(clients) as senders:
            sent = sum(senders.map(starts_matches, [process.url] * clients))
        # The awaited line appears in the trace only after everything that came before it.
        local_http.get(f"{process.url}/healthz").raise_for_status()
    answers, unsafe = answered(trace, log)
    assert answers == sent == 3 * STARTS * clients
    return answers, unsafe


@pytest.mark.parametrize(
    ("options", "clients"), [((), 1), ((), 4), pytest.param(("--postgres",), 1, marks=ON_POSTGRES)]
)
def test_every_action_is_synced_to_disk_before_it_is_answered(
    tmp_path: Path, options: tuple[str, ...], clients: int
) -> None:
    _, unsafe = traced(tmp_path, options, {}, clients)
    assert unsafe == 0


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (("--synchronous", "OFF"), {}),
        (("--synchronous", "NORMAL"), {}),
        pytest.param(("--postgres", "--lax"), NO_WAIT, marks=ON_POSTGRES),
        pytest.param(("--postgres", "--early"), {}, marks=ON_POSTGRES),
    ],
)
def test_control_where_commits_do_not_wait_answers_go_out_before_the_sync(
    tmp_path: Path, options: tuple[str, ...], parameters: dict[str, str]
) -> None:
    answers, unsafe = traced(tmp_path, options, parameters)
    assert unsafe > answers // 2


@ON_POSTGRES
def test_where_commits_do_not_wait_the_command_refuses_to_serve(tmp_path: Path) -> None:
    with PostgresServer(**NO_WAIT) as postgres:
        store = postgres.named_database("arbiter")
        assert "synchronous_commit=off" in refused_start(tmp_path / "data", environment=store)
