"""A receiver of notices on the loopback interface: remembers each request before it answers."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from msgspec.structs import replace
from standardwebhooks import Webhook

from service.notices.notices import Notice
from service.notices.registrations import Addressed, DueDelivery
from tests.support.instance.notice_sending import add
from tests.support.servers.live_server import Live


class Received(NamedTuple):
    """One request: its headers in lower case, and its body."""

    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> dict[str, Any]:
        payload: dict[str, Any] = json.loads(self.body)
        return payload

    def signed_with(self, secret: str) -> bool:
        """Whether the signature fits, at the time that the headers name."""
        at = Webhook(secret)
        signature = at.sign(
            self.id, _instant(self.headers["webhook-timestamp"]), self.body.decode()
        )
        return signature == self.headers["webhook-signature"]


class Receiver(ThreadingHTTPServer):
    """Answers with the next of `statuses`, and then 204; `headers` come with each answer. It closes
    when all that it has begun to answer is in `received`."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Receiving)
        self.statuses: list[int] = []
        self.headers: dict[str, str] = {}
        self.received: list[Received] = []
        self.grown = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/notices?for=me"

    def wait_for(self, count: int, seconds: float = 20.0) -> list[Received]:
        """What was received, once it is so much."""
        with self.grown:
            assert self.grown.wait_for(lambda: len(self.received) >= count, seconds), self.received
            return list(self.received)

    def wait_for_different(self, count: int, seconds: float = 20.0) -> list[Received]:
        """Each notice as it came first, once there are so many: one can come more than once."""
        with self.grown:
            assert self.grown.wait_for(lambda: len(self._first) >= count, seconds), self.received
            return list(self._first.values())

    @property
    def _first(self) -> dict[str, Received]:
        first: dict[str, Received] = {}
        for one in self.received:
            first.setdefault(one.id, one)
        return first


class _Receiving(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            return  # Its sender died while it sent: nothing has arrived.
        headers = {name.lower(): value for name, value in self.headers.items()}
        server = self.server
        with server.grown:
            server.received.append(Received(headers, body))
            status = server.statuses.pop(0) if server.statuses else 204
            server.grown.notify_all()
        self.send_response_only(status)
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@contextmanager
def receiving(port: int = 0) -> Iterator[Receiver]:
    receiver = Receiver(port)
    threading.Thread(target=receiver.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        receiver.server_close()


def _instant(seconds: str) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def noticed(live: Live) -> tuple[str, str]:
    """The ids of a new webhook of the organiser and of a notice that was sent to it."""
    # Of a match in which nothing happens: nothing is sent to it.
    quiet = {"match": live.create("dollar-prize").id, "kinds": ["ruling"]}
    webhook_answer = live.organiser.post(
        "/v1/webhooks", {"url": "https://bots.example/", **quiet}
    ).json()
    table, id_ = live.instance.webhooks, f"msg_{webhook_answer['id']}"
    notice = Notice("started", "none", 0, "match.started", {})
    added = [Addressed(webhook_answer["id"], id_, notice, 0)]
    add(table, added)
    (delivery,) = [one for one in table.deliveries(webhook_answer["id"], 0, 9) if one.id == id_]
    webhook = table.find(webhook_answer["id"])
    assert webhook is not None
    table.attempted(DueDelivery(webhook, replace(delivery, state="delivered")))
    return webhook_answer["id"], id_
