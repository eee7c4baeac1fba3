"""`arbiter notation` and `arbiter import`: a match goes out as text and comes back, over a running
service and into a store."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from click.testing import CliRunner, Result

from domain.games import GAMES
from projections.notation.writing import notation
from service.cli import main
from tests.support.servers.live_server import Live, Player, serving
from tests.support.tables.notated_matches import lines, played

Run = Callable[..., Result]

DICE = """\
[Notation 1]
[Game liars-dice]
[Rules 1]
[Seat "Jörg B."]
[Seat Ben]
[Option dice 1]
[Record opened_at_end]
[Status ended]
[Result {winners:[0],losers:[1],shared:false,scores:[1,0]}]

1. draw round1/roll/0 = 3
2. draw round1/roll/1 = 4
3. "Jörg B.": bid count=1 face=3
4. Ben: challenge
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("imported")) as server:
        yield server


@pytest.fixture
def run(live: Live, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a command with the organiser's key, or with another one."""
    # Where it serves, the command says where logs go: only as long as it is tested.
    monkeypatch.setattr("service.observability.logs._log", structlog.get_logger())

    def running(*arguments: str, typed: str | None = None, key: str | None = None) -> Result:
        monkeypatch.setenv("ARBITER_MATCH_KEY", key or live.organiser.key or "")
        return CliRunner().invoke(main, arguments, input=typed)

    yield running
    structlog.reset_defaults()


def imported(result: Result) -> str:
    """The id of the match that was made."""
    assert result.exit_code == 0, result.output
    found = re.search(r"([0-9a-f-]{36}): [0-9]+ moves", result.output)
    assert found is not None, result.output
    return found[1]


def key_of(result: Result, name: str) -> str:
    found = re.search(f"  {name}: (arb_[a-z0-9_]+)", result.output)
    assert found is not None, result.output
    return found[1]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_comes_back_over_a_service(name: str, run: Run, live: Live) -> None:
    """Played out or broken off, with server chance and deadlines before, by hand after."""
    table = played(name, 0, "server")
    text = notation(table.match.id, table.records)
    made = run("import", "-", "--url", live.url, typed=text)
    match = imported(made)
    opened = table.match.over and table.match.created.record == "opened_at_end"
    key = "arb_mod_none" if opened else key_of(made, "moderator")
    reader = Player(live.anyone if opened else live.bearing(key), match)
    again = reader.client.get(f"{reader.path}/notation")
    assert lines(again.text) == lines(text)
    if not opened:
        printed = run("notation", f"{live.url}{reader.path}", key=key)
        assert printed.stdout == again.text


def test_a_fault_is_named_before_anything_is_sent(run: Run, live: Live) -> None:
    faulty = DICE.replace("face=3", "face=9")
    shown = run("import", "-", "--url", live.url, typed=faulty)
    assert shown.exit_code == 1
    assert "line 13, column 15: this is no action of the game" in said(shown)
    assert live.anyone.get("/v1/matches", name="Jörg B.").json()["matches"] == []


def test_what_the_service_refuses_is_said_in_words(run: Run, live: Live) -> None:
    refused = run("import", "-", "--url", live.url, typed=DICE, key="arb_org_none")
    assert refused.exit_code == 1 and "(key_unknown)" in said(refused)
    no_address = run("import", "-", "--url", "play.example.org", typed=DICE)
    assert no_address.exit_code == 2
    assert run("import", "-", "--url", live.url, typed="1. e4 e5").exit_code == 1


def test_a_notation_goes_into_a_store_and_out_of_it(run: Run, tmp_path: Path) -> None:
    match = imported(run("import", "-", "--data", str(tmp_path), typed=DICE))
    printed = run("notation", match, "--data", str(tmp_path))
    assert printed.stdout.endswith(DICE.partition("\n\n")[2])
    path = tmp_path / "match.arb"
    exported = run(
        "export", match[:18], "--as", "moderator", "--out", str(path), "--data", str(tmp_path)
    )
    assert exported.exit_code == 0, exported.output
    assert run("notation", str(path)).stdout == printed.stdout
    for_ben = run("export", match, "--as", "ben", "--out", str(path), "--data", str(tmp_path))
    assert "for seat:1" in " ".join(for_ben.stdout.split())


def test_a_match_that_is_not_there_is_an_error(run: Run, live: Live, tmp_path: Path) -> None:
    nowhere = "019b76da-a800-7000-8000-000000000000"
    assert run("notation", f"{live.url}/v1/matches/{nowhere}").exit_code == 1
    assert "no such file" in said(run("notation", str(tmp_path / "none.arb"))).lower()


def said(shown: Result) -> str:
    """What is said of an error, without its frame."""
    return " ".join(shown.stderr.replace("│", " ").split())
