"""Heads and bodies sent together: in order, complete, and without a long delay."""

import asyncio

from service.server.write_coalescing import SMALL, CoalescingTransport


class RecordingTransport:
    """A transport that records how often it was written to."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        assert not self.closed, "written after it was closed"
        self.written.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_write_buffer_size(self) -> int:
        return 7


def joining() -> tuple[RecordingTransport, CoalescingTransport]:
    wire = RecordingTransport()
    return wire, CoalescingTransport(wire, asyncio.get_running_loop())


async def test_a_head_and_its_body_go_out_together() -> None:
    wire, answer = joining()
    answer.write(b"head ")
    answer.write(b"body")
    assert wire.written == [b"head body"]
    await asyncio.sleep(0)
    assert wire.written == [b"head body"]


async def test_a_head_waits_for_no_body_that_comes_later() -> None:
    wire, answer = joining()
    answer.write(b"head ")
    assert wire.written == []
    await asyncio.sleep(0)
    assert wire.written == [b"head "]
    answer.write(b"line 1 ")
    answer.write(b"line 2")
    assert wire.written == [b"head ", b"line 1 ", b"line 2"]


async def test_a_large_body_is_not_copied() -> None:
    wire, answer = joining()
    large = bytes(SMALL + 1)
    answer.write(b"head")
    answer.write(large)
    assert wire.written == [b"head", large] and wire.written[1] is large


async def test_nothing_is_lost_when_it_closes_at_once() -> None:
    wire, answer = joining()
    answer.write(b"head")
    answer.close()
    await asyncio.sleep(0)
    assert wire.written == [b"head"] and wire.closed


async def test_nothing_is_written_to_a_closed_connection() -> None:
    wire, answer = joining()
    answer.write(b"head")
    wire.closed = True
    await asyncio.sleep(0)
    assert wire.written == []


async def test_everything_else_is_the_transports_own() -> None:
    _, answer = joining()
    assert answer.get_write_buffer_size() == 7
