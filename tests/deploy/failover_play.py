"""Matches played through a proxy while workers come and go, and what was acknowledged."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from threading import Event
from typing import Any, NamedTuple

import httpx

from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import SSE, Json
from tests.support.waiting import PATIENCE

SHORT = {"tokens_to_win": 1}


class Acknowledged(NamedTuple):
    """An action, and its answer."""

    key: str
    action: Any
    idempotency_key: str
    answer: Json


class Playing:
    """A match of 12 Chips. Each awaited seat sends something from its menu and repeats it under the
    same key until it is acknowledged."""

    def __init__(self, http: httpx.Client, seed: int = 1) -> None:
        self.http = http
        self._chance = Random(seed)
        self.acknowledged: list[Acknowledged] = []
        self.repeats = 0
        self.received: list[int] = []
        self.readings = 0
        self.over = False
        self.stopped = Event()
        body = {"game": "twelve-chips", "seats": ["Ann", "Ben"], "options": SHORT}
        match = self._post("/v1/matches", ORGANISER_KEY, body, "made").json()
        self.id = match["id"]
        self.path = f"/v1/matches/{self.id}"
        self.keys = [seat["key"] for seat in match["seats"]]
        self.moderator_key = match["moderator_key"]

    def play(self) -> None:
        """Plays to the match's end, or until it is stopped."""
        self._post(f"{self.path}/start", self.moderator_key, None, "started")
        while not self.over and not self.stopped.is_set():
            view = self.get(f"{self.path}/view")
            for seat in view["awaiting"]["seats"]:
                self._act(self.keys[seat])
            self.over = view["status"] == "ended"

    def read(self) -> None:
        """The public's live stream, to the end of the match or until it is stopped; reconnects
        after every disconnection."""
        while not self._read():
            self.stopped.wait(0.1)

    def get(self, path: str, key: str | None = None) -> Any:
        """Sends until there is an answer."""
        return self._request("GET", path, key).json()

    def _act(self, key: str) -> None:
        menu = self.get(f"{self.path}/actions", key)["actions"]
        if not menu:
            return
        action = self._chance.choice(self._chance.choice(menu)["examples"])
        name = f"action-{len(self.acknowledged)}"
        answer = self._post(f"{self.path}/actions", key, action, name)
        assert answer.status_code in (200, 201), answer.text
        self.acknowledged.append(Acknowledged(key, action, name, answer.json()))

    def _read(self) -> bool:
        """Reads on from the last line received; returns whether that was the end."""
        self.readings += 1
        ended, seq = False, 0
        last = self.received[-1] if self.received else 0
        headers = {"Accept": SSE, "Last-Event-ID": str(last)}
        try:
            with self.http.stream("GET", f"{self.path}/stream", headers=headers) as stream:
                # The answer to a reader that was cut off after the last event.
                ended = stream.status_code == 204
                for line in stream.iter_lines():
                    if line.startswith("id:"):
                        seq = int(line[3:])
                    elif line.startswith("data:") and not ended:
                        self.received.append(seq)
                    ended = ended or line == "event: end"
                    if self.stopped.is_set():
                        break
        except httpx.TransportError:
            pass
        return ended or self.stopped.is_set()

    def _post(self, path: str, key: str, body: Any, name: str) -> httpx.Response:
        return self._request("POST", path, key, body, name)

    def _request(
        self, method: str, path: str, key: str | None, body: Any = None, name: str | None = None
    ) -> httpx.Response:
        """The first answer that does not ask for a retry."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        if name is not None and path.endswith("/actions"):
            headers["Idempotency-Key"] = name
        content = None if body is None else json.dumps(body)
        give_up = time.monotonic() + PATIENCE
        while True:
            answer = self.http.request(method, path, headers=headers, content=content)
            if answer.status_code != 503:
                assert not answer.is_server_error, answer.text
                return answer
            assert answer.json()["code"] == "try_again"
            assert time.monotonic() < give_up, answer.text
            self.repeats += 1
            time.sleep(0.05)


@contextmanager
def played(matches: list[Playing]) -> Iterator[None]:
    """Plays and reads all of them inside the context; all are over when it exits, and stopped when
    it fails."""
    with ThreadPoolExecutor(2 * len(matches)) as pool:
        doing: list[Future[None]] = []
        for match in matches:
            doing += [pool.submit(match.read), pool.submit(match.play)]
        try:
            yield
            for done in doing:
                done.result(PATIENCE)
        finally:
            for match in matches:
                match.stopped.set()
