"""Requests whose answers are recorded."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.oracle.service import AWAIT_SECONDS, Service, organiser_key, verdict
from tests.oracle.stable import Lines, Names

Json = dict[str, Any]

UNSTABLE = {"date", "server", "content-length", "transfer-encoding", "connection"}
"""Headers that are not recorded: what they say depends on the machine, or on lengths of names."""

NUMBERS = re.compile(r"\b(after|at)=\d+")
"""Numbers of events in an address: the title of what is recorded does not have them."""

BY_CHANCE = {"retry", "qr"}
"""What is by chance, or a picture of it."""


@dataclass
class Scenario:
    """Recorded requests that belong together. Names of what is random hold for all of them."""

    service: Service
    name: str
    units: dict[str, Lines] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    _sent: int = 0

    def send(
        self,
        method: str,
        path: str,
        who: "Person",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        """Sends a request and records it with its answer. Whatever may change something comes a
        second later than what was before."""
        if method not in ("GET", "HEAD", "OPTIONS"):
            self._sent += 1
            self.service.chance.given(f"{self.name} {self._sent}")
            self.service.pass_time(1)
        sent = json.dumps(body).encode() if content is None and body is not None else content
        answer = self.service.http.request(
            method, path, content=sent, headers=who.headers | dict(headers or {})
        )
        asked = self.names.lines({"sent": body, **(headers or {})}) if body or headers else []
        lines = [f">{line}" for line in asked]
        self.record(f"{method} {path} as {who.name}", [*lines, *self._shown(answer, who)])
        return answer

    def follow(
        self, path: str, who: "Person", last: int, headers: Mapping[str, str] | None = None
    ) -> None:
        """Records a stream that stays open, up to the event with the number `last`."""
        sent = who.headers | dict(headers or {})
        with self.service.http.stream("GET", path, headers=sent) as answer:
            lines = [f"< {answer.status_code}"]
            for text in answer.iter_lines():
                lines += self._streamed(text)
                if f'"seq":{last},' in text:
                    break
        self.record(f"GET {path} as {who.name}, followed", lines)

    def record(self, title: str, lines: Lines) -> None:
        """Records lines under a title, which gets a number if it is not the first one."""
        title, number = NUMBERS.sub(r"\1=N", self.names.stable(title, "path")), 1
        while (unit := title if number == 1 else f"{title} #{number}") in self.units:
            number += 1
        self.units[unit] = lines

    def once(self, path: str, holds: Callable[[Any], bool], who: "Person | None" = None) -> Any:
        """What is answered once this holds of it; nothing of it is recorded."""
        answers = []

        def held() -> bool:
            answers.append(self.service.http.get(path, headers=(who or ANYBODY).headers).json())
            return holds(answers[-1])

        self.wait(held)
        return answers[-1]

    def wait(self, until: Callable[[], bool]) -> None:
        """Waits for what the service does by itself."""
        deadline = time.monotonic() + AWAIT_SECONDS
        while not until():
            assert time.monotonic() < deadline, f"{self.name}: waited in vain"
            time.sleep(0.01)

    def _shown(self, answer: httpx.Response, who: "Person") -> Lines:
        headers = {f"<{n}": v for n, v in answer.headers.items() if n not in UNSTABLE}
        return [f"< {answer.status_code}", *self.names.lines(headers), *self.body(answer, who)]

    def body(self, answer: httpx.Response, who: "Person") -> Lines:
        """The body of an answer, in lines. A view that comes with the answer to an action is left
        out if it is the one that is read afterwards."""
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if not answer.content:
            return []
        if kind.endswith("json") and kind != "application/x-ndjson":
            value = answer.json()
            if isinstance(value, dict) and "receipt" in value and "view" in value:
                path = answer.url.path.rpartition("/")[0] + "/view"
                now = self.service.http.get(path, headers=who.headers).json()
                value["view"] = "(as read)" if now == value["view"] else value["view"]
            return self._json(value)
        if kind.startswith("text/") or kind == "application/x-ndjson":
            return [line for text in answer.text.splitlines() for line in self._streamed(text)]
        if answer.url.path.endswith("/bundle"):
            keys = [one["key"] for one in self.service.http.get("/v1/keys").json()["keys"]]
            return self.names.lines(verdict(answer.content, keys), "verdict")
        return [f"({kind})"]

    def _streamed(self, text: str) -> Lines:
        """A line of a stream or of a text."""
        name, _, data = text.partition(": ")
        if name == "data" or text.startswith("{"):
            return self._json(json.loads(data if name == "data" else text), "line")
        return ["retry"] if name == "retry" else [self.names.stable(text, name[:12])]

    def _json(self, value: Any, place: str = "") -> Lines:
        if isinstance(value, dict):
            value = {n: f"({n})" if n in BY_CHANCE and v else v for n, v in value.items()}
        return self.names.lines(value, place)


@dataclass(frozen=True)
class Person:
    """Someone who sends requests, with a key or without one."""

    name: str
    key: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.key is None else {"Authorization": f"Bearer {self.key}"}


ANYBODY = Person("anybody")
ORGANISER = Person("organiser", organiser_key)


@dataclass(frozen=True)
class Match:
    """A match and everyone at it."""

    scenario: Scenario
    id: str
    moderator: Person
    seats: tuple[Person, ...]

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.id}"

    @property
    def audiences(self) -> tuple[Person, ...]:
        return (ANYBODY, *self.seats, self.moderator)

    def get(self, what: str, who: Person, headers: Mapping[str, str] | None = None) -> Any:
        return self.scenario.send("GET", f"{self.path}{what}", who, headers=headers)

    def post(
        self, what: str, who: Person, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        return self.scenario.send("POST", f"{self.path}{what}", who, body, headers)

    def delete(self, what: str, who: Person) -> Any:
        return self.scenario.send("DELETE", f"{self.path}{what}", who)

    def seen(self, who: Person, what: str = "/view") -> Any:
        """What is answered now, unrecorded."""
        return self.scenario.service.http.get(self.path + what, headers=who.headers).json()

    def events(self, who: Person) -> list[Json]:
        """All events of an audience so far, unrecorded."""
        found: list[Json] = self.seen(who, "/events?limit=1000")["events"]
        return found

    def number(self, kind: str, which: int = -1) -> int:
        """The moderator's number of an event of a kind."""
        return int([e["seq"] for e in self.events(self.moderator) if e["type"] == kind][which])


