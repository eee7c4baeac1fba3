"""An action answered 201 is on disk on PostgreSQL, too: the kernel was asked to sync its
write-ahead log between the request and the answer.

The service and all processes of PostgreSQL are in one trace, so that the order is the true one; two
controls show that the check fails where the promise is broken.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.faults.server_process import PATIENCE, serving
from tests.support.faults.syscall_trace import (
    STARTS,
    STRACE,
    answered,
    starts_matches,
    strace_there,
)
from tests.support.faults.worker_fleet import ARBITER
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

__all__ = ["strace_there"]

LOG = "/pg_wal/"


def traced(folder: Path, *options: str, **parameters: str) -> tuple[int, int]:
    """Serves a client with PostgreSQL under strace; returns the answers with 201, and how many were
    unsafe."""
    trace = folder / "trace"
    with PostgresServer(**parameters) as postgres:
        under = (*STRACE, f"--output={trace}", f"--attach={number(postgres)}")
        store = postgres.named_database("arbiter")
        with serving(folder / "data", "--postgres", *options, under=under, store=store) as process:
            sent = starts_matches(process.url)
            # The awaited line appears in the trace only after everything that came before it.
            local_http.get(f"{process.url}/healthz").raise_for_status()
    answers, unsafe = answered(trace, LOG)
    assert answers == sent == 3 * STARTS
    return answers, unsafe


def number(postgres: PostgresServer) -> int:
    """The id of its first process, the parent of all others."""
    return int((postgres.cluster / "postmaster.pid").read_text().split()[0])


def test_every_action_is_synced_by_postgres_before_it_is_answered(tmp_path: Path) -> None:
    _, unsafe = traced(tmp_path)
    assert unsafe == 0


def test_control_where_commits_do_not_wait_answers_go_out_before_the_sync(tmp_path: Path) -> None:
    answers, unsafe = traced(tmp_path, "--lax", synchronous_commit="off")
    assert unsafe > answers // 2


def test_control_a_store_that_answers_early_is_detected(tmp_path: Path) -> None:
    answers, unsafe = traced(tmp_path, "--early")
    assert unsafe > answers // 2


def test_where_commits_do_not_wait_the_command_refuses_to_serve(tmp_path: Path) -> None:
    with PostgresServer(synchronous_commit="off") as postgres:
        store = postgres.named_database("arbiter")
        refused = subprocess.run(
            [ARBITER, "serve", "--port", "0", "--data", tmp_path],
            cwd=ROOT,
            env={**os.environ, **store, "ARBITER_ORGANISER_KEY": ORGANISER_KEY},
            capture_output=True,
            text=True,
            timeout=3 * PATIENCE,
            check=False,
        )
    assert refused.returncode == 1
    assert "synchronous_commit=off" in refused.stderr
