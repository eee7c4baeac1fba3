"""A body that comes a byte at a time through nginx, which limits only the time between two."""

import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from service.server import connections
from tests.deploy.nginx_proxy import WORKERS, needs_nginx, proxy
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import serving

pytestmark = needs_nginx

LIMIT = 0.5
PATIENCE = 15.0
HEAD = (
    "POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n"
    f"Authorization: Bearer {ORGANISER_KEY}\r\n\r\n"
).encode()


def test_a_whole_body_has_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", LIMIT)
    with serving(tmp_path) as live:
        workers = [f"127.0.0.1:{live.port}"] * len(WORKERS)
        with (
            proxy(tmp_path / "nginx", workers) as nginx,
            socket.create_connection(("127.0.0.1", nginx.port), timeout=0.05) as client,
        ):
            before, began = live.server.connections.cut_off, time.monotonic()
            client.sendall(HEAD)
            answer = b""
            with suppress(ConnectionError):
                while not answer and time.monotonic() - began < PATIENCE:
                    client.sendall(b" ")
                    with suppress(TimeoutError):
                        answer = client.recv(65_536)
            assert live.server.connections.cut_off == before + 1
    assert answer.startswith(b"HTTP/1.1 503 ")
