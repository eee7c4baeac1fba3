"""`arbiter tournament` against a running service: from a file to the champions."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from service.cli import main
from service.cli.tournaments import tournament
from tests.support.http.match_play import play_out
from tests.support.servers.live_server import Live, LiveMatch, Player
from tests.support.waiting import wait_until

CUP = """
name = "Spring Cup"
moderators = ["Mo"]
[[stages]]
name = "Knockout"
format = "elimination"
seeding = "rating"
match = {game = "twelve-chips", options = {tokens_to_win = 1}}
moderators = "all"
round = {start = "at_once"}
"""
PEOPLE = "name,rating,team\nAnn,1800,\nBen,1700,North\n"
Run = Callable[..., Result]


@pytest.fixture
def run(live: Live, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command with the organiser's key, where no one can be asked, in a folder of its
    own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tournament, "out", Console(highlight=False, width=120))
    monkeypatch.setenv("ARBITER_MATCH_KEY", live.organiser.key or "")

    def running(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["tournament", *arguments, "--url", live.url])

    return running


def written(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_cup_goes_from_a_file_to_its_champion(run: Run, live: Live) -> None:
    made = run("create", written("cup.toml", CUP), "--people", written("people.csv", PEOPLE))
    cup = str(re.findall(r"Tournament (\S+)", done(made))[0])
    keys = Path(f"keys-{cup}.csv")
    assert keys.stat().st_mode & 0o077 == 0
    rows = list(csv.DictReader(keys.read_text().splitlines()))
    assert [(row["role"], row["name"]) for row in rows] == [
        ("moderator", "Mo"), ("player", "Ann"), ("player", "Ben"),
    ]  # fmt: skip
    assert "Knockout" in made.stdout

    refused = run("draft", cup)
    assert refused.exit_code == 1
    assert "lots_not_drawn" in refused.stderr
    assert "--yes is needed" in run("publish", cup).stderr
    published = done(run("publish", cup, "--yes"))
    assert "Ann" in published
    assert "Round 1 is published, 1 of 1 matches are there." in published

    path = f"/v1/tournaments/{cup}"
    (row,) = live.anyone.get(path).json()["matches"]
    seats = [
        Player(live.bearing(rows[1 + player]["key"]), row["match"]) for player in row["players"]
    ]
    anyone = Player(live.anyone, row["match"])
    moderator = Player(live.bearing(rows[0]["key"]), row["match"])
    match = LiveMatch(row["match"], (), "", tuple(seats), moderator, anyone, moderator, anyone)
    wait_until(lambda: live.anyone.get(anyone.path).json()["status"] == "running")
    play_out(match)
    wait_until(lambda: live.anyone.get(f"{path}/stages/1/rounds/1").json()["status"] == "closed")

    assert "round" in done(run("bracket", cup))
    assert done(run("standings", cup)).startswith("place")
    places = done(run("close", cup, "--stage", "1", "--yes")).split("\n")
    winner = places[0].removeprefix("1 ")
    assert done(run("close", cup, "--yes")) == f"Won by {winner}\n"
    assert done(run("export", cup, "--form", "csv")).splitlines()[1].startswith("1,")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("cup.toml", "name = ", "cup.toml: "),
        ("cup.yaml", "name: Cup\nplayer: [Ann]", "unknown field `player`"),
        ("cup.toml", 'name = "Cup"\n[[stages]]\nname = "S"', "The stages from here on are missing"),
    ],
)
def test_a_file_that_is_wrong_is_said(run: Run, name: str, text: str, said: str) -> None:
    refused = run("create", written(name, text))
    assert refused.exit_code in (1, 2)
    assert said in " ".join(refused.output.replace("│", " ").split())


def test_a_row_that_is_wrong_is_said_with_its_line(run: Run) -> None:
    people = written("people.csv", "name,rating\nAnn,1800\nBen,high\n")
    refused = run("create", written("cup.toml", CUP), "--people", people)
    assert "people.csv, line 3" in refused.stderr


def test_stages_that_are_missing_are_added_later(run: Run, live: Live) -> None:
    bare = done(run("create", written("bare.yaml", "name: Cup\nplayers: [Ann, Ben]")))
    cup = re.findall(r"Tournament (\S+)", bare)[0]
    assert "has no stage" in run("draft", cup).stderr
    for _ in range(2):
        done(run("add-stages", cup, written("cup.toml", CUP)))
    stages = live.anyone.get(f"/v1/tournaments/{cup}/stages").json()["stages"]
    assert [stage["name"] for stage in stages] == ["Knockout"]