def create(scenario: Scenario, game: str, seats: tuple[str, ...], **more: Any) -> Match:
    """A match that has been created and not started."""
    body = {"game": game, "seats": list(seats), **more}
    made = scenario.send("POST", "/v1/matches", ORGANISER, body).json()
    people = [Person(f"seat:{seat['seat']}", seat["key"]) for seat in made["seats"]]
    return Match(scenario, made["id"], Person("moderator", made["moderator_key"]), tuple(people))


def tournament(scenario: Scenario, **more: Any) -> tuple[str, dict[str, Person]]:
    """The path of a tournament of Ann, Ben and Cy, whom Mo and Cy moderate, and its people."""
    body = {"name": "Cup", "players": ["Ann", "Ben", "Cy"], "moderators": ["Mo", "Cy"], **more}
    made = scenario.send("POST", "/v1/tournaments", ORGANISER, body).json()
    people = {one["name"]: Person(f"player {one['name']}", one["key"]) for one in made["players"]}
    for one in made["moderators"]:
        person = Person(f"moderator {one['name']}", one["key"])
        people.setdefault(one["name"], person)
    return f"/v1/tournaments/{made['id']}", people


def start(scenario: Scenario, game: str, seats: tuple[str, ...], **more: Any) -> Match:
    match = create(scenario, game, seats, **more)
    match.post("/start", match.moderator)
    return match
