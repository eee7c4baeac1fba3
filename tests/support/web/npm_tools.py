"""Tools from npm, exactly as a lock file says."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.web.node_program import node

PINNED = ("package.json", "package-lock.json")


def npm() -> list[str] | None:
    """The command of npm: the packaged one if it is installed, else the one on PATH; None if there
    is neither."""
    packaged = Path(node()).parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    if packaged.exists():
        return [node(), str(packaged)]
    path = shutil.which("npm")
    return None if path is None else [path]


def install(locked: Path, folder: Path) -> None:
    """Links into `folder` what the lock file in `locked` says; it is installed once. Skips the test
    where packages cannot be had, but not in CI."""
    modules = installed(locked) / "node_modules"
    for name in PINNED:
        shutil.copy(locked / name, folder)
    (folder / "node_modules").symlink_to(modules)


def installed(locked: Path) -> Path:
    """The folder with the `node_modules` of a lock file."""

    def make(folder: Path) -> None:
        for name in PINNED:
            shutil.copy(locked / name, folder)
        if not _installs(folder):
            assert "CI" not in os.environ, "CI needs npm and its packages"
            pytest.skip("npm cannot install the generators")

    return made_once("npm", [locked / name for name in PINNED], make)


def _installs(folder: Path) -> bool:
    command = npm()
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
    return (
        command is not None
        and not subprocess.run(
            [*command, "ci", *options], cwd=folder, capture_output=True, check=False
        ).returncode
    )


def tool(folder: Path, name: str, *arguments: str) -> str:
    """What an installed tool prints. Raises AssertionError with its words if it fails."""
    binary = (folder / "node_modules/.bin" / name).resolve()
    native = binary.name == "esbuild"
    command = [str(binary)] if native else [node(), str(binary)]
    result = subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    return result.stdout


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
