"""`arbiter matches`; ids and names of seats over a service, without a store."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from service.cli import main
from tests.support.http.match_play import play_out
from tests.support.http.plain_server import plain_server
from tests.support.servers.live_server import Live, LiveMatch

command = import_module("service.cli.playing.matches")
"""The module; its name in the package is the name of the command."""


@pytest.fixture(scope="module")
def opened(live: Live) -> LiveMatch:
    """A match of Liar's Dice whose record was opened at its end; the oldest."""
    match = live.started("liars-dice", ("Ann", "Ben", "Cy"), options={"dice": 1})
    play_out(match)
    return match


@pytest.fixture(scope="module")
def cup(live: Live) -> str:
    """A tournament."""
    new = {"name": "Cup", "players": ["Dan", "Eve"], "moderators": ["Mo"], "garnets": {}}
    answer = live.organiser.post("/v1/tournaments", new)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.fixture(scope="module")
def newer(live: Live, opened: LiveMatch, cup: str) -> list[LiveMatch]:
    """Three matches that go on, the oldest first; the last one is of the tournament."""
    return [
        live.started("dollar-prize", ("Zoe", "Jörg [b]")),
        live.started("twelve-chips"),
        live.started("dollar-prize", ("Dan", "Eve"), tournament=cup),
    ]


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


def ids(*arguments: str) -> list[str]:
    return [msgspec.json.decode(line)["id"] for line in printed(*arguments).splitlines()]


# The list.


def test_all_matches_are_listed_the_newest_first(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch]
) -> None:
    rows = printed("matches", "--url", f"{live.url}/").splitlines()
    assert [row.split()[0] for row in rows] == [one.id for one in (*reversed(newer), opened)]
    assert "ended    liars-dice" in rows[-1] and rows[-1].endswith("Ann, Ben, Cy")
    assert rows[2].endswith("Zoe, Jörg [b]")


@pytest.mark.parametrize("size", [1, 3, 200])
def test_pages_are_read_to_the_end(
    live: Live,
    opened: LiveMatch,
    newer: Sequence[LiveMatch],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
) -> None:
    monkeypatch.setattr(command, "PAGE", size)
    every = [match.id for match in (*reversed(newer), opened)]
    asked = ("matches", "--url", live.url, "--json")
    assert ids(*asked) == every
    assert ids(*asked, "--limit", "2") == every[:2]


def test_filters_are_those_of_the_service(
    live: Live, opened: LiveMatch, newer: Sequence[LiveMatch], cup: str
) -> None:
    asked = ("matches", "--url", live.url, "--json")
    assert ids(*asked, "--status", "ended") == [opened.id]
    assert ids(*asked, "--game", "twelve-chips") == [newer[1].id]
    assert ids(*asked, "--name", "zoe") == [newer[0].id]
    assert ids(*asked, "--tournament", cup) == [newer[2].id]
    assert "There are no such matches." in printed("matches", "--url", live.url, "--name", "Nobody")


def test_a_key_is_not_needed_and_never_printed(live: Live, newer: Sequence[LiveMatch]) -> None:
    keyed = printed("matches", "--url", live.url, key=newer[0].keys[0])
    assert keyed == printed("matches", "--url", live.url)
    assert newer[0].keys[0] not in keyed


@pytest.mark.parametrize("address", ["play.example.org", "http://u:arb_secret@127.0.0.1:1"])
def test_an_address_that_is_none_is_not_repeated(address: str) -> None:
    done = run("matches", "--url", address)
    assert done.exit_code == 2 and "an address like https://play.example.org" in done.stderr
    assert "secret" not in done.output


def test_pages_that_do_not_end_are_an_error() -> None:
    with plain_server() as server:
        server.answers = [(200, b'{"matches":[],"next":"5"}')] * 2
        assert "its pages do not end" in said("matches", "--url", server.url)


def test_what_a_foreign_service_says_does_not_move_the_cursor() -> None:
    row = (
        b'{"id":"0199aa00","game":"\\u001b[2J","seats":["\\u001b[1A"],"status":"running",'
        b'"created":"2026-01-01T12:00:00Z","tournament":null}'
    )
    with plain_server() as server:
        server.answers = [(200, b'{"matches":[%b],"next":null}' % row)]
        shown = printed("matches", "--url", server.url)
    assert "\x1b" not in shown and r"\x1b[2J" in shown


# Ids.


def test_the_address_of_a_match_stands_for_it(live: Live, opened: LiveMatch) -> None:
    whole = printed("replay", opened.id, "--url", live.url)
    assert opened.id in whole
    assert printed("replay", f"{live.url}/v1/matches/{opened.id}") == whole


@pytest.mark.parametrize("typed", ["nonsense", "0199aa00"])
def test_what_is_no_id_is_an_error(live: Live, typed: str) -> None:
    assert "is not a valid UUID" in said("replay", typed, "--url", live.url, status=2)


# Names of seats, and what a key allows.


def test_a_name_stands_for_its_seat(live: Live, newer: Sequence[LiveMatch]) -> None:
    match = newer[1]
    asked = ("replay", match.id, "--url", live.url, "--events")
    whole = printed(*asked, "--as", "seat:1", key=match.keys[1])
    assert f"{match.id}  seat:1, up to p" in whole and "hand-dealt" in whole
    for typed in ("Ben", "BEN", None):
        audience = () if typed is None else ("--as", typed)
        assert printed(*asked, *audience, key=match.keys[1]) == whole
    assert "hand-dealt" not in printed(*asked)
    assert "no such audience here: Adda" in said(*asked, "--as", "Adda")


@pytest.mark.parametrize("at", [0, 3])
def test_the_view_is_the_answer_of_the_service(live: Live, opened: LiveMatch, at: int) -> None:
    asked = ("replay", opened.id, "--url", live.url, "--as", "cy", "--at", str(at), "--json")
    answer = opened.anyone.view("seat:2", at).json()
    assert msgspec.json.decode(printed(*asked)) == answer
    assert "(no_such_position)" in said("replay", opened.id, "--url", live.url, "--at", "9999")
