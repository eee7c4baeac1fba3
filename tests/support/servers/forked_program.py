"""Programs of the service in processes of their own, forked from one that has imported it: a start
by `python -m` spends most of its time on that."""

import os
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path

from tests.support.repository import ROOT

PRELOADED = ["tests.support.servers.forked_imports"]

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(PRELOADED)


class ForkedProgram:
    """A module that runs as `__main__`, like one started by `subprocess.Popen` in a session of its
    own. What it prints is written to the file `out`, its standard error appended to `errors`."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        out: Path,
        errors: Path,
    ) -> None:
        program = (module, arguments, dict(environment), out, errors)
        self._process = FORKS.Process(target=_run, args=program)
        self._process.start()

    @property
    def pid(self) -> int:
        pid = self._process.pid
        assert pid is not None
        return pid

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """The exit status, when it has ended. Raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired(str(self._process), timeout)
        return status

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def _run(
    module: str, arguments: Sequence[str], environment: Mapping[str, str], out: Path, errors: Path
) -> None:
    os.setsid()
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    with out.open("wb") as printed:
        os.dup2(printed.fileno(), sys.stdout.fileno())
    with errors.open("ab") as appended:
        os.dup2(appended.fileno(), sys.stderr.fileno())
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)
