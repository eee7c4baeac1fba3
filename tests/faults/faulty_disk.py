"""A disk below the database that fails when it is told to: a small library in C, loaded before the
C library of a server's process."""

import asyncio
import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import pytest

Fault = Literal["full", "write error", "torn write", "sync error", "read error", "flipped bit"]

KINDS: dict[Fault, int] = {
    "full": 1,
    "write error": 2,
    "torn write": 3,
    "sync error": 4,
    "read error": 5,
    "flipped bit": 6,
}
SOURCE = Path(__file__).with_suffix(".c")
ORDER = struct.Struct("=5i")
PATIENCE = 20.0
LOOK = 0.005


class FaultyDisk:
    """Orders faults of files in a process that has its `environment`, or is run `under` it."""

    def __init__(self, folder: Path, files: str = "arbiter.db") -> None:
        """Compiles the library into the folder; it concerns files with `files` in their path."""
        library, order = folder / "faulty_disk.so", folder / "order"
        command: list[str | Path] = [compiler(), "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]
        subprocess.run(command, check=True)
        order.write_bytes(bytes(ORDER.size))
        order.chmod(0o666)  # a database server has a user of its own
        self._file = order.open("r+b")
        self._order = mmap.mmap(self._file.fileno(), ORDER.size)
        self.environment = {
            "LD_PRELOAD": str(library),
            "FAULTY_DISK_ORDER": str(order),
            "FAULTY_DISK_FILES": files,
        }
        self.under = ("env", *(f"{name}={value}" for name, value in self.environment.items()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._order.close()
        self._file.close()

    def order(self, fault: Fault, after: int, times: int, bit: int = 0) -> None:
        """Lets `after` calls of this kind pass, and fails as many as `times` then. `bit` says which
        one of what is read is flipped first; each call flips another one."""
        # The kind comes last: before it nothing fails.
        self._order[:] = ORDER.pack(0, after, times, 0, bit)
        self._order[:4] = struct.pack("=i", KINDS[fault])

    def mend(self) -> int:
        """Ends the fault; returns how many calls have failed since it was ordered."""
        self._order[:4] = bytes(4)
        return self.failed

    @property
    def failed(self) -> int:
        """How many calls have failed since the last order."""
        failed: int = ORDER.unpack(self._order[:])[3]
        return failed

    async def has_failed(self, times: int) -> None:
        """Returns when so many calls have failed."""
        async with asyncio.timeout(PATIENCE):
            while self.failed < times:  # noqa: ASYNC110  the other process tells by memory
                await asyncio.sleep(LOOK)


def compiler() -> str:
    """The C compiler. CI must have one; elsewhere the test is skipped without it."""
    found = shutil.which("cc")
    if found is None:
        assert "CI" not in os.environ, "CI needs a C compiler"
        pytest.skip("needs a C compiler (Debian: apt-get install gcc libc6-dev)")
    return found
