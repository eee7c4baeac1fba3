"""Commands in folders that are closed or gone, and on stores whose paths have unusual names."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import which

import pytest

from tests.support.servers.serve_process import ARBITER, ENVIRONMENT, SECONDS, arbiter, serve

pytestmark = pytest.mark.slow(
    because="it starts a process for every kind of machine that others have"
)

NOBODY = 65534
WITHOUT_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""The superuser under this may not enter the folders of others."""

BODY = {"game": "dollar-prize", "seats": ["Ann", "Łukasz"]}


def created(data: Path) -> None:
    """Serves a store at first, records a match in it, and is ready meanwhile."""
    with serve(data) as process, process.client() as client:
        assert client.post("/v1/matches", json=BODY).status_code == 201
        assert client.get("/readyz").status_code == 200
        process.stop()


def run_in(
    folder: Path, *arguments: object, under: Sequence[str] = (), temporary: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Runs a command whose working folder is another one."""
    temporary_folder = {"TMPDIR": temporary} if temporary else {}
    program = [*under, str(ARBITER), *map(str, arguments)]
    # The folder is entered, and removed where it shall be gone, before the program begins.
    return subprocess.run(
        [
            "sh",
            "-c",
            'cd "$0" && case "$0" in *gone) rmdir "$0";; esac; exec "$@"',
            folder,
            *program,
        ],
        env=ENVIRONMENT | {"COLUMNS": "200"} | temporary_folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def closed_folder(parent: Path) -> Path:
    """A folder of another person."""
    if os.geteuid() != 0 or which("setpriv") is None:
        pytest.skip("only the superuser can make a folder of another user, with setpriv")
    folder = parent / "closed"
    folder.mkdir(mode=0o700)
    os.chown(folder, NOBODY, NOBODY)
    return folder


def commands(data: Path, backup: Path) -> list[tuple[object, ...]]:
    """Commands that start processes, or write files."""
    return [
        ("check", "--data", data),
        ("backup", backup, "--data", data),
        ("simulate", "dollar-prize", "--matches", 40),
    ]


@pytest.mark.parametrize("where", ["closed", "gone"])
def test_commands_need_no_working_folder(tmp_path: Path, where: str) -> None:
    created(tmp_path / "data")
    under = WITHOUT_OVERRIDE if where == "closed" else ()
    for number, command in enumerate(commands(tmp_path / "data", tmp_path / "made.backup")):
        if where == "closed":
            folder = tmp_path / f"{number}"
            folder.mkdir()
            folder = closed_folder(folder)
            # A shell that may still enter it changes to it, then gives the right away.
        else:
            folder = tmp_path / f"{number}-gone"
            folder.mkdir()
        result = run_in(folder, *command, under=under)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "Traceback" not in result.stderr


def test_the_folder_of_temporary_files_may_have_a_long_name(tmp_path: Path) -> None:
    created(tmp_path / "data")
    long = tmp_path / ("t" * 100) / ("u" * 100)
    long.mkdir(parents=True)
    for command in commands(tmp_path / "data", tmp_path / "made.backup"):
        result = run_in(tmp_path, *command, temporary=str(long))
        assert result.returncode == 0, result.stdout + result.stderr


def test_a_store_in_a_folder_that_is_gone_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    result = run_in(tmp_path / "gone", "check", "--data", "data")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["[red]100%41 Łódź plays", "file:a?b=c#d"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    data = tmp_path / name / "data"
    data.parent.mkdir()
    with serve(data) as process, process.client() as client:
        assert f"{data}" in process.said
        assert client.post("/v1/matches", json=BODY).status_code == 201
        assert client.get("/readyz").status_code == 200
        process.stop()
    assert sorted(path.name for path in data.parent.iterdir()) == ["data", "errors.txt", "said.txt"]
    restored = ("restore", tmp_path / "made.backup", "--data", tmp_path / "new[b]")
    for command in (*commands(data, tmp_path / "made.backup")[:2], restored):
        result = arbiter(*command)
        assert result.returncode == 0, result.stdout + result.stderr


def test_the_file_of_the_store_may_be_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "arbiter.db").symlink_to(tmp_path / "disk" / "real.db")
    created(tmp_path / "data")
    created(tmp_path / "data")
    assert (tmp_path / "disk" / "real.db").is_file()
    result = arbiter("check", "--data", tmp_path / "data")
    assert result.returncode == 0, result.stdout + result.stderr


def test_no_second_process_serves_a_store_by_another_name(tmp_path: Path) -> None:
    created(tmp_path / "data")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "arbiter.db").symlink_to(tmp_path / "data" / "arbiter.db")
    with serve(tmp_path / "data"):
        result = arbiter("serve", "--port", 0, "--data", tmp_path / "linked")
    assert result.returncode == 1
    assert "another process serves" in " ".join(result.stderr.split())
