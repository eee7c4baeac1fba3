"""Clients that write over HTTP and record, outside the service, what was acknowledged to them."""

import asyncio
import random
from collections.abc import Callable
from typing import Any, cast

import httpx
from litestar import Litestar
from msgspec import Struct

from tests.support.faults.server_process import PATIENCE
from tests.support.game_actions import refused
from tests.support.games import usual
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY

Json = dict[str, Any]

REWIND = "rewind"
LATEST = 30
"""How many events a moderator looks through for one to go back to."""


class Acknowledged(Struct, frozen=True):
    """An action that was answered 201 or 422: the request and the whole answer."""

    match: str
    seat: int
    key: str
    action: Json
    status: int
    body: bytes
    seq: int


class DrawEntered(Struct, frozen=True):
    """An outcome that a moderator entered and that was answered 201."""

    match: str
    id: str
    outcome: list[Any]


class RulingMade(Struct, frozen=True):
    """A ruling of a moderator that was answered 201. No other has its reason."""

    match: str
    kind: str
    reason: str


class Table(Struct):
    """A match and its keys."""

    id: str
    seat_keys: list[str]
    moderator_key: str
    game: str
    chance: str


class Ledger:
    """What the service has promised. Nothing in it may ever be lost, doubled or changed."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.actions: list[Acknowledged] = []
        self.draws: list[DrawEntered] = []
        self.rulings: list[RulingMade] = []
        self.grown = asyncio.Event()

    def add(self, promised: Acknowledged | DrawEntered) -> None:
        if isinstance(promised, Acknowledged):
            self.actions.append(promised)
        else:
            self.draws.append(promised)
        self.grown.set()

    async def reaches(self, count: int) -> None:
        """Returns when this many actions have been acknowledged."""
        async with asyncio.timeout(PATIENCE):
            while len(self.actions) < count:
                self.grown.clear()
                await self.grown.wait()


class Service:
    """Client of a service that is down from time to time: repeats what gets no answer.

    `at` moves to the new address when there is one. Writers end when `closing` is set. `unanswered`
    and `turned_away` count requests without a whole answer and those answered 503.
    """

    def __init__(self) -> None:
        self.closing = False
        self.unanswered = self.turned_away = 0
        self.up = asyncio.Event()
        self._http: httpx.AsyncClient | None = None

    async def at(self, url: str) -> None:
        await self.away()
        self._http = local_http.async_client(url, timeout=PATIENCE)
        self.up.set()

    async def within(self, app: Litestar) -> None:
        """Moves to an application of this process, without a network."""
        await self.away()
        transport = httpx.ASGITransport(cast(Any, app), raise_app_exceptions=False)
        self._http = httpx.AsyncClient(transport=transport, base_url="http://arbiter")
        self.up.set()

    async def away(self) -> None:
        self.up.clear()
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def once(self, method: str, path: str, key: str, **more: Any) -> httpx.Response:
        """Sends once. Raises httpx.TransportError if no whole answer comes."""
        await self.up.wait()
        assert self._http is not None
        headers = {"Authorization": f"Bearer {key}", **more.pop("headers", {})}
        try:
            return await self._http.request(method, path, headers=headers, **more)
        except RuntimeError as closed:
            raise httpx.ConnectError(str(closed)) from closed

    async def request(self, method: str, path: str, key: str, **more: Any) -> httpx.Response:
        """Sends until there is a real answer."""
        while True:
            try:
                answer = await self.once(method, path, key, **more)
            except httpx.TransportError:
                self.unanswered += 1
                await asyncio.sleep(0.01)
                continue
            if answer.status_code != 503:
                assert answer.status_code < 500, f"{method} {path}: {answer.text}"
                return answer
            assert int(answer.headers["retry-after"]) > 0, answer.text
            self.turned_away += 1
            await asyncio.sleep(0.01)


async def table(service: Service, ledger: Ledger, game: str, chance: str) -> Table:
    """A new match, started."""
    new = {"game": game, "seats": usual(game), "chance": chance, "rulings": "single"}
    answer = await service.request("POST", "/v1/matches", ORGANISER_KEY, json=new)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    keys = [seat["key"] for seat in made["seats"]]
    opened = Table(made["id"], keys, made["moderator_key"], game, chance)
    ledger.tables[opened.id] = opened
    begun = await service.request("POST", f"/v1/matches/{opened.id}/start", opened.moderator_key)
    assert begun.status_code == 201 or begun.json()["code"] == "already_started"
    return opened


async def act(
    service: Service, ledger: Ledger, at: Table, seat: int, key: str, action: Json
) -> str | None:
    """Sends an action until it is answered, and records the answer; returns the code, if
    refused."""
    answer = await service.request(
        "POST",
        f"/v1/matches/{at.id}/actions",
        at.seat_keys[seat],
        json=action,
        headers={"Idempotency-Key": key},
    )
    body = answer.json()
    # In a sealed phase that no one ends while the machines fail, a seat has submitted all it may.
    if answer.status_code == 409 or body.get("code") == "too_many_submissions":
        return str(body["code"])
    assert answer.status_code in (200, 201, 422), answer.text
    status = 201 if answer.status_code == 200 else answer.status_code
    seq = body["receipt"]["seq"]
    ledger.add(Acknowledged(at.id, seat, key, action, status, answer.content, seq))
    return str(body["code"]) if status == 422 else None


async def enter_draw(service: Service, ledger: Ledger, at: Table, chance: random.Random) -> None:
    """The moderator answers the draw that is awaited, if there is one."""
    path = f"/v1/matches/{at.id}"
    view = (await service.request("GET", f"{path}/view", at.moderator_key)).json()
    draw = view["awaiting"]["draw"]
    if draw is None:
        return
    outcome = [_fallen(part, chance) for part in draw["parts"]]
    entered = {"id": draw["id"], "outcome": outcome}
    answer = await service.request("POST", f"{path}/draws", at.moderator_key, json=entered)
    # A repeat after a lost answer finds the draw settled, by us: no one else enters any.
    assert answer.status_code in (201, 409), answer.text
    ledger.add(DrawEntered(at.id, draw["id"], outcome))


def _fallen(part: Json, chance: random.Random) -> Any:
    if part["kind"] == "flip":
        return chance.choice(["heads", "tails"])
    if part["kind"] == "roll":
        return chance.randint(1, part["sides"])
    return chance.sample(part["items"], len(part["items"]))


async def plays(
    service: Service, ledger: Ledger, seat: int, at: Callable[[], Table], chance: random.Random
) -> None:
    """One seat acts: something from its menu, or else something that will be refused."""
    while not service.closing:
        there = at()
        path = f"/v1/matches/{there.id}/actions"
        offered = (await service.request("GET", path, there.seat_keys[seat])).json()["actions"]
        some = offered or [{"examples": refused(there.game)}]
        action = chance.choice(chance.choice(some)["examples"])
        key = f"{seat}/{chance.getrandbits(64):x}"
        await act(service, ledger, there, seat, key, action)


async def rule(service: Service, ledger: Ledger, at: Table, chance: random.Random) -> None:
    """The moderator goes back to an action of the game whose draws the service makes, or else
    pauses the match, and then lets it go on."""
    path, undone = f"/v1/matches/{at.id}", []
    if at.chance == "server":
        seq = (await service.request("GET", f"{path}/view", at.moderator_key)).json()["seq"]
        shown = f"{path}/events?as=moderator&after={max(0, seq - LATEST)}"
        events = (await service.request("GET", shown, at.moderator_key)).json()["events"]
        undone = [one["seq"] for one in events if one["type"].startswith(f"{at.game}.")]
    first: Json = {"kind": REWIND, "before": undone[-1]} if undone else {"kind": "pause"}
    for body in (first, {"kind": "resume"}):
        key = f"{chance.getrandbits(64):x}"
        sent, headers = body | {"reason": key}, {"Idempotency-Key": key}
        if body["kind"] == REWIND:
            seen = await service.request(
                "POST", f"{path}/rulings", at.moderator_key, json=sent | {"preview": True}
            )
            if seen.is_error:
                return  # It has ended meanwhile.
            headers["If-Match"] = seen.headers["etag"]
        answer = await service.request(
            "POST", f"{path}/rulings", at.moderator_key, json=sent, headers=headers
        )
        if answer.status_code in (409, 412):
            return  # It has ended, or went on after the preview.
        assert answer.status_code in (200, 201), answer.text
        ledger.rulings.append(RulingMade(at.id, body["kind"], key))


async def close_phase(service: Service, at: Table) -> None:
    """The moderator ends the phase, if one is open; they see later whether it worked."""
    path = f"/v1/matches/{at.id}/close-phase"
    try:
        answer = await service.once("POST", path, at.moderator_key)
    except httpx.TransportError:
        return
    assert answer.status_code in (201, 409, 503), answer.text
