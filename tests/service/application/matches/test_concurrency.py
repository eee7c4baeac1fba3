"""Sixty-four writers at once on a live server: no action is lost or doubled, and every live reader
gets the same events without a gap."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest_asyncio
from msgspec import Struct

from tests.support.faults.server_process import PATIENCE, Process, folded_view, on_disk
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY

WRITERS, SHARED, ALONE, ACTIONS = 64, 4, 8, 6

Json = dict[str, Any]


class Room(Struct):
    """A match of Dollar Prize and the keys to it, by audience."""

    id: str
    keys: dict[str, str]

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.id}"


class Sent(Struct):
    """An action that a writer sent, and the receipt."""

    writer: int
    room: Room
    seat: int
    key: str
    receipt: Json


class Received:
    """The lines of a stream, as they are received."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.lines: list[Json] = []
        self._grown = asyncio.Event()

    def add(self, line: str) -> None:
        self.lines.append(json.loads(line))
        self._grown.set()

    async def reaches(self, count: int) -> None:
        """Returns when this many lines have been received."""
        async with asyncio.timeout(PATIENCE):
            while len(self.lines) < count:
                self._grown.clear()
                await self._grown.wait()


def bearing(key: str, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **more}


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[Process]:
    process = await asyncio.to_thread(Process, tmp_path)
    yield process
    await asyncio.to_thread(process.kill)


@pytest_asyncio.fixture
async def http(server: Process) -> AsyncIterator[httpx.AsyncClient]:
    async with local_http.streaming_client(server.url, timeout=PATIENCE) as client:
        yield client


async def room(http: httpx.AsyncClient) -> Room:
    new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    made = (await http.post("/v1/matches", json=new, headers=bearing(ORGANISER_KEY))).json()
    keys = {f"seat:{seat['seat']}": seat["key"] for seat in made["seats"]}
    opened = Room(made["id"], {**keys, "moderator": made["moderator_key"]})
    answer = await http.post(f"{opened.path}/start", headers=bearing(made["moderator_key"]))
    assert answer.status_code == 201
    return opened


async def writes(url: str, writer: int, where: Room) -> list[Sent]:
    """One writer on its own connection; it sends every action twice at the same time."""
    seat, sent = writer // 8 % 2, []
    async with local_http.async_client(url, timeout=PATIENCE) as client:
        for number in range(ACTIONS):
            key = f"{writer}/{number}"
            headers = bearing(where.keys[f"seat:{seat}"], **{"Idempotency-Key": key})
            action = {"type": "end_turn"} if number % 2 else {"type": "place", "coin": "penny"}
            once, twice = await asyncio.gather(
                *(
                    client.post(f"{where.path}/actions", json=action, headers=headers)
                    for _ in range(2)
                )
            )
            assert once.status_code == twice.status_code == 422
            assert once.content == twice.content
            replayed = {answer.headers.get("idempotent-replayed") for answer in (once, twice)}
            assert replayed == {None, "true"}
            sent.append(Sent(writer, where, seat, key, once.json()["receipt"]))
    return sent


async def receives(http: httpx.AsyncClient, where: Room, audience: str, reader: Received) -> None:
    """Follows the match's stream as one audience from its first event on."""
    headers = {"Accept": "application/x-ndjson"}
    if audience in where.keys:
        headers = bearing(where.keys[audience], **headers)
    path = f"{where.path}/stream?as={audience}&after=0"
    async with http.stream("GET", path, headers=headers, timeout=None) as answer:
        assert answer.status_code == 200
        reader.begun.set()
        async for line in answer.aiter_lines():
            if line:
                reader.add(line)


async def events(http: httpx.AsyncClient, where: Room, audience: str) -> list[Json]:
    """All of an audience's events, page by page."""
    headers = bearing(where.keys[audience]) if audience in where.keys else {}
    received: list[Json] = []
    while True:
        path = f"{where.path}/events?as={audience}&limit=100&after={len(received)}"
        page = (await http.get(path, headers=headers)).json()
        received += page["events"]
        if page["next"] is None:
            return received


async def test_nothing_is_lost_or_doubled_of_what_64_writers_send_at_once(
    server: Process, http: httpx.AsyncClient
) -> None:
    rooms = [await room(http) for _ in range(SHARED + ALONE)]
    where = [*rooms[SHARED:], *(rooms[n % SHARED] for n in range(WRITERS - ALONE))]

    received = await asyncio.gather(
        *(writes(server.url, n, there) for n, there in enumerate(where))
    )

    sent = [each for writer in received for each in writer]
    assert len(sent) == WRITERS * ACTIONS
    await check_events(http, rooms, sent)
    check_order(received)
    await check_views(server, http, rooms)


async def check_events(http: httpx.AsyncClient, rooms: list[Room], sent: list[Sent]) -> None:
    """Each action is recorded once in its match, at the position in its receipt."""
    for there in rooms:
        moderator = await events(http, there, "moderator")
        assert [line["seq"] for line in moderator] == list(range(1, len(moderator) + 1))
        keys = Counter(
            line["data"]["key"] for line in moderator if "action-received" in line["type"]
        )
        assert keys == Counter(each.key for each in sent if each.room is there)
        for seat in (0, 1):
            own = await events(http, there, f"seat:{seat}")
            for each in sent:
                if each.room is there and each.seat == seat:
                    line = own[each.receipt["seq"] - 1]
                    assert line["data"]["key"] == each.key and line["at"] == each.receipt["at"]


def check_order(received: list[list[Sent]]) -> None:
    """A writer that waits for each response before its next action finds them recorded in that
    order."""
    for writer in received:
        numbers = [each.receipt["seq"] for each in writer]
        assert numbers == sorted(numbers)
        times = [each.receipt["at"] for each in writer]
        assert times == sorted(times)


async def check_views(server: Process, http: httpx.AsyncClient, rooms: list[Room]) -> None:
    records = await asyncio.to_thread(on_disk, server.data)
    for there in rooms:
        answer = await http.get(f"{there.path}/view", headers=bearing(there.keys["seat:1"]))
        assert answer.content == folded_view(there.id, records[there.id], 1)


async def test_three_audiences_receive_all_their_events_live_and_without_a_gap(
    server: Process, http: httpx.AsyncClient
) -> None:
    rooms = [await room(http) for _ in range(SHARED)]
    followed = [
        (there, as_, Received()) for there in rooms for as_ in ("public", "seat:0", "moderator")
    ]
    async with asyncio.TaskGroup() as group:
        streams = [group.create_task(receives(http, *each)) for each in followed]
        for _, _, reader in followed:
            await reader.begun.wait()

        places = [rooms[n % SHARED] for n in range(WRITERS)]
        await asyncio.gather(*(writes(server.url, n, there) for n, there in enumerate(places)))
        await asyncio.gather(*(chooses(http, there) for there in rooms))

        for there, audience, reader in followed:
            wanted = await events(http, there, audience)
            assert len(wanted) > (1 if audience == "public" else WRITERS // SHARED)
            await reader.reaches(len(wanted))
            assert reader.lines == wanted
        for stream in streams:
            stream.cancel()


async def chooses(http: httpx.AsyncClient, there: Room) -> None:
    """An action that the public sees, too."""
    headers = bearing(there.keys["seat:0"])
    action = {"type": "choose_side", "side": "heads"}
    answer = await http.post(f"{there.path}/actions", json=action, headers=headers)
    assert answer.status_code == 201
