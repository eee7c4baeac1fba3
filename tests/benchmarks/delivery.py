"""From the acknowledgement of an action at one worker to the line in a stream of another."""

import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from tests.benchmarks.http import KEY, listening
from tests.benchmarks.rows import Row, at_most
from tests.support.servers.postgres_server import fresh_database
from tests.support.servers.redis_server import RedisServer

ACTIONS = 400
PACE = 0.005
PATIENCE = 30.0
LINES = "application/x-ndjson"
TOO_EARLY = {"type": "end_turn"}


def measure(folder: Path) -> list[Row]:
    """Two workers on one PostgreSQL: with Redis, and polling the log ten times a second."""
    made: list[Row] = []
    with fresh_database() as env, TemporaryDirectory(prefix="rd-") as short:
        redis = RedisServer(Path(short))
        redis.start()
        try:
            with_redis = _delays(folder / "redis", {**env, "ARBITER_REDIS_URL": redis.url})
        finally:
            redis.kill()
        without = _delays(folder / "none", env)
    made.append(at_most("delivery to another worker, p50", _share(with_redis, 0.5), 5, "ms"))
    made.append(at_most("delivery to another worker, p99", _share(with_redis, 0.99), 25, "ms"))
    figures = f"{_share(without, 0.5):.0f} / {_share(without, 0.99):.0f} ms"
    made.append(Row("the same without Redis, p50 / p99", figures))
    return made


def _share(delays: list[float], share: float) -> float:
    ordered = sorted(delays)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e3


def _delays(folder: Path, env: Mapping[str, str]) -> list[float]:
    """Seconds from each acknowledgement to its line."""
    with ExitStack() as stack:
        one, two = (stack.enter_context(worker(folder, env)) for _ in range(2))
        headers = {"Authorization": f"Bearer {KEY}"}
        new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
        made = one.post("/v1/matches", json=new, headers=headers).json()
        path = f"/v1/matches/{made['id']}"
        one.post(f"{path}/start", headers=headers).raise_for_status()
        seat = {"Authorization": f"Bearer {made['seats'][0]['key']}"}
        arrived = reading(two, path, seat)
        return [delay(one, path, seat, arrived) for _ in range(ACTIONS)]


def delay(
    http: httpx.Client,
    path: str,
    seat: Mapping[str, str],
    arrived: "Queue[float]",
    action: Mapping[str, Any] = TOO_EARLY,
) -> float:
    """One action, which is refused: two events for its seat, notified together."""
    answer = http.post(f"{path}/actions", json=action, headers=seat)
    acknowledged = time.perf_counter()
    assert answer.status_code == 422, answer.text
    delay = arrived.get(timeout=PATIENCE) - acknowledged
    time.sleep(PACE)
    while not arrived.empty():
        arrived.get_nowait()
    return max(0.0, delay)


def reading(http: httpx.Client, path: str, seat: Mapping[str, str]) -> "Queue[float]":
    """Opens a seat's stream; records when lines arrive."""
    arrived: Queue[float] = Queue()
    threading.Thread(target=_read, args=(http, path, seat, arrived), daemon=True).start()
    assert arrived.get(timeout=PATIENCE)
    return arrived


def _read(http: httpx.Client, path: str, seat: Mapping[str, str], arrived: "Queue[float]") -> None:
    """Records the time of each arrival; the first is when the stream is open."""
    headers = {**seat, "Accept": LINES}
    # At the end the worker goes, and its stream with it.
    with (
        suppress(httpx.HTTPError),
        http.stream("GET", f"{path}/stream", headers=headers, timeout=PATIENCE) as stream,
    ):
        arrived.put(time.perf_counter())
        for _ in stream.iter_raw():
            arrived.put(time.perf_counter())


@contextmanager
def worker(folder: Path, env: Mapping[str, str]) -> Iterator[httpx.Client]:
    """A worker in a process of its own, and its client."""
    serve = (sys.executable, "-m", "service.cli", "serve", "--data", str(folder), "--port")
    with (
        listening(lambda port: [*serve, str(port)], env) as running,
        httpx.Client(base_url=f"http://127.0.0.1:{running.port}", timeout=PATIENCE) as http,
    ):
        yield http
