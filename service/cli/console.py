"""Standard output and standard error of the command line, and the progress bar of commands that
take a while."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

MOST_NAMED = 4

# No text is markup: hosts, folders and names may have brackets.
out = Console(highlight=False, emoji=False, markup=False)
err = Console(stderr=True, highlight=False, emoji=False, markup=False)


def can_ask() -> bool:
    """Whether there is someone at a terminal who can be asked."""
    return sys.stdin.isatty()


def command_line(*arguments: str) -> str:
    """A command for the user to type, which calls `arbiter` as it was called now: an environment's
    folder is rarely on PATH."""
    called = sys.argv[0]
    is_installed = Path(called).name == "arbiter" and called != which("arbiter")
    return shlex.join([called if is_installed else "arbiter", *arguments])


def few(names: Sequence[str]) -> str:
    """The names, or the first of many."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"


def progress_bar() -> Progress:
    """A progress bar, shown on a terminal only and removed at the end."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
