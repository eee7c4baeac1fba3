"""Matches between bots, kept in memory, that readers of the pages start."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from service.app import create_app
from service.auth.request_guard import ClientAddresses, RequestGuard
from service.cli.playing.playing import begin
from service.demo_matches import DemoMatches
from service.http.people.lobby import DemoFull
from service.instance import Instance
from tests.support.servers.instance_settings import settings_in

PATIENCE = 20.0


class Demo:
    """A service that offers matches between bots. They act once `pace` is set; `ended` says that
    they were made to stop."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings = settings_in(folder)
        self.instance = Instance(settings)
        self.now = 0.0
        guard = RequestGuard(client_addresses=ClientAddresses(exempt=()))
        self.matches = DemoMatches(
            settings, guard, begin, most=6, seconds=PATIENCE, now=lambda: self.now
        )
        router = self.instance
        self.app: Litestar = create_app(router, guard=guard, demo=self.matches.start)
        self.pace, self.ended, self.stopping = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def paced(_: int) -> None:
            try:
                await self.pace.wait()
            except asyncio.CancelledError:
                self.ended.set()
                raise

        monkeypatch.setattr("service.cli.playing.playing.unhurried", paced)

    def reader(self, address: str = "203.0.113.7") -> httpx.AsyncClient:
        around: Any = self.matches.around(self.app)
        transport = httpx.ASGITransport(around, client=(address, 1))
        return httpx.AsyncClient(transport=transport, base_url="http://here")


@pytest_asyncio.fixture
async def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Demo]:
    made = Demo(tmp_path, monkeypatch)
    async with made.instance.running(), made.matches.running(made.stopping):
        yield made


async def started(reader: httpx.AsyncClient, game: str = "twelve-chips") -> str:
    """The id of a match that one click has started."""
    answer = await reader.post(f"/demo/{game}")
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/m/")


async def test_one_click_starts_a_match_that_bots_play_to_its_end(demo: Demo) -> None:
    demo.pace.set()
    async with demo.reader() as reader:
        match = await started(reader)
        path = f"/v1/matches/{match}"
        async with asyncio.timeout(PATIENCE):
            stream = await reader.get(f"{path}/stream", params={"after": 0, "as": "public"})
        assert "event: end" in stream.text
        over = (await reader.get(path)).json()
        assert over["status"] == "ended"
        assert over["seats"] == ["Ann (bot)", "Ben (bot)", "Cleo (bot)"][: len(over["seats"])]
        for page in (f"/m/{match}", f"{path}/view?as=public", f"{path}/events?as=moderator"):
            assert (await reader.get(page)).status_code == 200, page
        assert (await reader.head(path)).status_code == 200


async def test_it_is_in_no_list_and_in_no_record_of_the_service(demo: Demo) -> None:
    before = demo.instance.store.recorder.max_notification_id()
    async with demo.reader() as reader:
        match = await started(reader)
        assert (await reader.get("/v1/matches")).json()["matches"] == []
        assert match not in (await reader.get("/")).text
    assert demo.instance.store.recorder.max_notification_id() == before


async def test_a_reader_starts_five_an_hour(demo: Demo) -> None:
    async with demo.reader() as reader, demo.reader("203.0.113.8") as other:
        for _ in range(5):
            await started(reader)
        refused = await reader.post("/demo/twelve-chips", headers={"Accept-Language": "en"})
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 3600
        assert "five matches within an hour" in refused.text
        await started(other)


async def test_there_are_only_so_many(demo: Demo) -> None:
    for _ in range(6):
        await demo.matches.start("dollar-prize")
    with pytest.raises(DemoFull) as full:
        await demo.matches.start("dollar-prize")
    assert full.value.seconds == PATIENCE
    async with demo.reader() as reader:
        refused = await reader.post("/demo/dollar-prize", headers={"Accept-Language": "de"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "20")
    demo.now += PATIENCE
    await demo.matches.start("dollar-prize")


async def test_another_site_starts_none(demo: Demo) -> None:
    async with demo.reader() as reader:
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site", "Origin": "http://service"},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
        ):
            assert (await reader.post("/demo/twelve-chips", headers=headers)).status_code == 403
            assert (await reader.post("/demo/no-game", headers=headers)).status_code == 404


async def test_the_own_site_starts_one_whatever_the_browser_says_of_it(demo: Demo) -> None:
    async with demo.reader() as reader:
        own = str(reader.base_url).rstrip("/")
        for headers in ({}, {"Sec-Fetch-Site": "none"}, {"Origin": own}):
            assert (await reader.post("/demo/twelve-chips", headers=headers)).status_code == 303


async def test_it_ends_when_the_service_stops(demo: Demo) -> None:
    async with demo.reader() as reader:
        match = await started(reader)
        assert (await reader.get(f"/v1/matches/{match}")).status_code == 200
        demo.stopping.set()
        async with asyncio.timeout(PATIENCE):
            await demo.ended.wait()


async def test_a_service_that_offers_none_has_no_such_address(tmp_path: Path) -> None:
    instance = Instance(settings_in(tmp_path))
    app: Any = create_app(instance)
    async with (
        instance.running(),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as reader,
    ):
        assert (await reader.post("/demo/twelve-chips")).status_code == 404
        assert "/demo/" not in (await reader.get("/")).text
