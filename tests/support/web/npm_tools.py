"""Tools from npm, exactly as a lock file says."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.web.node_program import node


def npm() -> list[str] | None:
    """The command of npm: the packaged one if it is installed, else the one on PATH; None if there
    is neither."""
    packaged = Path(node()).parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    if packaged.exists():
        return [node(), str(packaged)]
    found = shutil.which("npm")
    return None if found is None else [found]


def install(locked: Path, folder: Path) -> None:
    """Installs into `folder` what the lock file in `locked` says. Skips the test where packages
    cannot be had, but not in CI."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(locked / name, folder)
    command = npm()
    if command is not None:
        options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
        done = subprocess.run(
            [*command, "ci", *options], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return
    assert "CI" not in os.environ, "CI needs npm and its packages"
    pytest.skip("npm cannot install the generators")


def tool(folder: Path, name: str, *arguments: str) -> str:
    """What an installed tool prints. Raises AssertionError with its words if it fails."""
    binary = (folder / "node_modules/.bin" / name).resolve()
    native = binary.name == "esbuild"
    command = [str(binary)] if native else [node(), str(binary)]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
