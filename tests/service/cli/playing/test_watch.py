"""`arbiter watch`: a match as it happens, line by line, with the board."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arbiter_client import Retries
from projections.audience.lines import Line
from service.cli.playing.watch import WENT_BACK, happening, print_match, watch
from tests.support.http.client_matches import arbiter
from tests.support.http.match_play import play_out, step
from tests.support.http.plain_server import PlainServer, plain_server
from tests.support.servers.live_server import Live
from tests.support.servers.live_server import LiveMatch as ServedMatch
from tests.support.waiting import until


def address(url: str, match: ServedMatch) -> str:
    return f"{url}/v1/matches/{match.id}"


class Watching:
    """What is printed of a match that is watched meanwhile."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._out = self._err = ""

    @property
    def out(self) -> str:
        self._read()
        return self._out

    @property
    def err(self) -> str:
        self._read()
        return self._err

    def _read(self) -> None:
        more = self._capsys.readouterr()
        self._out, self._err = self._out + more.out, self._err + more.err


@pytest.fixture
def watching(capsys: pytest.CaptureFixture[str]) -> Watching:
    return Watching(capsys)


def printing(url: str, match: str, on_pause: Callable[..., object] | None = None) -> None:
    """Prints the match to its end."""
    with arbiter(url, retries=Retries(first=0.01, on_pause=on_pause)) as service:
        print_match(service.match(match))


async def test_the_board_is_printed_whenever_a_seat_is_awaited(
    live: Live, watching: Watching
) -> None:
    match = live.started("dollar-prize", chance="manual")
    task = asyncio.create_task(asyncio.to_thread(printing, live.url, match.id))
    await until(lambda: watching.out.endswith("Waiting for Ann.\n"))
    assert watching.out.startswith("Dollar Prize  0 Ann, 1 Ben  as public\n")
    assert "│ phase       choose a side " in watching.out
    step(match)
    step(match)
    await until(lambda: watching.out.count("Waiting for Ann.") == 2)
    _, last = watching.out.split("Waiting for Ann.\n", 1)
    assert "Ann chooses tails" in last and "The match waits for Ann" in last
    assert "│ phase       turn " in last and "│ sides       tails, heads " in last
    assert last.count("Dollar Prize") == 1, "no board while a draw is awaited"
    play_out(match)
    await task


def test_where_history_went_back_it_is_printed_from_its_beginning(
    watching: Watching,
) -> None:
    view = (
        b'{"match":"m","game":"liars-dice","seats":["Ann","Ben"],"audience":"public","seq":%d,"public_seq":1,'
        b'"status":"running","awaiting":{"seats":[1]},"view":{"round":%d},"result":null}'
    )
    gone = b'{"title":"Gone.","code":"history_went_back"}'
    lines = (
        b'{"seq":1,"public_seq":1,"at":"2026-11-23T07:00:00Z","type":"match.paused.1","data":{"left":null}}\n'
        b'{"end":true,"seq":1}\n'
    )
    with plain_server() as server:
        server.answers = [(200, view % (9, 4)), (409, gone), (200, view % (1, 2)), (200, lines),
                          (200, view % (1, 2))]  # fmt: skip
        printing(server.url, "m")
    assert watching.err == f"{WENT_BACK}\n"
    paused, *board = watching.out.splitlines()[1:]
    assert paused.endswith("The match is paused")
    assert board[2].startswith("│ round  2 ") and len(board) == 5, "one board, of what there is now"


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(watch, arguments)


def test_a_line_is_printed_for_each_thing_that_has_happened_and_then_the_board(live: Live) -> None:
    match = live.started("liars-dice", options={"dice": 1})
    play_out(match)
    for asked in ((address(live.url, match),), (match.id, "--url", live.url)):
        shown = typed(*asked)
        assert shown.exit_code == 0, shown.output
        title, *printed, result = shown.stdout.splitlines()
        assert title == "Liar's Dice  0 Ann, 1 Ben  as public"
        lines = [line for line in printed if line[0] not in "╭│╰"]
        assert any("The match waits for Ann" in line for line in lines)
        assert [line.split()[0] for line in lines] == sorted(
            {line.split()[0] for line in lines}, key=int
        )
        board = printed[len(lines) :]
        assert len(printed) > len(lines) and all(line[0] in "╭│╰" for line in board)
        assert result.startswith("Won by ")


def test_who_looks_on_without_a_key_sees_no_hand(live: Live, tmp_path: Path) -> None:
    match = live.started("liars-dice", options={"dice": 2})
    play_out(match)
    key = tmp_path / "key"
    key.write_text(match.keys[1])
    public = typed(address(live.url, match)).stdout
    seat = typed(address(live.url, match), "--key-file", str(key)).stdout
    assert "as Ben" in seat and "│ dice        " in seat and "Ben has rolled " in seat
    assert "│ dice        " not in public and "has rolled" not in public


def test_an_event_that_this_release_does_not_know_is_shown_by_its_fields() -> None:
    line = Line(1, 1, "2026-11-23T07:00:00Z", "match.painted.9", {"seat": 0, "colour": "\x1b[2J"})
    said = happening(line, ("Ann", "Ben"))
    assert said is not None
    assert said.startswith("painted: seat Ann; colour ")
    assert "\x1b" not in said


@pytest.mark.parametrize("text", [b"<html>\n", b'{"seq":"x"}\n', b"[]\n", b"\xff\n"])
def test_what_is_no_stream_is_an_error(server: PlainServer, text: bytes) -> None:
    view = (
        b'{"match":"m","game":"g","seats":[],"audience":"public","seq":3,"public_seq":2,'
        b'"status":"running","awaiting":{},"view":null,"result":null}'
    )
    server.answers = [(200, view), (200, text)]
    shown = typed(f"{server.url}/v1/matches/0199aa00-0000-7000-8000-00000000ffff")
    assert shown.exit_code == 1
    assert "does not answer as a service" in " ".join(shown.stderr.replace("│", "").split())
