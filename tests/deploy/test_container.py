"""The container file: its content, and that its commands do what they should."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from urllib.request import OpenerDirector

import pytest

from tests.support.deploy.child_process import answering, child, free_ports
from tests.support.deploy.manifests import DEPLOY, understood
from tests.support.repository import ROOT

FILE = DEPLOY / "container" / "Dockerfile"
HADOLINT = shutil.which("hadolint") or shutil.which("hadolint", path=Path(sys.executable).parent)

Instruction = tuple[str, str]


def instructions() -> list[list[Instruction]]:
    """The instructions of each stage; what comes before the first is a stage, too."""
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    text = re.sub(r"\\\n\s*", "", "\n".join(lines))
    stages: list[list[Instruction]] = [[]]
    for line in filter(None, text.splitlines()):
        name, _, rest = line.partition(" ")
        if name == "FROM":
            stages.append([])
        stages[-1].append((name, rest))
    return stages


def all_of(name: str, stage: list[Instruction]) -> list[str]:
    return [rest for instruction, rest in stage if instruction == name]


ARGUMENTS, *STAGES = instructions()
BUILT, FINAL = STAGES[-2:]


def environment() -> dict[str, str]:
    """The environment that the image sets."""
    words = " ".join(all_of("ENV", FINAL)).split()
    return dict(word.split("=", 1) for word in words)


def test_everything_installed_is_in_the_image() -> None:
    copied = [
        source
        for line in all_of("COPY", BUILT)
        if not line.startswith("--from")
        for source in line.split()[:-1]
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(copied) >= {"pyproject.toml", "uv.lock", project["project"]["readme"], *packages}
    assert all((ROOT / source).exists() for source in copied)
    ignored = FILE.with_name("Dockerfile.dockerignore").read_text().splitlines()
    sent = [line[1:] for line in ignored if line.startswith("!")]
    assert "*" in ignored
    assert set(copied) == set(sent), "what is copied is not what is sent"
    assert not any(fnmatch(secret, name) for secret in ("data", ".env", ".git") for name in sent)


def test_the_lock_file_decides_what_is_installed() -> None:
    syncs = [run for run in all_of("RUN", BUILT) if "uv sync" in run]
    assert len(syncs) == 2
    assert all("--frozen" in run and "--no-dev" in run for run in syncs)
    makefile = (ROOT / "Makefile").read_text()
    (version,) = re.findall(r"^UV_VERSION := (\S+)$", makefile, re.MULTILINE)
    assert f"UV=ghcr.io/astral-sh/uv:{version}" in all_of("ARG", ARGUMENTS)


def test_every_base_has_a_tag() -> None:
    for argument in all_of("ARG", ARGUMENTS):
        _, image = argument.split("=")
        assert re.search(r":[^:/]+$", image), image
        assert not image.endswith(":latest")
    bases = {stage[0][1].split()[0] for stage in STAGES}
    assert bases == {"${UV}", "${PYTHON}"}


def test_it_does_not_run_as_root() -> None:
    (user,) = all_of("USER", FINAL)
    # A number: Kubernetes can see that this is not root.
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    names = [name for name, _ in FINAL]
    assert "COPY" not in names[names.index("USER") :], "files that the user could change"
    assert f"--uid {user.partition(':')[0]} " in " ".join(all_of("RUN", FINAL))
    assert environment()["ARBITER_DATA"] in all_of("VOLUME", FINAL)


def test_the_service_understands_its_settings() -> None:
    settings = understood(environment())
    assert settings.server.host == "0.0.0.0"  # noqa: S104  of the container
    assert str(settings.server.port) in all_of("EXPOSE", FINAL)
    assert settings.logs.format == "json"


def health_check() -> list[str]:
    (check,) = all_of("HEALTHCHECK", FINAL)
    words: list[str] = json.loads(check[check.index("[") :])
    return words


@pytest.mark.parametrize("port", ["", "8123", None])
def test_the_health_check_asks_where_the_service_listens(
    monkeypatch: pytest.MonkeyPatch, port: str | None
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(OpenerDirector, "open", lambda _self, url, **_: asked.append(url))
    monkeypatch.delenv("ARBITER_PORT", raising=False)
    given = {} if port is None else {"ARBITER_PORT": port}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    exec(health_check()[-1], {})  # noqa: S102  as the image does
    assert asked == [f"http://127.0.0.1:{understood(given).server.port}/healthz"]


def test_it_reports_its_health(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    env = {**environment(), "ARBITER_PORT": str(port), "ARBITER_DATA": str(tmp_path / "data")}
    env |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    # Where the service reaches the world through a proxy, the check does not ask that.
    env |= dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    (entry,), (command,) = all_of("ENTRYPOINT", FINAL), all_of("CMD", FINAL)
    probe = health_check()

    def healthy() -> bool:
        return subprocess.run(probe, env=env, capture_output=True).returncode == 0

    words = json.loads(entry) + json.loads(command)
    words[0] = shutil.which(words[0], path=env["PATH"])
    with child(words, env, tmp_path / "log", tmp_path) as running:
        answering(port, running, tmp_path / "log")
        assert healthy()
    assert not healthy()


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed")
def test_hadolint_finds_nothing() -> None:
    assert HADOLINT is not None
    said = subprocess.run([HADOLINT, "--no-color", FILE], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
