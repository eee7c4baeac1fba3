"""Makes the classes of the Python client that block from those for an event loop, by
`python -m tests.clients.blocking_half`."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "clients/python/src/arbiter_client"
WAITING, BLOCKING = PACKAGE / "asynchronous", PACKAGE / "blocking"

RUFF = Path(sys.executable).with_name("ruff")

DROPPED = re.compile(r".*  # only with an event loop\n")

REPLACED = {
    r"\basync (def|for|with)\b": r"\1",
    r"\bawait ": "",
    r"\bAsyncByteStream\b": "SyncByteStream",
    r"\bAsync(?=[A-Z])": "",
    r"\b__a(iter|enter|exit)__\b": r"__\1__",
    r"\ba(next|read|close|iter_bytes)\b": r"\1",
    r"\bhandle_async_request\b": "handle_request",
    r"\basyncio\b": "time",
    r"\basynchronous\b": "blocking",
    r"\bwith an event loop\b": "without an event loop",
}

MADE = "# Made from the asynchronous classes by `make blocking-client`: change those.\n"


def blocking(source: str) -> str:
    """A module without waiting."""
    made = DROPPED.sub("", source)
    for pattern, text in REPLACED.items():
        made = re.sub(pattern, text, made)
    return _formatted(MADE + made)


def modules() -> Iterator[tuple[str, str]]:
    """The name and the text of each module, as it is to be."""
    for path in sorted(WAITING.glob("*.py")):
        if path.name == "__init__.py":
            yield path.name, '"""The classes for programs without an event loop."""\n'
        else:
            yield path.name, blocking(path.read_text())


def _formatted(source: str) -> str:
    for arguments in (["check", "--fix-only", "--quiet", "--select", "I"], ["format"]):
        ruff = [str(RUFF), *arguments, "--stdin-filename", str(BLOCKING / "made.py"), "-"]
        done = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True)
        source = done.stdout
    return source


def make() -> None:
    """Writes all modules."""
    BLOCKING.mkdir(exist_ok=True)
    made = dict(modules())
    for path in set(BLOCKING.glob("*.py")) - {BLOCKING / name for name in made}:
        path.unlink()
    for name, text in made.items():
        (BLOCKING / name).write_text(text)


if __name__ == "__main__":
    make()
