"""Standard output that ends the command when it cannot be written: no error of it is taken for one
of a file or of a connection."""

import io
import os
import sys

NOT_WRITTEN, READER_CLOSED, INTERRUPTED = 74, 141, 130
"""Exit statuses: standard output could not be written, its reader closed it, and Ctrl-C."""


class _Output(io.FileIO):
    """Standard output. What comes after a failure is dropped."""

    needed = True

    def __init__(self) -> None:
        super().__init__(1, "w", closefd=False)
        self._failed = False

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # any buffer
        """Raises SystemExit if it cannot be written."""
        if self._failed:
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self._failed = True
            if self.needed:
                raise _end(error) from None
            return len(data)


def _end(error: OSError) -> SystemExit:
    if isinstance(error, BrokenPipeError):
        return SystemExit(READER_CLOSED)
    sys.stderr.write(f"Standard output cannot be written: {error.strerror}\n")
    return SystemExit(NOT_WRITTEN)


def guard_output() -> None:
    """Watches over standard output from now on, unless it is closed or not the process's own."""
    if sys.stdout is None:
        # Else a file that is opened next would be standard output.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  until the process ends
    elif (before := sys.__stdout__) is not None and sys.stdout is before:
        before.flush()
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Output()),
            encoding=before.encoding,
            errors=before.errors,
            line_buffering=before.line_buffering,
        )


def go_on_without_output() -> None:
    """Lets the process go on when standard output fails: a service is not ended by it."""
    _Output.needed = False
