"""Logs of requests and errors never contain the content of requests or answers."""

import asyncio
import json
import logging
import re
import socket
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import httpx
import psycopg
import pytest
import redis
from eventsourcing.persistence import OperationalError
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import generate_latest

from domain.games import GAMES
from service.cli.playing.demo import play, tables_of
from service.observability import logs
from service.observability.logs import LibraryHandler
from service.observability.metrics import Metrics
from service.observability.store_faults import Outages, current_outages
from service.streams.channels import NDJSON as AS_LINES
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import NDJSON, Live, Setup, serving

MARKER = "Marker8472"

VALUE = re.compile(r'"([^"\\]{8,})"(?!\s*:)')
"""A text in JSON that is no name of a field; shorter ones may occur anywhere by chance."""

TEMPLATES = {"matches", "tournaments", "client-seeds", "close-phase", "openapi.json"}
"""The text of route templates, too."""


class RecordedTraffic:
    """The application; every text that it received or sent is in `said`."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def around(self, app: ASGIApp) -> ASGIApp:
        async def overheard(scope: Scope, receive: Receive, send: Send) -> None:
            bodies = bytearray(), bytearray()

            async def received() -> Any:
                message = await receive()
                bodies[0].extend(message.get("body", b""))  # type: ignore[arg-type]
                return message

            async def sent(message: Message) -> None:
                bodies[1].extend(message.get("body", b""))  # type: ignore[arg-type]
                await send(message)

            await app(scope, received, sent)
            if scope["type"] == ScopeType.HTTP:
                found = [scope["query_string"].decode(), *scope["path"].split("/")]
                for name, value in scope["headers"]:
                    if name in (b"authorization", b"idempotency-key"):
                        found.append(value.decode().removeprefix("Bearer "))
                self.said |= {text for text in found if len(text) >= 8 and text not in TEMPLATES}
                for body in bodies:
                    self.said |= set(VALUE.findall(body.decode(errors="replace")))

        return overheard


def lines(logged: StringIO, event: str = "request") -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in logged.getvalue().splitlines()]
    return [entry for entry in entries if entry["event"] == event]


def warned(handler: LibraryHandler, said: str) -> None:
    handler.emit(logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, said, (), None))


def test_a_warning_of_a_library_is_logged_once_a_second(logged: StringIO) -> None:
    now = 100.0
    handler = LibraryHandler(lambda: now)
    for now in (100.0, 100.2, 100.9, 101.0, 101.5):  # noqa: B007  the handler reads it
        warned(handler, "malformed")
    warned(handler, "something else")
    now = 102.0
    warned(handler, "malformed")
    assert [(line["said"], line.get("times")) for line in lines(logged, "library_warned")] == [
        ("malformed", None),
        ("malformed", 3),
        ("something else", None),
        ("malformed", 2),
    ]


def test_requests_are_not_logged_however_malformed(tmp_path: Path, logged: StringIO) -> None:
    with serving(tmp_path) as live:
        live.anyone.get("/v1/games")
        for _ in range(100):
            with socket.create_connection(("127.0.0.1", live.port)) as connection:
                connection.sendall(b"NONSENSE\r\n\r\n")
                assert connection.recv(12) == b"HTTP/1.1 400"
    assert logged.getvalue() == ""


def odds(live: Live) -> None:
    """A match with markers wherever a client can put text, and with wrong requests."""
    match = live.create("twelve-chips", (f"{MARKER} Ann", f"{MARKER} Ben"))
    match.seats[0].client.post(f"{match.anyone.path}/client-seeds", {"seed": f"{MARKER} dice"})
    match.moderator.start()
    named = {"Idempotency-Key": f"{MARKER}-key"}
    for body in ({"type": MARKER}, {"type": "play", MARKER: 1}, {"type": "play", "chip": MARKER}):
        match.seats[0].act(body, named)
    live.anyone.get(f"/{MARKER}/{MARKER}")
    live.anyone.get(f"/v1/games/{MARKER}?{MARKER}={MARKER}")
    match.anyone.view(MARKER)
    live.bearing(f"arb_s0_{MARKER}").get(f"{match.anyone.path}/view")
    live.anyone.send("POST", "/v1/matches", MARKER.encode() * 10_000, {"User-Agent": MARKER})
    cup = live.organiser.post(
        "/v1/tournaments", {"name": f"{MARKER} cup", "players": [f"{MARKER} Ann"]}
    )
    assert cup.status_code in (201, 400, 422)


def test_nothing_of_a_match_is_logged(
    tmp_path: Path, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches of every game and variant by bots: no key, name, seed, action or view that went over
    the wire is in a log line or a metric."""
    demo = import_module("service.cli.playing.demo")
    monkeypatch.setattr(demo, "NAMES", tuple(f"{MARKER} {name}" for name in demo.NAMES))
    overheard, metrics = RecordedTraffic(), Metrics()
    with serving(tmp_path, setup=Setup(instrumentation=metrics, within=overheard.around)) as live:
        shown = asyncio.run(play(live.url, ORGANISER_KEY, tables_of(1, Random(7))))
        odds(live)
        with live.match(shown[0].match.id, (), "").anyone.stream({"Accept": NDJSON}, after=0) as it:
            it.read()
    assert {played.game for played in shown} == set(GAMES)
    text = logged.getvalue() + generate_latest(metrics.registry).decode()
    assert len(overheard.said) > 500
    assert any(said.startswith("arb_s0_") for said in overheard.said)
    assert any(f"{MARKER} dice" in said for said in overheard.said)
    assert [said for said in overheard.said if said in text] == []
    assert MARKER not in text


