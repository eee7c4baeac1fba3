"""A full scenario from creation to settlement, by clients that repeat what was not acknowledged,
under the same keys; and the final record, without what differs between runs: ids, keys, salts and
times."""

import asyncio
import re
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx
import msgspec
from eventsourcing.persistence import OperationalError

from domain.encoding import decode
from domain.tournament.events import RequestReceived
from service.app import create_app
from service.event_store.store import Store
from service.instance import Instance
from tests.faults.http_writers import Service
from tests.support.http.match_play import outcome
from tests.support.instants import NOON, SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json
from tests.support.virtual_clock import VirtualClock

MOST_STEPS = 200
MOST_EVENTS = 10_000
PATIENCE = 20.0
TURN = 60
TURNS = 2
NAMES = ["Ann", "Ben", "Cy", "Di"]

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Scenario:
    """One run of it against a running instance."""

    def __init__(self, instance: Instance, clock: VirtualClock) -> None:
        self._arbiter = instance
        self._clock = clock
        self._client = Service()

    @property
    def turned_away(self) -> int:
        """Number of answers with status 503."""
        return self._client.turned_away

    async def run(self) -> None:
        """The whole scenario, one step after another."""
        await self._client.within(create_app(self._arbiter))
        try:
            async with asyncio.timeout(PATIENCE):
                cup = await self._tournament()
                await self._played({"game": "twelve-chips", "options": {"tokens_to_win": 1}})
                await self._timed()
                await self._settled(cup)
        finally:
            await self._client.away()

    async def _tournament(self) -> str:
        body = {"name": "Cup", "players": NAMES, "garnets": dict.fromkeys(NAMES, 9)}
        answer = await self._organise("/v1/tournaments", body, "cup")
        cup = str(answer["id"])
        given = {"player": 1, "amount": 1, "reason": "early"}
        for _ in range(2):
            await self._organise(f"/v1/tournaments/{cup}/garnets", given, "garnet")
        return cup

    async def _organise(self, path: str, body: Json, once: str) -> Json:
        answer = await self._client.request(
            "POST", path, ORGANISER_KEY, json=body, headers={"Idempotency-Key": once}
        )
        assert answer.status_code in (200, 201), answer.text
        made: Json = answer.json()
        return made

    async def _begun(self, new: Json, once: str) -> "Match":
        """A started match. If its keys were lost with an answer, new ones are issued, as an
        operator would."""
        made = await self._organise("/v1/matches", {"seats": NAMES[:2], **new}, once)
        count = len(made["seats"])
        keys = [made["moderator_key"], *(seat["key"] for seat in made["seats"])]
        if None in keys:
            slots = ["mod", *(f"s{seat}" for seat in range(count))]
            keys = await asyncio.to_thread(self._issued, UUID(made["id"]), slots)
        match = Match(self._client, made["id"], keys[0], keys[1:])
        answer = await match.moderate("start")
        assert answer.status_code == 201 or answer.json()["code"] == "already_started"
        return match

    def _issued(self, match_id: UUID, slots: list[str]) -> list[str]:
        """Repeats the call once if it is the one chosen to fail."""
        with suppress(OperationalError):
            return self._arbiter.keyring.issue(match_id, slots)
        return self._arbiter.keyring.issue(match_id, slots)

    async def _played(self, new: Json) -> None:
        """A match to its end, with draws by hand; every action is sent twice. Then its log is
        signed."""
        match = await self._begun({**new, "chance": "manual"}, "played")
        for number in range(MOST_STEPS):
            view = await match.view()
            if view["status"] != "running":
                break
            await match.step(view, f"step-{number}")
        assert view["status"] == "ended"
        for _ in range(2):
            assert (await match.moderate("checkpoints")).status_code == 201

    async def _timed(self) -> None:
        """A match in which two turns expire."""
        new = {"game": "dollar-prize", "options": {"turn_seconds": TURN}, "clock": "rules"}
        match = await self._begun({**new, "chance": "manual"}, "timed")
        for turn in range(TURNS):
            view = await match.awaiting_a_seat(f"timed-{turn}")
            self._clock.move_to(instant(view["awaiting"]["deadline"]))
            while (await match.view())["seq"] == view["seq"]:
                await asyncio.sleep(0.002)
                # A report that failed is repeated a second later.
                self._clock.pass_time(SECOND // 20)

    async def _settled(self, cup: str) -> None:
        """A match of the tournament, closed phase by phase; it counts there in the end."""
        new = {"game": "together", "seats": NAMES, "tournament": cup, "chance": "manual"}
        match = await self._begun({**new, "options": {"garnets": [2, 0, 3, 0]}}, "settled")
        paid = {"type": "submit", "round": 1, "a": [1], "b": [2, 2, 3], "pay_garnet": True}
        await match.act(0, paid, "paid")
        for _ in range(MOST_STEPS):
            view = await match.view()
            if view["status"] != "running":
                break
            await match.close(view)
        while (await self._row(cup))["result"] is None:  # noqa: ASYNC110  as a client would
            await asyncio.sleep(0.002)

    async def _row(self, cup: str) -> Json:
        shown = await self._client.request("GET", f"/v1/tournaments/{cup}", ORGANISER_KEY)
        (row,) = shown.json()["matches"]
        found: Json = row
        return found


class Match:
    """A match and its players."""

    def __init__(self, client: Service, match_id: str, moderator: str, seats: list[str]) -> None:
        self._client = client
        self._path = f"/v1/matches/{match_id}"
        self._moderator = moderator
        self._seats = seats

    async def view(self) -> Json:
        answer = await self._client.request("GET", f"{self._path}/view", self._moderator)
        return dict(answer.json())

    async def moderate(
        self, what: str, body: Json | None = None, if_match: str | None = None
    ) -> httpx.Response:
        path = f"{self._path}/{what}"
        headers = {} if if_match is None else {"If-Match": if_match}
        return await self._client.request("POST", path, self._moderator, json=body, headers=headers)

    async def awaiting_a_seat(self, once: str) -> Json:
        """The view when no draw is awaited any more."""
        view = await self.view()
        while view["awaiting"]["draw"] is not None:
            await self.step(view, once)
            view = await self.view()
        return view

    async def step(self, view: Json, once: str) -> None:
        """Enters the awaited draw, or sends the first action of a menu."""
        draw = view["awaiting"]["draw"]
        if draw is not None:
            entered = {"id": draw["id"], "outcome": outcome(draw["parts"])}
            # A moderator who repeats an outcome after a lost answer learns that it has been
            # entered.
            assert (await self.moderate("draws", entered)).status_code in (201, 409)
            return
        seat = view["awaiting"]["seats"][0]
        menu = await self._client.request("GET", f"{self._path}/actions", self._seats[seat])
        await self.act(seat, menu.json()["actions"][-1]["examples"][-1], once)

    async def act(self, seat: int, action: Json, once: str) -> None:
        """Sends an action twice: both get the same answer."""
        path = f"{self._path}/actions"
        answers = [
            await self._client.request(
                "POST", path, self._seats[seat], json=action, headers={"Idempotency-Key": once}
            )
            for _ in range(2)
        ]
        assert answers[0].status_code in (200, 201), answers[0].text
        assert answers[1].status_code == 200
        assert answers[0].content == answers[1].content

    async def close(self, view: Json) -> None:
        """Ends the phase that was seen, and no other one."""
        answer = await self._client.request("GET", f"{self._path}/view", self._moderator)
        if answer.json()["seq"] == view["seq"]:
            closed = await self.moderate("close-phase", if_match=answer.headers["etag"])
            assert closed.status_code in (201, 409, 412), closed.text


def instant(text: str) -> int:
    """A time as microseconds since 1970."""
    return round(datetime.fromisoformat(text).timestamp() * SECOND)


def on_record(store: Store) -> list[list[Any]]:
    """The content of every stream, in an order that depends on the content alone."""
    found: dict[str, list[Any]] = {}
    for stored in store.recorder.select_notifications(1, MOST_EVENTS):
        stream = found.setdefault(str(stored.originator_id), [])
        stream.append(
            _timeless(msgspec.to_builtins(decode(stored.state).event, builtin_types=[bytes]))
        )
        assert stored.originator_version == len(stream)
    return sorted(found.values(), key=repr)


def _timeless(value: Any) -> Any:
    """The same without random values and times."""
    if isinstance(value, dict):
        # A key of a request is hashed with its sender, who is of a tournament with a random id.
        hashed = {"key_id"}
        if value.get("type") == RequestReceived.__struct_config__.tag:
            hashed.add("key")
        drawn = {name: None if name in hashed else inner for name, inner in value.items()}
        return {_timeless(name): _timeless(inner) for name, inner in drawn.items()}
    if isinstance(value, list | tuple):
        return [_timeless(inner) for inner in value]
    if isinstance(value, bytes) or (isinstance(value, int) and value > NOON // 2):
        return None
    return ID.sub("id", value) if isinstance(value, str) else value
