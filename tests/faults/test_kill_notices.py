"""Killed with kill -9, the sender and the receiver in turn, on either database: each notice arrives
at least once, a repeat has the same id and body, and those of a match arrive in order."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.effort import new_chance, times
from tests.support.faults.server_process import Process
from tests.support.http import local_http
from tests.support.http.webhook_receiver import Received, receiving
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, Json
from tests.support.servers.postgres_server import fresh_database
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

KILLS = times("deaths while notices are sent")
MATCHES = 3


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_each_notice_arrives_at_least_once_and_in_order(store: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        options, environment = ["--retry-after", "0"], None
        if store == "postgres":
            options.append("--postgres")
            environment = stack.enter_context(fresh_database())
        matches, received, sent = killed_by_turns(
            lambda: Process(tmp_path / "data", *options, store=environment)
        )
    first = list(dict.fromkeys((one.id, one.body) for one in received))
    assert len({id_ for id_, _ in first}) == len(first), "a repeat is the same, byte by byte"
    assert {id_ for id_, _ in first} == {one["id"] for one in sent}
    about = {one["id"]: one["about"] for one in sent}
    for match in matches:
        in_order = [one["id"] for one in sent if one["about"] == match]
        assert [id_ for id_, _ in first if about[id_] == match] == in_order
        assert len(in_order) == 2


def killed_by_turns(start: Callable[[], Process]) -> tuple[list[str], list[Received], list[Json]]:
    """The matches, all that the receiver was sent in its lives, and what was sent in the end."""
    chance, matches, received = new_chance(), list[str](), list[Received]()
    process, port = start(), 0
    try:
        for life in range(2 * KILLS + 1):
            with receiving(port) as receiver:
                if not port:
                    port = receiver.server_address[1]
                    webhook = {"url": receiver.url, "kinds": ["started", "awaiting"]}
                    path = f"/v1/webhooks/{posted(process, '/v1/webhooks', webhook)['id']}"
                matches += [started(process) for _ in range(MATCHES)]
                receiver.wait_for(chance.randint(1, MATCHES))
                if life % 2 == 0 and life < 2 * KILLS:
                    process.kill()
                    process = start()
                    receiver.wait_for(chance.randint(1, MATCHES))
                if life == 2 * KILLS:
                    sent = all_delivered(process, path, 2 * len(matches))
            received += receiver.received
    finally:
        process.kill()
    return matches, received, sent


def all_delivered(process: Process, webhook: str, count: int) -> list[Json]:
    """What was sent, once everything has arrived."""
    sent: list[Json] = []

    def done() -> bool:
        with local_http.client(process.url) as http:
            answer = Client(http, ORGANISER_KEY).get(f"{webhook}/deliveries?limit=1000")
            sent[:] = answer.json()["deliveries"]
        return len(sent) == count and all(one["state"] == "delivered" for one in sent)

    wait_until(done, 60.0, lambda: sent)
    return sent


def started(process: Process) -> str:
    """A match in which seat 0 is awaited."""
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    match: str = posted(process, "/v1/matches", body)["id"]
    posted(process, f"/v1/matches/{match}/start")
    return match


def posted(process: Process, path: str, body: Json | None = None) -> Json:
    with local_http.client(process.url) as http:
        answer = Client(http, ORGANISER_KEY).post(path, body)
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    return made
