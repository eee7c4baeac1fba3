"""Ids of matches and names of seats over a service, without a store."""

from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from click.testing import CliRunner, Result

from service.cli import main
from tests.support.servers.live_server import Live, LiveMatch


@pytest.fixture(scope="module")
def newer(live: Live) -> LiveMatch:
    """A match that goes on."""
    return live.started("twelve-chips")


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a store."""
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, key: str | None = None) -> Result:
    return CliRunner(env={"ARBITER_MATCH_KEY": key}).invoke(main, arguments)


def printed(*arguments: str, key: str | None = None) -> str:
    done = run(*arguments, key=key)
    assert done.exit_code == 0, done.output
    return done.stdout


def said(*arguments: str, key: str | None = None, status: int = 1) -> str:
    """What is said of an error, without its frame."""
    done = run(*arguments, key=key)
    assert (done.exit_code, done.stdout) == (status, ""), done.output
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("address", ["play.example.org", "http://u:arb_secret@127.0.0.1:1"])
def test_an_address_that_is_none_is_not_repeated(address: str) -> None:
    done = run("replay", str(uuid4()), "--url", address)
    assert done.exit_code == 2 and "an address like https://play.example.org" in done.stderr
    assert "secret" not in done.output


# Ids.


def test_the_address_of_a_match_stands_for_it(live: Live, opened: LiveMatch) -> None:
    whole = printed("replay", opened.id, "--url", live.url)
    assert opened.id in whole
    assert printed("replay", f"{live.url}/v1/matches/{opened.id}") == whole


@pytest.mark.parametrize("typed", ["nonsense", "0199aa00"])
def test_what_is_no_id_is_an_error(live: Live, typed: str) -> None:
    assert "is not a valid UUID" in said("replay", typed, "--url", live.url, status=2)


# Names of seats, and what a key allows.


def test_a_name_stands_for_its_seat(live: Live, newer: LiveMatch) -> None:
    match = newer
    asked = ("replay", match.id, "--url", live.url)
    whole = printed(*asked, "--as", "seat:1", key=match.keys[1])
    assert '"audience": "seat:1"' in whole
    for typed in ("Ben", "BEN", None):
        audience = () if typed is None else ("--as", typed)
        assert printed(*asked, *audience, key=match.keys[1]) == whole
    assert '"audience": "public"' in printed(*asked)
    assert "no such audience here: Adda" in said(*asked, "--as", "Adda")


@pytest.mark.parametrize("at", [0, 3])
def test_the_view_is_the_answer_of_the_service(live: Live, opened: LiveMatch, at: int) -> None:
    asked = ("replay", opened.id, "--url", live.url, "--as", "cy", "--at", str(at))
    answer = opened.anyone.view("seat:2", at).json()
    assert msgspec.json.decode(printed(*asked)) == answer
    assert "(history_went_back)" in said("replay", opened.id, "--url", live.url, "--at", "9999")
