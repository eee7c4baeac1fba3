"""What takes long to make, and depends on files alone, is made once: next to the packages."""

import fcntl
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

MADE = Path(sys.prefix) / "made"


def made_once(name: str, sources: Iterable[Path], make: Callable[[Path], None]) -> Path:
    """The folder that `make` has filled from these sources, in this process or another one, now or
    earlier."""
    contents = b"".join(sha256(source.read_bytes()).digest() for source in sources)
    folder = MADE / f"{name}-{sha256(contents).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    complete = folder / ".complete"
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            make(folder)
            complete.touch()
    return folder
