"""`arbiter replay --step`: every position of a recorded match, by the keyboard alone."""

from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner
from textual.pilot import Pilot

from service.cli.replay import replay
from service.cli.replay_sources import ServedMatch, recorded_match
from service.cli.screens.step_app import StepApp
from service.cli.service_connection import MatchConnection
from tests.recorded.files import outcome, records
from tests.support.cli.audit_runs import store_match
from tests.support.cli.screens import text_of
from tests.support.http.match_play import step
from tests.support.servers.live_server import serving
from tests.support.waiting import until

NAME = "twelve-chips.manual"
FAST = 0.001


def stepping(reader: str = "public", at: int = 0, pace: float = 60.0) -> StepApp:
    return StepApp(recorded_match(outcome(NAME).match, records(NAME)), reader, at, pace)


async def arrived(app: StepApp, at: int) -> None:
    """Returns when this position is shown."""
    await until(lambda: app.at == at and text_of(app, "#waiting").startswith(f"{at} of "))


def last_of(reader: str) -> int:
    return recorded_match(outcome(NAME).match, records(NAME)).view(reader, None).seq


async def pressed(pilot: Pilot[None], app: StepApp, key: str, at: int) -> None:
    await pilot.press(key)
    await arrived(app, at)


@pytest.mark.parametrize("size", [(40, 30), (140, 40)])
async def test_arrows_home_end_and_numbers_reach_every_position(size: tuple[int, int]) -> None:
    app, last = stepping(), last_of("public")
    async with app.run_test(size=size) as pilot:
        await arrived(app, 0)
        await pressed(pilot, app, "left", 0)
        await pressed(pilot, app, "right", 1)
        await pressed(pilot, app, "end", last)
        await pressed(pilot, app, "right", last)
        assert text_of(app, "#waiting").endswith("Won by Ann.") or "Won by" in text_of(
            app, "#waiting"
        )
        await pressed(pilot, app, "left", last - 1)
        await pressed(pilot, app, "home", 0)
        await pilot.press("g", *"40")
        await pressed(pilot, app, "enter", 40)
        assert app.shown is not None
        assert app.shown.seq == 40


async def test_what_a_step_has_changed_is_marked() -> None:
    app = stepping()
    async with app.run_test() as pilot:
        await arrived(app, 0)
        marks = {}
        for at in range(1, 12):
            await pressed(pilot, app, "right", at)
            marks[at] = "▌" in text_of(app, "Board Static")
        assert any(marks.values()) and not all(marks.values())


async def test_it_plays_by_itself_and_stops_at_the_end() -> None:
    last = last_of("public")
    app = stepping(at=last - 5, pace=FAST)
    async with app.run_test() as pilot:
        await arrived(app, last - 5)
        await pilot.press("space")
        await arrived(app, last)
        await until(lambda: not app.playing)
        await pilot.press("left")
        assert app.at == last - 1


async def test_another_audience_sees_the_same_moment() -> None:
    app = stepping("seat:0", at=30)
    async with app.run_test() as pilot:
        await arrived(app, 30)
        assert "Own hand" in text_of(app, "Board Static")
        moment = records_of("seat:0", 30)
        await pilot.press("a", "enter")
        await until(lambda: app.reader == "public" and "as public" in text_of(app, "#heading"))
        assert "Own hand" not in text_of(app, "Board Static")
        assert records_of("public", app.at) == moment


def records_of(reader: str, at: int) -> str:
    """When the last event before a position was recorded."""
    match = recorded_match(outcome(NAME).match, records(NAME))
    return [line.at for line in match.lines(reader, at)][-1]


async def test_at_a_service_it_shows_what_the_key_allows(tmp_path: Path) -> None:
    with serving(tmp_path) as live:
        match = live.started("twelve-chips")
        for _ in range(4):
            step(match)
        connection = MatchConnection(f"{live.url}/v1/matches/{match.id}", None)
        app = StepApp(ServedMatch(connection), "public", 3)
        async with app.run_test() as pilot:
            await arrived(app, 3)
            await pressed(pilot, app, "right", 4)
            await pilot.press("a", "down", "enter")
            await until(lambda: len(app._notifications) > 0)
            assert "not_allowed" in next(iter(app._notifications)).message
            assert app.reader == "public"
        connection.close()


def test_without_a_terminal_it_says_what_to_use(tmp_path: Path) -> None:
    match = store_match(tmp_path, NAME)
    shown = CliRunner().invoke(replay, [str(UUID(match)), "--data", str(tmp_path), "--step"])
    assert shown.exit_code == 1
    assert "--step needs a terminal" in shown.stderr
