"""`arbiter watch`: a match as it happens, on a screen or line by line."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli.live_match import LiveMatch
from service.cli.play import play
from service.cli.screens.match_text import left
from service.cli.screens.watch_app import CUT, WatchApp
from service.cli.service_connection import ServiceRefused
from service.cli.watch import watch
from tests.support.browser.cutting_proxy import CuttingProxy, cutting_proxy
from tests.support.cli.screens import caught_up, text_of
from tests.support.http.match_play import play_out, step
from tests.support.servers.live_server import Live, serving
from tests.support.servers.live_server import LiveMatch as ServedMatch
from tests.support.waiting import until

NARROW, WIDE = (40, 30), (140, 40)
START = 1_000_000.0


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARBITER_MATCH_KEY", raising=False)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("watched")) as server:
        yield server


def address(url: str, match: ServedMatch) -> str:
    return f"{url}/v1/matches/{match.id}"


def watching(url: str, match: ServedMatch, key: str | None = None) -> WatchApp:
    return WatchApp(LiveMatch(address(url, match), key))


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_match_moves_on_the_screen(live: Live, size: tuple[int, int]) -> None:
    match = live.started("dollar-prize", chance="manual")
    app = watching(live.url, match)
    async with app.run_test(size=size):
        await caught_up(app, match)
        assert "Dollar Prize  0 Ann, 1 Ben  as public" in text_of(app, "#heading")
        assert text_of(app, "#waiting") == "Waiting for Ann."
        assert "Ann picks heads or tails." in text_of(app, "Board Static")
        step(match)
        step(match)
        await caught_up(app, match)
        assert text_of(app, "#waiting") == "Waiting for Ann."
        board = text_of(app, "Board Static")
        assert "Ann is to place a coin" in board
        assert "▌" in board, "what has changed is marked"
        assert "side chosen: Ann; side tails" in text_of(app, "#happened Static")


async def test_who_looks_on_without_a_key_sees_no_hand(live: Live) -> None:
    match = live.started("twelve-chips")
    public, seat = watching(live.url, match), watching(live.url, match, match.keys[1])
    async with public.run_test():
        await caught_up(public, match)
        assert "Own hand" not in text_of(public, "Board Static")
        assert "hand dealt" not in text_of(public, "#happened Static")
    async with seat.run_test():
        await caught_up(seat, match)
        assert "Own hand" in text_of(seat, "Board Static")
        assert "as Ben" in text_of(seat, "#heading")


async def test_the_result_stays_on_the_screen(live: Live) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    app = watching(live.url, match)
    async with app.run_test() as pilot:
        await caught_up(app, match)
        play_out(match)
        await until(lambda: app.over)
        await caught_up(app, match)
        assert text_of(app, "#waiting").startswith("Won by ")
        await pilot.press("q")
        await until(lambda: not app.is_running)


async def test_a_deadline_is_counted_down_by_the_clock_of_the_service(live: Live) -> None:
    match = live.started("dollar-prize", clock="rules", options={"turn_seconds": 60})
    step(match)
    now = [START]
    app = WatchApp(LiveMatch(address(live.url, match), None), now=lambda: now[0])
    async with app.run_test():
        await caught_up(app, match)
        await until(lambda: re.search(r" [01]:\d\d left\.$", text_of(app, "#waiting")) is not None)
        now[0] += 3600
        app.tick()
        assert text_of(app, "#waiting").endswith(" Time is up.")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "Time is up."),
        (59.9, "0:59 left."),
        (3661, "1:01:01 left."),
        (90_061, "1 d 1 h 1 min left."),
    ],
)
def test_the_time_that_is_left(seconds: float, said: str) -> None:
    assert left(seconds) == said


def has_opened(proxy: CuttingProxy, streams: int) -> bool:
    return sum("/stream" in request for request in proxy.requests) >= streams


async def test_a_cut_connection_is_opened_again_and_nothing_is_missed(live: Live) -> None:
    match = live.started("twelve-chips")
    told: list[str] = []

    async def pause(seconds: float) -> None:
        told.append(text_of(app, "#waiting"))
        step(match)

    async with cutting_proxy(live.port) as proxy:
        app = WatchApp(LiveMatch(address(proxy.url, match), None, pause=pause))
        async with app.run_test():
            for opened in range(1, 4):
                await until(partial(has_opened, proxy, opened))
                proxy.cut()
            await until(partial(has_opened, proxy, 4))
            await caught_up(app, match)
            await until(lambda: not text_of(app, "#waiting").startswith(CUT))
            seen = text_of(app, "#happened Static").count("chip played")
    assert any(said.startswith(CUT) for said in told)
    events = match.anyone.events("public", 0, 1000).json()["events"]
    assert seen == sum(event["type"] == "twelve-chips.chip-played.1" for event in events) > 0


async def test_a_refusal_ends_the_screen(live: Live) -> None:
    match = live.started("dollar-prize")
    app = WatchApp(LiveMatch(address(live.url, match), None, "moderator"))
    async with app.run_test():
        await until(lambda: app.failure is not None)
    assert isinstance(app.failure, ServiceRefused)
    assert app.failure.code == "not_allowed"
    assert app.return_code == 1


async def test_an_error_of_ours_is_not_printed_with_the_variables(
    live: Live, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match = live.started("dollar-prize")
    app = watching(live.url, match, match.keys[0])

    async def faulty() -> None:
        raise ZeroDivisionError(match.keys[0])

    monkeypatch.setattr(app.match, "view", faulty)
    async with app.run_test():
        await until(lambda: app.failure is not None)
    assert isinstance(app.failure, ZeroDivisionError)
    assert match.keys[0] not in "".join(capsys.readouterr())


# Without a terminal.


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(watch, arguments)


def test_without_a_terminal_a_line_is_printed_for_each_thing_that_happens(live: Live) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    play_out(match)
    for asked in ((address(live.url, match),), (match.id, "--url", live.url)):
        shown = typed(*asked)
        assert shown.exit_code == 0, shown.output
        title, *lines, result = shown.stdout.splitlines()
        assert title == "Liar's Dice  0 Ann, 1 Ben  as public"
        assert any("the match waits for Ann" in line for line in lines)
        assert result.startswith("Won by ")
        assert [line.split()[0] for line in lines] == sorted(
            {line.split()[0] for line in lines}, key=int
        )


def test_a_key_is_read_from_a_file_and_never_shown(live: Live, tmp_path: Path) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    play_out(match)
    key = tmp_path / "key"
    key.write_text(match.keys[0])
    shown = typed(address(live.url, match), "--key-file", str(key))
    assert "as Ann" in shown.stdout and "sent bid: " in shown.stdout
    assert match.keys[0] not in shown.output
    key.write_text("arb_s0_" + "f" * 40)
    refused = typed(address(live.url, match), "--key-file", str(key))
    assert refused.exit_code == 1
    assert "key_unknown" in refused.stderr and "ffff" not in refused.output


def test_who_plays_without_a_terminal_is_told_what_to_use(live: Live, tmp_path: Path) -> None:
    match = live.started("liars-dice")
    key = tmp_path / "key"
    key.write_text(match.keys[0])
    without_key = CliRunner().invoke(play, [address(live.url, match)])
    assert without_key.exit_code == 2 and "the key of a seat is needed" in without_key.stderr
    shown = CliRunner().invoke(play, [address(live.url, match), "--key-file", str(key)])
    assert shown.exit_code == 1
    said = " ".join(shown.stderr.replace("│", "").split())
    assert "arbiter play needs a terminal." in said and "arbiter watch prints" in said


def test_what_is_no_address_of_a_match_is_an_error() -> None:
    shown = typed("http://127.0.0.1:1/v1/matches")
    assert shown.exit_code == 1
    assert "the address of a match is" in " ".join(shown.stderr.split())
