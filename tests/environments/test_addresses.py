"""Addresses to listen on: what is printed can be opened."""

import socket
from pathlib import Path

import pytest

from tests.support.http import local_http
from tests.support.servers.serve_process import serve


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@needs_ipv6
def test_the_loopback_of_ipv6(tmp_path: Path) -> None:
    with serve(tmp_path / "data", "--host", "::1") as process:
        assert process.url.startswith("http://[::1]:")
        assert local_http.get(f"{process.url}/readyz").status_code == 200
        assert f"{process.url}/docs" in process.said


@needs_ipv6
def test_every_address_is_also_every_address_of_ipv4(tmp_path: Path) -> None:
    with serve(tmp_path / "data", "--host", "::") as process:
        assert process.url.startswith("http://127.0.0.1:")
        port = process.url.rpartition(":")[2]
        for host in ("127.0.0.1", "[::1]"):
            assert local_http.get(f"http://{host}:{port}/readyz").status_code == 200
