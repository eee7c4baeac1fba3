"""nginx in front of recording workers."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.deploy.nginx_proxy import Proxy, proxy
from tests.deploy.upstream_stub import Recipient, recipients
from tests.support.http import local_http


@pytest.fixture
def workers() -> Iterator[list[Recipient]]:
    with recipients() as made:
        yield made


@pytest.fixture
def nginx(tmp_path: Path, workers: list[Recipient]) -> Iterator[Proxy]:
    with proxy(tmp_path / "nginx", [worker.address for worker in workers]) as running:
        for worker in workers:
            worker.sent.clear()
        yield running


@pytest.fixture
def http(nginx: Proxy) -> Iterator[httpx.Client]:
    with local_http.client(nginx.url, timeout=40) as client:
        yield client


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A folder with a certificate for this machine, and its key."""
    tls = tmp_path / "tls"
    tls.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", tls / "arbiter.key", "-out", tls / "arbiter.crt"],
        check=True, capture_output=True,
    )  # fmt: skip
    return tls
