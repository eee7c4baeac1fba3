"""A machine's wall clock that can be set while a server's process runs: a small library in C,
loaded before the C library of that process."""

import subprocess
from pathlib import Path

from tests.faults.faulty_disk import compiler

SOURCE = Path(__file__).with_suffix(".c")
INT_BYTES = 4


class MachineClock:
    """The wall clock of the processes that have its `environment`."""

    def __init__(self, folder: Path) -> None:
        """Compiles the library into the folder."""
        library, self._ahead = folder / "machine_clock.so", folder / "ahead"
        command: list[str | Path] = [compiler(), "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]
        subprocess.run(command, check=True)
        self._ahead.write_bytes(bytes(INT_BYTES))
        self.environment = {"LD_PRELOAD": str(library), "MACHINE_CLOCK": str(self._ahead)}

    def set(self, seconds: int) -> None:
        """Sets the clock so many seconds ahead of the true time, or behind it."""
        with self._ahead.open("r+b") as file:
            file.write(seconds.to_bytes(INT_BYTES, "little", signed=True))
