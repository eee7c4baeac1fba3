"""The address of the metrics: collectors are answered, and no one keeps a thread for longer than a
connection may take."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from prometheus_client import CollectorRegistry, Gauge

from service.observability import metrics
from service.observability.metrics import serve_metrics
from tests.support.waiting import wait_until

LIMIT = 0.3


@pytest.fixture
def port() -> Iterator[int]:
    registry = CollectorRegistry()
    for number in range(2_000):
        Gauge(f"one_{number}", "x" * 5_000, registry=registry).set(1)
    server, thread = serve_metrics("127.0.0.1", 0, registry)
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "COLLECTION_SECONDS", LIMIT)


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize(
    "sent",
    [b"", b"GET /metrics HTTP/1.1\r\n", b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"],
    ids=["nothing", "half a head", "and reads nothing"],
)
def test_a_slow_client_is_cut_off(port: int, sent: bytes) -> None:
    threads = threading.active_count()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", port))
        client.sendall(sent)
        wait_until(lambda: threading.active_count() > threads)
        wait_until(lambda: threading.active_count() == threads)


@pytest.mark.usefixtures("limit")
def test_a_client_that_sends_a_little_again_and_again_is_cut_off(port: int) -> None:
    """The limit is one of the whole connection, not of the time between two bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT / 10) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\n")

        def ended() -> bool:
            client.sendall(b"X: y\r\n")
            with suppress(TimeoutError):
                return client.recv(1) == b""
            return False

        with suppress(ConnectionError):
            wait_until(ended)


def test_an_address_that_is_taken_is_said(port: int) -> None:
    with pytest.raises(OSError, match=f"cannot serve metrics on 127.0.0.1:{port}"):
        serve_metrics("127.0.0.1", port, CollectorRegistry())
