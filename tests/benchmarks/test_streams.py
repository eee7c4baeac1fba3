"""The comparison of streams is fair: both sides write the same bytes to watchers who notice every
missing line."""

from pathlib import Path

import pytest

from tests.benchmarks.bidding import BiddingTable, RawConnection
from tests.benchmarks.http import server_process
from tests.benchmarks.load import request
from tests.benchmarks.streams import BARE, written
from tests.benchmarks.watchers import watchers

COUNT = 3
BIDS = 4


def frame(seq: int) -> bytes:
    return b'data: {"seq":%d,"type":"a"}\n\n' % seq


def test_the_bare_server_writes_what_the_service_has_written(tmp_path: Path) -> None:
    with server_process(tmp_path) as service, watchers(service.port) as watching:
        with BiddingTable(service.port) as table:
            begin = table.seq
            watching.open(table.stream, COUNT, begin)
            ends = [begin + table.lines_each * (number + 1) for number in range(BIDS)]
            for end in ends:
                watching.expect(end)
                table.bid()
                assert len(watching.arrived()) == COUNT
        bodies = written(watching.raw(), ends)
    with server_process(tmp_path, module=BARE) as bare, watchers(bare.port) as watching:
        watching.open("/", COUNT, begin)
        with RawConnection(bare.port) as connection:
            for end, body in zip(ends, bodies, strict=True):
                watching.expect(end)
                connection.answer(request("POST", "/", None, body))
                assert len(watching.arrived()) == COUNT
        assert watching.raw() == b"".join(bodies)


def test_watchers_fail_if_a_line_is_missing(tmp_path: Path) -> None:
    with server_process(tmp_path, module=BARE) as bare, watchers(bare.port) as watching:
        watching.open("/", COUNT, 0)
        watching.expect(3)
        with RawConnection(bare.port) as connection:
            connection.answer(request("POST", "/", None, frame(1) + frame(3)))
        with pytest.raises(AssertionError, match="watchers have failed"):
            watching.arrived()


def test_what_was_written_is_cut_behind_the_last_line_of_each_action() -> None:
    first, second = b"5\r\n" + frame(1) + frame(2) + b"\r\n", b"5\r\n" + frame(3) + b"\r\n"
    assert written(first + second + b"6\r\n: ping\r\n", [2, 3]) == [first, second]
