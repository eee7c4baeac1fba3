"""Whatever names the version of a release names this one, and says whether it is released."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.repository import ROOT

VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
RELEASED = re.findall(
    r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("README.md", r"Version (\S+) is"),
        ("deploy/README.md", r"arbiter:(\d\S+)"),
        ("deploy/kubernetes/example/kustomization.yaml", r"arbiter:(\d[^\s`]+)"),
        ("deploy/kubernetes/example/kustomization.yaml", r"newTag: ([^\s}]+)"),
        ("clients/python/src/arbiter_client/version.py", r'= "(.+)"'),
        ("clients/typescript/README.md", r"arbiter-client-(.+?)\.tgz"),
    ],
)
def test_what_names_a_version_names_this_one(path: str, pattern: str) -> None:
    assert set(re.findall(pattern, (ROOT / path).read_text())) == {VERSION}


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_the_package_for_npm_has_this_version(name: str) -> None:
    path = Path(ROOT, "clients/typescript", name)
    assert json.loads(path.read_text())["version"] == VERSION


def test_the_readme_says_whether_this_version_is_released() -> None:
    unreleased = f"Version {VERSION} is not released yet" in (ROOT / "README.md").read_text()
    assert unreleased == (VERSION not in RELEASED)


def test_the_newest_release_is_this_version_or_the_one_before() -> None:
    numbers = [tuple(map(int, version.split("."))) for version in (VERSION, *RELEASED)]
    assert numbers == sorted(numbers, reverse=True)
