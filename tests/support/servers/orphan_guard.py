"""Ends a program that was started for a test when the process of the tests is gone, however it
ended."""

import subprocess
from pathlib import Path


class OrphanGuard:
    """A shell that waits for the end of its input, of which this process has the other end; then it
    runs `what`, in which `$0` is the program's process id and `$1` its folder."""

    def __init__(self, process: int, what: str, folder: Path | None = None):
        named = [] if folder is None else [str(folder)]
        self._shell = subprocess.Popen(
            ["sh", "-c", f"read _; {what}", str(process), *named],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """The program has ended, or is about to."""
        with self._shell as shell:
            shell.kill()
