"""Programs of the service in processes of their own, forked from one that has imported it: a start
by `python -m` spends most of its time on that."""

import os
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from tests.support.repository import ROOT

PRELOADED = ["service.app", "service.instance", "service.server.web_server", "service.checking.pool"]
"""What takes long to import, and reads no environment then."""

FORKS = get_context("forkserver")


class ForkedProgram:
    """A module that runs as `__main__`, like one started by `subprocess.Popen` in a session of its
    own: `stdout` is a pipe, the standard error is appended to the file `errors`."""

    def __init__(
        self, module: str, arguments: Sequence[str], environment: Mapping[str, str], errors: Path
    ) -> None:
        FORKS.set_forkserver_preload(PRELOADED)
        reading, writing = FORKS.Pipe(duplex=False)
        told = (module, arguments, dict(environment), errors, writing)
        self._process = FORKS.Process(target=_run, args=told)
        self._process.start()
        writing.close()
        with reading:
            self.stdout = os.fdopen(os.dup(reading.fileno()))

    @property
    def pid(self) -> int:
        pid = self._process.pid
        assert pid is not None
        return pid

    def wait(self, timeout: float) -> int:
        """The exit status, when it has ended. Raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(str(self._process), timeout)
        return self._process.exitcode

    def terminate(self) -> None:
        """Sends SIGTERM."""
        self._process.terminate()


def _run(
    module: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    errors: Path,
    out: Connection,
) -> None:
    """In the process."""
    os.setsid()
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    with errors.open("ab") as appended:
        os.dup2(appended.fileno(), sys.stderr.fileno())
    with out:
        os.dup2(out.fileno(), sys.stdout.fileno())
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)
