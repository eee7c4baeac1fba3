"""What the README of the Python client shows."""

import runpy
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES
from tests.clients.python.client_matches import arbiter, bot_of, played, started
from tests.support.docs.pages import Block, blocks
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live

CLIENT = ROOT / "clients/python"
BOT = "bot.py"

EVERY = [(game, variant) for game in GAMES for variant in GAMES[game].variants]


def shown() -> Iterator[Block]:
    return (
        block for block in blocks((CLIENT / "README.md").read_text()) if block.language == "python"
    )


@pytest.fixture(name="bot", scope="module")
def the_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bot of the README, as a file."""
    (block,) = (block for block in shown() if block.path == BOT)
    path = tmp_path_factory.mktemp("bot") / BOT
    path.write_text("\n".join(block.lines))
    return path


@pytest.mark.parametrize(("game", "variant"), EVERY)
def test_its_bot_plays_every_game(live: Live, bot: Path, game: str, variant: Json) -> None:
    made = started(live, game, variant)
    main = runpy.run_path(str(bot))["main"]
    results = played(
        live, made, game, [partial(main, live.url, made.id, s.key) for s in made.seats]
    )
    with arbiter(live.url) as anyone:
        view = anyone.match(made.id).view()
    assert view.over and view.result is not None
    assert results == [view.result] * len(made.seats)


def test_its_bot_is_a_program(live: Live, bot: Path) -> None:
    made = started(live, "liars-dice")
    command = [sys.executable, str(bot), f"{live.url}/v1", made.id, str(made.seats[0].key)]
    with subprocess.Popen(
        command, env={"PYTHONPATH": str(CLIENT / "src")}, stdout=subprocess.PIPE, text=True
    ) as program:
        played(live, made, "liars-dice", [bot_of(live, made, 1)])
        printed, _ = program.communicate(timeout=60)
    with arbiter(live.url) as anyone:
        assert printed == f"{anyone.match(made.id).view().result}\n"


def test_its_bot_has_about_ten_lines(bot: Path) -> None:
    lines = [line for line in bot.read_text().splitlines() if line.strip()]
    assert len(lines) <= 10


def test_the_rest_of_it_runs_in_order(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {"url": live.url, "organiser_key": ORGANISER_KEY}
    for block in shown():
        if block.path != BOT:
            exec("\n".join(block.lines), known)  # noqa: S102  that is what a reader does
    known["arbiter"].close()
    assert len(known["ann"].receipts) == 3
    assert (tmp_path / "my-receipts.json").read_text().count('"note":') == 3
