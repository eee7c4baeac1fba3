"""A data folder in which several matches are one request away from chance, or from their end; and
copies of it, in which those requests are sent to a server that dies during them."""

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import httpx
import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.chance.draws import Draw
from domain.events import Event, Record
from domain.game import Result
from domain.match.events import ActionReceived
from domain.match.replay import replayed
from domain.proof.log_events import CheckpointSigned
from domain.proof.notes import VerifierKey, verifier_key
from service.event_store.store import paired_stream
from tests.support.faults.http_writers import Table
from tests.support.faults.server_process import PATIENCE, Process, streams
from tests.support.http import local_http
from tests.support.http.match_play import eager
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Json, Live, LiveMatch, serving
from tests.support.waiting import wait_until

MOST = 200

NEW = {"game": "twelve-chips", "seats": ["Ann", "Ben"], "options": {"tokens_to_win": 1}}


class Request(Struct, frozen=True):
    """A request by the holder of a key, which is repeated under the same idempotency key."""

    path: str
    key: str
    body: Json | None = None
    once: str | None = None


class Answer(Struct, frozen=True):
    """Its answer."""

    status: int
    body: bytes

    @property
    def json(self) -> Json:
        found: Json = msgspec.json.decode(self.body)
        return found


Answers = dict[str, Answer]


class Disk(Struct, frozen=True):
    """The content of the database: the records of every stream, and every secret as it is
    stored."""

    records: dict[str, list[Record[Event]]]
    secrets: dict[str, list[bytes]]

    def events(self, stream: str) -> list[Event]:
        """The record of a match without its times."""
        events = [record.event for record in self.records.get(stream, ())]
        return [
            replace(event, recorded=UNSET) if isinstance(event, ActionReceived) else event
            for event in events
        ]

    def signed(self, match: str) -> list[CheckpointSigned]:
        """The signatures of a match's log."""
        found = self.events(str(paired_stream(UUID(match))))
        return [event for event in found if isinstance(event, CheckpointSigned)]


class World(Struct, frozen=True):
    """The folder before the requests. `tables` are the matches in it, by the names of their
    requests; `checkpoint` was saved earlier."""

    folder: Path
    tables: dict[str, Table]
    requests: dict[str, Request]
    checkpoint: str


def prepared(folder: Path) -> World:
    """Dollar Prize before a steal, 12 Chips before a deal, one match to start and one before its
    end; and a match to create."""
    with serving(folder) as live:
        tables, requests = {}, {"make": Request("/v1/matches", ORGANISER_KEY, NEW, "make")}
        for name, game, wanted, options in (
            ("steal", "dollar-prize", _steals, {}),
            ("deal", "twelve-chips", _deals, {}),
            ("end", "twelve-chips", _ends, {"tokens_to_win": 1}),
        ):
            match = live.started(game, options=options)
            tables[name] = _table(match, game)
            requests[name] = _brought_before(live, match, wanted, name)
        begun = live.create("twelve-chips")
        begun.seats[0].client.post(f"{begun.seats[0].path}/client-seeds", {"seed": "dice"})
        tables["start"] = _table(begun, "twelve-chips")
        requests["start"] = Request(f"/v1/matches/{begun.id}/start", begun.moderator_key)
        end = live.bearing(tables["end"].moderator_key)
        checkpoint = end.post(f"/v1/matches/{tables['end'].id}/checkpoints").json()["note"]
    return World(folder, tables, requests, checkpoint)


def _table(match: LiveMatch, game: str) -> Table:
    return Table(match.id, list(match.keys), match.moderator_key, game, "server")


Wanted = Callable[[Draw | None, Result | None], bool]


def _steals(draw: Draw | None, _: Result | None) -> bool:
    return draw is not None and "steal" in draw.id


def _deals(draw: Draw | None, _: Result | None) -> bool:
    return draw is not None


def _ends(_: Draw | None, result: Result | None) -> bool:
    return result is not None


def _brought_before(live: Live, match: LiveMatch, wanted: Wanted, name: str) -> Request:
    """Plays a match until the next action leads to the wanted event; returns that action."""
    for _ in range(MOST):
        game, now = replayed(match.id, live.instance.store.read(UUID(match.id)))
        seat = now.awaiting.seats[0]
        action = eager(match.seats[seat])
        state = now.game
        for event in game.decide(state, seat, msgspec.convert(action, game.Action)):
            state = game.evolve(state, event)
        if wanted(game.awaits(state).draw, game.result(state)):
            return Request(f"{match.seats[seat].path}/actions", match.keys[seat], action, name)
        assert match.seats[seat].act(action).status_code == 201
    raise AssertionError(f"no {name} after {MOST} actions")