def test_an_error_is_logged_by_its_kind_and_location_without_its_content(logged: StringIO) -> None:
    try:
        try:
            int(MARKER)
        except ValueError as error:
            raise ExceptionGroup(MARKER, [KeyError(MARKER)]) from error
    except ExceptionGroup as error:
        logs.failure("judging_failed", error, match="a match")
    [line] = lines(logged, "judging_failed")
    assert MARKER not in line["exception"]
    for kind in ("KeyError", "ValueError", "ExceptionGroup", __file__):
        assert kind in line["exception"]
    assert line["match"] == "a match"


class Gone(logs.OperatorError):
    """Of a process."""


@pytest.fixture
def no_outage() -> Iterator[None]:
    """A server that other tests share may be alive in this process: it folds repeated failures."""
    token = current_outages.set(Outages())
    yield
    current_outages.reset(token)


@pytest.mark.usefixtures("no_outage")
@pytest.mark.parametrize(
    "error",
    [
        OperationalError("disk full"),
        OSError("disk full"),
        TimeoutError("disk full"),
        sqlite3.OperationalError("disk full"),
        psycopg.errors.DiskFull("disk full"),
        redis.exceptions.ConnectionError("disk full"),
        Gone("disk full"),
    ],
)
def test_errors_of_the_outside_world_are_logged(logged: StringIO, error: Exception) -> None:
    logs.failure("store_failed", error)
    [line] = lines(logged, "store_failed")
    assert line["exception"].endswith(f"{type(error).__qualname__}: disk full")


@pytest.mark.usefixtures("no_outage")
def test_a_row_quoted_by_a_database_error_is_not_logged(logged: StringIO) -> None:
    logs.failure("store_failed", OperationalError(f"no\nDETAIL:  Failing row contains ({MARKER})."))
    assert "OperationalError: no" in logged.getvalue()
    assert MARKER not in logged.getvalue()


def test_logs_of_libraries_are_filtered_alike(logged: StringIO) -> None:
    """As asyncio logs a failed task, whose text quotes the error."""
    log = logging.getLogger("asyncio")
    log.error("lost: %s", MARKER, exc_info=KeyError(MARKER))
    logging.getLogger("a.library").warning("error connecting")
    assert MARKER not in logged.getvalue()
    assert lines(logged, "library_failed")[0]["library"] == "asyncio"
    assert lines(logged, "library_warned")[0]["said"] == "error connecting"


def test_a_board_that_fails_in_the_middle_of_a_stream_logs_nothing_of_it(
    tmp_path: Path, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The response has begun, so the server below the application meets the error."""

    def failing(*_: object) -> bytes:
        raise KeyError(MARKER)

    with serving(tmp_path) as live:
        match = live.started("dollar-prize")
        monkeypatch.setattr(
            "service.http.requests.event_answers.NDJSON", replace(AS_LINES, frame=failing)
        )
        stream = match.anyone.stream({"Accept": NDJSON}, after=0)
        with pytest.raises(httpx.RemoteProtocolError), stream as response:
            response.read()
    assert lines(logged, "request_failed")
    assert MARKER not in logged.getvalue()
