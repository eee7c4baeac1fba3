"""What `make` installs and runs, with stand-ins for Python, uv and the installed programs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()

STAND_IN = """#!/bin/sh
# Notes how it was called, and makes what the program would have made.
set -e
echo "$(basename "$0") $* | $ARBITER_HOST:$ARBITER_PORT" >> calls
made() { for each; do mkdir -p "$(dirname "$each")"; cp "$0" "$each"; done; }
case "$*" in
-c*) exit "${TOO_OLD:-0}" ;;
"-m venv .venv/uv") made .venv/uv/bin/python ;;
"-m venv"*) made .venv/bin/python ;;
"-m pip install"*) [ -z "$CUT" ] && made .venv/uv/bin/uv ;;
sync*--no-dev) made .venv/bin/arbiter ;;
sync*) made .venv/bin/pytest ;;
esac
"""

INSTALLS_SERVING = "uv sync --frozen --quiet --inexact --no-dev"
INSTALLS_TOOLS = "uv sync --frozen --quiet --inexact"


class Checkout:
    """A checkout in which nothing is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Makefile", "pyproject.toml", "uv.lock"):
            shutil.copy(ROOT / name, folder)
        python = folder / "bin/python3"
        python.parent.mkdir()
        python.write_text(STAND_IN)
        python.chmod(0o755)

    def make(self, *arguments: str, status: int = 0, **settings: str) -> str:
        """The output of make."""
        (self.folder / "calls").write_text("")
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        made = subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            env={"PATH": path, "ARBITER_HOST": "", "ARBITER_PORT": "", **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == status, made.stderr
        return made.stdout

    @property
    def calls(self) -> list[str]:
        """How programs were called by the last make, without their settings."""
        lines = (self.folder / "calls").read_text().splitlines()
        return [line.partition(" | ")[0] for line in lines]

    @property
    def settings(self) -> str:
        """The environment of the last program."""
        return (self.folder / "calls").read_text().splitlines()[-1].partition(" | ")[2]


@pytest.fixture(name="checkout")
def a_checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_serving_installs_its_dependencies_and_prints_each_step(checkout: Checkout) -> None:
    said = checkout.make("serve").splitlines()
    assert [call.split(" -c")[0] for call in checkout.calls] == [
        "python3",
        "python3 -m venv --without-pip .venv",
        "python3 -m venv .venv/uv",
        f"python -m pip install --quiet --disable-pip-version-check uv=={uv_version()}",
        INSTALLS_SERVING,
        "arbiter serve",
    ]
    assert [line.split()[0] for line in said] == ["Making", "Installing", "Installing"]


@pytest.mark.parametrize("first", ["serve", "test"])
def test_installed_packages_stay_and_are_not_installed_again(
    checkout: Checkout, first: str
) -> None:
    checkout.make(first)
    checkout.make("serve")
    assert checkout.calls == ["arbiter serve"]
    checkout.make("test")
    tools = [] if first == "test" else [INSTALLS_TOOLS]
    assert checkout.calls == [*tools, "pytest -n 3 --dist worksteal"]
    for target in ("serve", "test", "serve"):
        assert "Installing" not in checkout.make(target)


def test_charts_are_installed_in_addition(checkout: Checkout) -> None:
    checkout.make("test")
    checkout.make("charts")
    assert checkout.calls[0] == f"{INSTALLS_TOOLS} --group charts"
    checkout.make("test")
    assert checkout.calls == ["pytest -n 3 --dist worksteal"]


def test_a_simulation_with_faults_takes_length_and_seed(checkout: Checkout) -> None:
    checkout.make("simulate-faults", "STEPS=1000", "SEED=8.3", "ONLY=0-4/2")
    assert checkout.calls[-1] == "python -m tests.simulation --steps 1000 --seed 8.3 --only 0-4/2"
    checkout.make("simulate-faults")
    assert checkout.calls == ["python -m tests.simulation --steps 1000000"]


def test_the_long_form_of_the_faults_simulates_them_too(checkout: Checkout) -> None:
    checkout.make("faults", "STEPS=1000", "SEED=8.3")
    assert checkout.calls[-1] == "python -m tests.simulation --steps 1000 --seed 8.3"


def test_nothing_that_was_installed_is_ever_removed() -> None:
    syncs = re.findall(r"^\t.*\bsync\b.*$", MAKEFILE, re.MULTILINE)
    assert len(syncs) == 3
    assert all("--inexact" in sync and "--frozen" in sync for sync in syncs)


def test_a_new_lock_file_is_installed_by_each_target_for_itself(checkout: Checkout) -> None:
    checkout.make("test")
    newer = (checkout.folder / ".venv/test.ready").stat().st_mtime + 10
    os.utime(checkout.folder / "uv.lock", (newer, newer))
    checkout.make("serve")
    assert checkout.calls == [INSTALLS_SERVING, "arbiter serve"]


def test_a_new_uv_is_installed(checkout: Checkout) -> None:
    checkout.make("serve")
    checkout.make("serve", "UV_VERSION=99.0")
    assert any("uv==99.0" in call for call in checkout.calls)


def test_an_interrupted_installation_is_repeated(checkout: Checkout) -> None:
    checkout.make("serve", status=2, CUT="1")
    checkout.make("serve")
    assert checkout.calls[-2:] == [INSTALLS_SERVING, "arbiter serve"]


def test_an_older_python_is_refused(checkout: Checkout) -> None:
    checkout.make("serve", status=2, TOO_OLD="1")
    assert not (checkout.folder / ".venv").exists()


def test_settings_reach_the_service(checkout: Checkout) -> None:
    checkout.make("serve", ARBITER_HOST="0.0.0.0", ARBITER_PORT="9000")  # noqa: S104
    assert checkout.settings == "0.0.0.0:9000"
    checkout.make("serve", "ARBITER_PORT=9001")
    assert checkout.settings == ":9001"


def test_mutants_are_sampled_as_asked(checkout: Checkout) -> None:
    checkout.make("mutants", "SAMPLE=5", "SEED=2", "MODULES=merkle notes")
    program = "python -m tests.mutants merkle notes"
    assert checkout.calls[-1] == f"{program} --sample 5 --seed 2 --processes 2"


def test_make_alone_lists_every_target(checkout: Checkout) -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    listed = [line.split()[1] for line in checkout.make().splitlines()]
    assert listed == phony.split()
    assert checkout.calls == []
    assert checkout.make("help") == checkout.make()


def test_cleaning_leaves_data(checkout: Checkout) -> None:
    checkout.make("serve")
    (checkout.folder / "data").mkdir()
    (checkout.folder / ".pytest_cache").mkdir()
    checkout.make("clean")
    left = {path.name for path in checkout.folder.iterdir()}
    assert left == {"Makefile", "pyproject.toml", "uv.lock", "bin", "calls", "data"}


def uv_version() -> str:
    (version,) = re.findall(r"^UV_VERSION := (\S+)$", MAKEFILE, re.MULTILINE)
    return str(version)
