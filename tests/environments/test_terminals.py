"""Terminals, settings of Python and proxies of other people: a sentence, never a traceback."""

from pathlib import Path

import pytest

from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.serve_process import arbiter, serve

pytestmark = pytest.mark.slow(
    because="it starts a process for every kind of machine that others have"
)

MATCH = "01a22863-f60e-7204-a26c-9a02e74d4ea6"
ELSEWHERE = ("--url", "http://arbiter.invalid")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_is_not_utf_8(tmp_path: Path, encoding: str) -> None:
    seats = ["Łukasz", "Ann ✓"]
    with serve(tmp_path / "data") as process, process.client() as client:
        made = client.post("/v1/matches", json={"game": "dollar-prize", "seats": seats}).json()
        assert client.post(f"/v1/matches/{made['id']}/start").status_code == 201
        environment = {"PYTHONIOENCODING": encoding}
        done = arbiter("replay", made["id"], "--url", process.url, environment=environment)
        assert done.returncode == 0, done.stderr
        assert "ukasz" in done.stdout


@pytest.mark.parametrize(
    ("environment", "command", "said"),
    [
        ({"PYTHONOPTIMIZE": "2"}, ("serve",), "PYTHONOPTIMIZE"),
        ({"PYTHONOPTIMIZE": "2"}, ("replay", MATCH, *ELSEWHERE), "PYTHONOPTIMIZE"),
        ({"ALL_PROXY": "socks5://127.0.0.1:1"}, ("replay", MATCH, *ELSEWHERE), "ALL_PROXY"),
        ({"ALL_PROXY": "socks5://127.0.0.1:1"}, ("demo", *ELSEWHERE), "ALL_PROXY"),
        ({"HTTP_PROXY": "ftp://proxy"}, ("replay", MATCH, *ELSEWHERE), "HTTP_PROXY"),
        ({"ARBITER_MATCH_KEY": "two words"}, ("replay", MATCH, *ELSEWHERE), "no key"),
        ({"ARBITER_ORGANISER_KEY": "two words"}, ("demo", *ELSEWHERE), "no key"),
    ],
)
def test_what_cannot_be_is_said(
    environment: dict[str, str], command: tuple[str, ...], said: str
) -> None:
    done = arbiter(*command, environment=environment)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_may_end_with_a_line_break(tmp_path: Path) -> None:
    with serve(tmp_path / "data") as process:
        done = arbiter(
            "demo", "--url", process.url, "--matches", 1,
            environment={"ARBITER_ORGANISER_KEY": f"{ORGANISER_KEY}\n"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_commands_work_without_assertions(tmp_path: Path) -> None:
    environment = {"PYTHONOPTIMIZE": "1"}
    with serve(tmp_path / "data", environment=environment) as process:
        done = arbiter("demo", "--url", process.url, "--matches", 1, environment=environment)
        assert done.returncode == 0, done.stderr
    done = arbiter("check", "--data", tmp_path / "data", environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_that_can_only_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    done = arbiter("serve", "--port", 0, "--data", tmp_path / "file" / "data")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
