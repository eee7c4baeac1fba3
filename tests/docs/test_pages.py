"""The commands on the pages work, and print what the pages show."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.running import follow
from tests.support.docs.pages import pages, steps
from tests.support.repository import ROOT


@pytest.fixture(autouse=True)
def _curl() -> None:
    if shutil.which("curl") is None:
        assert "CI" not in os.environ, "CI needs curl"
        pytest.skip("pages type curl (Debian: apt-get install curl)")


FIRST = ("README.md", "service/web/docs/first-bot.md")
"""What a newcomer types first. The others are typed by `make long`."""

SLOW = pytest.mark.slow(because="it types whole pages into a service of their own")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=() if name in FIRST else SLOW)
        for page in pages(ROOT)
        for name in (str(page.relative_to(ROOT)),)
    ],
)
def test_the_typed_commands_work(page: Path, tmp_path: Path) -> None:
    made = follow(steps(page.read_text()), tmp_path)
    if page == ROOT / "README.md" and (ROOT / ".git").exists():
        assert unignored(made) == set()


def test_the_readme_can_be_typed() -> None:
    assert ROOT / "README.md" in pages(ROOT)
    assert steps((ROOT / "README.md").read_text())


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout of git")
@pytest.mark.parametrize(
    "path",
    [
        ".coverage.host.1", ".hypothesis/examples/1", "clients/node_modules/a", "junit.xml",
        "deploy/compose/.env", "match.arb", "schemathesis-report/1", "service/__pycache__/app.pyc",
    ],
)  # fmt: skip
def test_git_ignores_the_files_that_tools_leave(path: str) -> None:
    assert unignored({path}) == set()


def unignored(paths: set[str]) -> set[str]:
    """Those that git would add."""
    command = ["git", "check-ignore", "--no-index", "--stdin"]
    asked = "\n".join(paths)
    checked = subprocess.run(
        command, input=asked, cwd=ROOT, capture_output=True, text=True, check=False
    )
    return paths - set(checked.stdout.splitlines())