# Requests.


def session(url: str) -> httpx.Client:
    return local_http.client(url, timeout=PATIENCE)


def sent(http: httpx.Client, request: Request) -> Answer:
    headers = {"Authorization": f"Bearer {request.key}"}
    if request.once is not None:
        headers["Idempotency-Key"] = request.once
    answer = http.post(request.path, json=request.body, headers=headers)
    return Answer(answer.status_code, answer.content)


def sent_all(url: str, requests: dict[str, Request], *, at_once: bool = False) -> Answers:
    """Sends the requests, one after another or all together; returns the answers that came."""
    answers: Answers = {}

    def send(name: str) -> None:
        with suppress(httpx.TransportError):
            answers[name] = sent(http, requests[name])

    with session(url) as http, ThreadPoolExecutor(len(requests) if at_once else 1) as senders:
        list(senders.map(send, requests))
    return answers


def sent_and_killed(process: Process, requests: dict[str, Request], delay: float) -> Answers:
    """Sends them one after another to a server that is killed after a delay."""
    answers: Answers = {}
    sending = threading.Thread(target=lambda: answers.update(sent_all(process.url, requests)))
    sending.start()
    time.sleep(delay)
    process.kill()
    sending.join()
    return answers


# Observations.


def disk(folder: Path) -> Disk:
    """The content on disk. A copy is read, so that the service itself recovers what it left."""
    secrets: dict[str, list[bytes]] = {}
    with TemporaryDirectory() as copy:
        for file in folder.glob("arbiter.db*"):
            shutil.copy(file, copy)
        with closing(sqlite3.connect(Path(copy) / "arbiter.db")) as database:
            rows = database.execute(
                "SELECT originator_id, state FROM stored_secrets"
                " ORDER BY originator_id, originator_version"
            ).fetchall()
    for match, state in rows:
        secrets.setdefault(str(UUID(match)), []).append(state)
    return Disk(streams(folder), secrets)


def seen(http: httpx.Client, table: Table) -> dict[str, Any]:
    """All that each audience sees of a match: its view, byte by byte, and its events without their
    times."""
    keys = {"moderator": table.moderator_key, "public": table.seat_keys[0]}
    keys |= {f"seat:{seat}": key for seat, key in enumerate(table.seat_keys)}
    shown: dict[str, Any] = {}
    for audience, key in keys.items():
        headers = {"Authorization": f"Bearer {key}"}
        for what in ("view", "events"):
            path = f"/v1/matches/{table.id}/{what}?as={audience}"
            path += "&limit=1000" if what == "events" else ""
            answer = http.get(path, headers=headers)
            assert answer.status_code == 200, answer.text
            shown[f"{audience} {what}"] = answer.content
        lines = msgspec.json.decode(shown[f"{audience} events"])["events"]
        shown[f"{audience} events"] = [_timeless(line) for line in lines]
    return shown


def _timeless(line: Json) -> Json:
    return {**line, "at": None, "data": {**line["data"], "recorded": None}}


def receipts(http: httpx.Client, table: Table) -> list[Json]:
    """The receipts of every seat, one seat after another."""
    found: list[Json] = []
    for key in table.seat_keys:
        headers = {"Authorization": f"Bearer {key}"}
        answer = http.get(f"/v1/matches/{table.id}/receipts?limit=1000", headers=headers)
        assert answer.status_code == 200, answer.text
        found += answer.json()["receipts"]
    return found


def published(http: httpx.Client) -> list[VerifierKey]:
    """The public keys of the service."""
    return [verifier_key(key["key"]) for key in http.get("/v1/keys").json()["keys"]]


def signed_at_end(folder: Path, match: str) -> None:
    """Returns when the signature of a match's whole log is on disk."""
    wait_until(
        lambda: any(signed.over for signed in Disk(streams(folder), {}).signed(match)),
        failure=lambda: "the log was never signed",
    )


def copied(world: World, folder: Path) -> Path:
    """A copy of the folder elsewhere."""
    shutil.copytree(world.folder, folder)
    return folder
