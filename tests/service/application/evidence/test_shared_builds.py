"""Builds that several requests share."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from io import StringIO

import pytest

from service.application.evidence.shared_builds import BuildsFull, SharedBuilds, WantedBuild
from tests.support.captured_logs import logged

__all__ = ["logged"]

A, B, C, SECRET = (WantedBuild(name, 1, name != "secret") for name in ("a", "b", "c", "secret"))
SIZE = 10


class Building:
    """Builds ten bytes for whatever is wanted, as soon as `go_on` is set."""

    def __init__(self, most_queued: int = 8, kept: int = 2 * SIZE) -> None:
        self.builds: SharedBuilds[bytes] = SharedBuilds(most_queued, kept, len)
        self.built: list[WantedBuild] = []
        self.go_on = asyncio.Event()

    def ask(self, wanted: WantedBuild) -> asyncio.Task[bytes]:
        return asyncio.create_task(self.builds.result(wanted, self._build(wanted)))

    async def asked(self, wanted: WantedBuild) -> asyncio.Task[bytes]:
        """The request has been taken up when this returns."""
        asking = self.ask(wanted)
        for _ in range(3):
            await asyncio.sleep(0)
        return asking

    def _build(self, wanted: WantedBuild) -> Callable[[], Awaitable[bytes]]:
        async def build() -> bytes:
            self.built.append(wanted)
            await self.go_on.wait()
            if wanted.key == "faulty":
                raise ZeroDivisionError
            return f"{wanted.key}{wanted.version}".encode().ljust(SIZE)

        return build


async def test_all_who_want_the_same_share_a_build() -> None:
    building = Building()
    asked = [await building.asked(A) for _ in range(5)]
    building.go_on.set()
    assert len(set(await asyncio.gather(*asked))) == 1
    assert building.built == [A]


async def test_the_queue_is_bounded() -> None:
    building = Building(most_queued=1)
    asked = [await building.asked(A), await building.asked(B)]
    with pytest.raises(BuildsFull):
        await building.ask(C)
    asked.append(await building.asked(B))
    building.go_on.set()
    await asyncio.gather(*asked)
    await building.ask(C)
    assert building.built == [A, B, C]


async def test_what_nobody_waits_for_any_more_is_not_built() -> None:
    building = Building(most_queued=1)
    first, gone = await building.asked(A), await building.asked(B)
    gone.cancel()
    await asyncio.wait({gone})
    last = await building.asked(C)
    building.go_on.set()
    await asyncio.gather(first, last)
    assert (building.built, building.builds.queued) == ([A, C], 0)


async def test_a_build_under_way_is_finished_and_kept_although_its_client_has_gone() -> None:
    building = Building()
    gone = await building.asked(A)
    gone.cancel()
    await asyncio.wait({gone})
    building.go_on.set()
    assert await building.ask(A) == b"a1".ljust(SIZE)
    assert building.built == [A]


# What is kept.


async def test_the_least_recently_used_is_dropped_when_there_is_no_room() -> None:
    building = Building()
    building.go_on.set()
    for wanted in (A, B, A, C, A, B):
        await building.ask(wanted)
    assert building.built == [A, B, C, B]


async def test_requests_for_what_is_secret_leave_what_is_kept_alone() -> None:
    """Otherwise the time that a public result takes would tell that a secret one was wanted."""
    building = Building()
    building.go_on.set()
    for wanted in (A, B, SECRET, SECRET, A, B):
        await building.ask(wanted)
    assert building.built == [A, B, SECRET, SECRET]


async def test_a_build_of_what_still_grows_is_shared_only_until_it_begins() -> None:
    building = Building()
    growing = WantedBuild("growing", None, public=False)
    first, *others = [await building.asked(growing) for _ in range(4)]
    assert building.built == [growing]
    building.go_on.set()
    await asyncio.gather(first, *others)
    assert building.built == [growing, growing]


# Failures.


async def test_a_failure_reaches_everybody_who_waits_and_is_not_kept() -> None:
    building = Building()
    faulty = WantedBuild("faulty", 1, public=True)
    asked = [await building.asked(faulty) for _ in range(2)]
    building.go_on.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(result) for result in results] == [ZeroDivisionError] * 2
    with pytest.raises(ZeroDivisionError):
        await building.ask(faulty)


async def test_a_failure_that_reaches_nobody_is_logged(logged: StringIO) -> None:
    building = Building()
    gone = await building.asked(WantedBuild("faulty", 1, public=True))
    gone.cancel()
    await asyncio.wait({gone})
    building.go_on.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert json.loads(logged.getvalue())["event"] == "not_built"
