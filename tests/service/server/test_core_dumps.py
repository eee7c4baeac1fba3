"""The memory of the service has keys and seeds: it is never written to disk."""

import subprocess
import sys
from pathlib import Path

from service.server import core_dumps
from tests.support.repository import ROOT

SHOW = """
import ctypes, resource
from service.server.core_dumps import forbid_core_dumps
PR_GET_DUMPABLE = 3
forbid_core_dumps()
print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(PR_GET_DUMPABLE))
"""


def test_a_process_is_not_dumpable_and_may_write_no_core() -> None:
    done = subprocess.run([sys.executable, "-c", SHOW], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == "(0, 0) 0", done.stderr


def test_the_service_forbids_core_dumps(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        try:
            assert "Arbiter at" in serving.stdout.readline()
            limits = Path(f"/proc/{serving.pid}/limits").read_text().splitlines()
        finally:
            serving.kill()
    (core,) = (line for line in limits if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]


def test_a_refusal_of_the_system_is_an_error() -> None:
    """The option is a number of Linux: with one that does not exist the call fails."""
    changed = SHOW.replace("PR_GET_DUMPABLE = 3", "core_dumps.PR_SET_DUMPABLE = -1").replace(
        "import ctypes, resource", "import ctypes, resource\nfrom service.server import core_dumps"
    )
    done = subprocess.run([sys.executable, "-c", changed], cwd=ROOT, capture_output=True, text=True)
    assert core_dumps.PR_SET_DUMPABLE == 4
    assert done.returncode != 0 and "OSError" in done.stderr
