"""Runs tests on mutants, in a copy of the code: the checkout is never changed."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

COPIED = ("domain", "projections", "service", "tests", "pyproject.toml", "README.md")
LEFT_OUT = shutil.ignore_patterns("node_modules", "__pycache__", ".*")

SECONDS_FOR_TESTS = 300
SECONDS_MORE = 10
"""CPU seconds of the tests without a change, and what a mutant may take beyond three times theirs.
A mutant that takes more is killed: it does not come to an end."""
TIMES_SLOWER = 10
"""How much longer than its CPU seconds a run may take on a busy machine."""
MEMORY = 4 << 30
"""Maximum bytes of memory; a mutant may fill it in a loop."""

PASSED, NO_TESTS = 0, 5

# In a process of its own pytest needs few plugins, and starts faster without the others.
PYTEST = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
import pytest
sys.exit(pytest.main(sys.argv[3:]))
"""
ARGUMENTS = (
    "-x", "--tb=no", "-p", "pytest_asyncio.plugin", "-p", "_hypothesis_pytestplugin",
    "-p", "no:cacheprovider", "--hypothesis-seed=0",
)  # fmt: skip


class Unusable(Exception):
    """The tests fail or are missing before anything is changed: they say nothing of mutants."""


class Laboratory:
    """A copy of the code in which one file at a time is replaced by its mutants."""

    def __init__(self, root: Path, folder: Path, copied: Sequence[str] = COPIED) -> None:
        self.folder = folder
        for name in copied:
            if (root / name).is_dir():
                shutil.copytree(root / name, folder / name, ignore=LEFT_OUT)
            else:
                shutil.copy(root / name, folder / name)
        # By default compiled code is known by the time and size of its source, and a mutant would
        # be taken for another of the same second and size. So it is known by its hash.
        command = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", str(folder)]
        subprocess.run([sys.executable, *command], check=True)

    def seconds_needed(self, tests: Sequence[str]) -> int:
        """The limit of CPU seconds for each mutant. Raises Unusable if a test fails unchanged."""
        before = _children_seconds()
        made = self._run(tests, SECONDS_FOR_TESTS)
        if made.returncode != PASSED:
            raise Unusable(f"{' '.join(tests)}:\n{made.stdout}{made.stderr}")
        return SECONDS_MORE + round(3 * (_children_seconds() - before))

    def survives(self, file: str, source: bytes, tests: Sequence[str], seconds: int) -> bool:
        """Whether all tests pass with `source` as the content of `file`."""
        # A mutant that is no Python would be killed by any test.
        compile(source, file, "exec")
        path = self.folder / file
        original = path.read_bytes()
        path.write_bytes(source)
        try:
            made = self._run(tests, seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:
            path.write_bytes(original)
        if made.returncode == NO_TESTS:
            raise Unusable(f"there are no tests in {' '.join(tests)}")
        return made.returncode == PASSED

    def _run(self, tests: Sequence[str], seconds: int) -> subprocess.CompletedProcess[str]:
        # Examples that hypothesis has found for one mutant would be tried on the next.
        shutil.rmtree(self.folder / ".hypothesis", ignore_errors=True)
        limits = str(seconds), str(MEMORY)
        environment = {
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        return subprocess.run(
            [sys.executable, "-c", PYTEST, *limits, *ARGUMENTS, *tests],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMES_SLOWER * seconds,
        )


def _children_seconds() -> float:
    """CPU seconds of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
