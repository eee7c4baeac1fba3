"""An action answered 201 is on disk: the kernel was asked to sync it before the first byte of the
answer was sent.

Killing the process cannot show this, because what the kernel holds survives it; so the server runs
under strace, and controls show that the check fails where the promise is broken.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.faults.server_process import serving
from tests.support.faults.syscall_trace import STARTS, STRACE, answered, starts_matches
from tests.support.http import local_http


def traced(folder: Path, synchronous: str, count: int) -> tuple[int, int]:
    """Serves this many clients under strace; returns the answers with 201, and how many of them
    were unsafe."""
    trace = folder / "trace"
    under = (*STRACE, f"--output={trace}")
    with serving(folder / "data", "--synchronous", synchronous, under=under) as process:
        with ThreadPoolExecutor(count) as clients:
            sent = sum(clients.map(starts_matches, [process.url] * count))
        # The awaited line appears in the trace only after everything that came before it.
        local_http.get(f"{process.url}/healthz").raise_for_status()
    answers, unsafe = answered(trace)
    assert answers == sent == 3 * STARTS * count
    return answers, unsafe


@pytest.mark.parametrize("clients", [1, 4])
def test_every_action_is_synced_to_disk_before_it_is_answered(tmp_path: Path, clients: int) -> None:
    _, unsafe = traced(tmp_path, "FULL", clients)
    assert unsafe == 0


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_control_without_full_answers_go_out_before_the_sync(
    tmp_path: Path, synchronous: str
) -> None:
    answers, unsafe = traced(tmp_path, synchronous, 1)
    assert unsafe > answers // 2
