"""`arbiter watch`: a match as it happens, line by line, with the board."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from projections.lines import Line
from service.cli.match_text import happening
from service.cli.service_connection import MatchConnection
from service.cli.watch import CUT, WENT_BACK, print_match, watch
from tests.support.http.match_play import all_events, play_out, step
from tests.support.http.plain_server import plain_server
from tests.support.servers.live_server import Live, serving
from tests.support.servers.live_server import LiveMatch as ServedMatch


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARBITER_MATCH_KEY", raising=False)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("watched")) as server:
        yield server


def address(url: str, match: ServedMatch) -> str:
    return f"{url}/v1/matches/{match.id}"


class Watched(MatchConnection):
    """A match at a service whose connection is cut at some of the requests, counted from 0."""

    cuts: tuple[int, ...] = ()
    requests = 0

    def send(self, *args: Any, **kwargs: Any) -> httpx.Response:
        self.requests += 1
        if self.requests - 1 in self.cuts:
            raise httpx.ConnectError("cut")
        return super().send(*args, **kwargs)


def test_the_board_is_printed_whenever_a_seat_is_awaited(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    match = live.started("dollar-prize", chance="manual")
    printed: list[str] = []

    def pause(_: float) -> None:
        printed.append(capsys.readouterr().out)
        if len(printed) == 2:
            raise KeyboardInterrupt
        step(match)
        step(match)

    watched = Watched(address(live.url, match), None)
    with closing(watched), pytest.raises(KeyboardInterrupt):
        print_match(watched, None, pause)
    first, last = printed
    assert first.startswith("Dollar Prize  0 Ann, 1 Ben  as public\n")
    assert "│ phase       choose a side " in first and first.endswith("Waiting for Ann.\n")
    assert "side chosen: Ann; side tails" in last and "the match waits for Ann" in last
    assert "│ phase       turn " in last and "│ sides       tails, heads " in last
    assert last.count("Dollar Prize") == 1, "no board while a draw is awaited"


def test_a_cut_connection_is_opened_again_and_nothing_is_missed(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    match = live.started("liars-dice", options={"dice": 2})
    watched = Watched(address(live.url, match), None)
    watched.cuts = (1, 3, 4)

    def pause(_: float) -> None:
        if watched.requests < 6:
            step(match)
        else:
            play_out(match)

    with closing(watched):
        print_match(watched, None, pause)
    printed = capsys.readouterr()
    assert printed.err.count(CUT) == 3
    bids = sum(one["type"] == "liars-dice.bid-placed.1" for one in all_events(match.anyone))
    assert printed.out.count("bid placed: ") == bids > 0
    assert printed.out.splitlines()[-1].startswith("Won by ")


def test_where_history_went_back_it_is_printed_from_its_beginning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    view = (
        b'{"match":"m","game":"liars-dice","seats":["Ann","Ben"],"audience":"public","seq":%d,"public_seq":1,'
        b'"status":"void","awaiting":{"seats":[1]},"view":{"round":%d},"result":null}'
    )
    gone = b'{"title":"Gone.","code":"no_such_position"}'
    lines = (
        b'{"events":[{"seq":1,"public_seq":1,"at":"2026-11-23T07:00:00Z","type":"match.paused.1","data":{"left":null}}],'
        b'"next":null}'
    )
    with plain_server() as server:
        server.answers = [(200, view % (9, 4)), (422, gone), (200, view % (1, 2)), (200, lines)]
        with closing(MatchConnection(f"{server.url}/v1/matches/m", None)) as watched:
            print_match(watched, None)
    printed = capsys.readouterr()
    assert printed.err == f"{WENT_BACK}\n"
    paused, *board = printed.out.splitlines()[1:]
    assert paused.endswith("moderator paused the match")
    assert board[2].startswith("│ round  2 ") and len(board) == 5, "one board, of what there is now"


def test_an_event_that_this_release_does_not_know_is_shown_by_its_fields() -> None:
    line = Line(1, 1, "2026-11-23T07:00:00Z", "match.painted.9", {"seat": 0, "colour": "\x1b[2J"})
    said = happening(line, ("Ann", "Ben"))
    assert said is not None
    assert said.startswith("match.painted.9: Ann; colour ")
    assert "\x1b" not in said


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
        assert any("the match waits for Ann" in line for line in lines)
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
    assert "as Ben" in seat and "│ dice        " in seat and "dice rolled: Ben" in seat
    assert "│ dice        " not in public and "dice rolled" not in public


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


def test_a_refusal_is_an_error(live: Live) -> None:
    match = live.started("dollar-prize")
    refused = typed(address(live.url, match), "--as", "moderator")
    assert refused.exit_code == 1
    assert "not_allowed" in refused.stderr and refused.stdout == ""


def test_what_is_no_address_of_a_match_is_an_error() -> None:
    shown = typed("http://127.0.0.1:1/v1/matches")
    assert shown.exit_code == 1
    assert "the address of a match is" in " ".join(shown.stderr.split())
