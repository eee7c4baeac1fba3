"""nginx as it is deployed, from an operator's own files: only addresses and folders differ."""

import getpass
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.deploy.child_process import PATIENCE, child, free_ports
from tests.support.http import local_http
from tests.support.repository import ROOT

DEPLOYED = ROOT / "deploy" / "nginx"
WORKERS = ("127.0.0.1:8001", "127.0.0.1:8002", "127.0.0.1:8003")
PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")

needs_nginx = pytest.mark.skipif(
    PROGRAM is None, reason="nginx is not installed: `apt-get install nginx-light`"
)


class Proxy:
    """A running nginx: its address and its log."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    def access_log(self) -> list[dict[str, Any]]:
        """A line for every finished request."""
        log = self.folder / "log" / "access.log"
        return [json.loads(line) for line in log.read_text().splitlines()]

    def said(self) -> str:
        """Everything that it has written anywhere."""
        logs = (self.folder / "log").iterdir()
        return "".join(log.read_text() for log in logs)


@contextmanager
def proxy(
    folder: Path,
    workers: Sequence[str],
    tls: Path | None = None,
    edits: Mapping[str, str] | None = None,
) -> Iterator[Proxy]:
    """nginx in front of three workers, on a free port; with TLS if there is a folder `tls` with a
    certificate. `edits` are an operator's own: texts of the files, and what replaces them."""
    assert PROGRAM is not None
    plain, secure = free_ports(2)
    configure(folder, workers, plain, secure, tls, edits)
    command: list[str | Path] = [
        PROGRAM,
        "-c",
        folder / "nginx.conf",
        "-e",
        folder / "log" / "error.log",
    ]
    # The folders of a test belong to the user who runs it.
    own_user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
    command += ["-g", f"daemon off; {own_user}"]
    with child(command, {}, folder / "log" / "stderr", folder):
        running = Proxy(folder, plain)
        _wait_until_it_answers(running)
        if tls is not None:
            running.url = f"https://127.0.0.1:{secure}"
        yield running


def configure(
    folder: Path,
    workers: Sequence[str],
    plain: int,
    secure: int,
    tls: Path | None,
    edits: Mapping[str, str] | None = None,
) -> None:
    """The deployed files with other addresses and folders. Every replaced text must exist."""
    (folder / "log").mkdir(parents=True)
    (folder / "run").mkdir()
    changes = {
        "/run/": f"{folder}/run/",
        "/var/log/nginx/": f"{folder}/log/",
        "listen 80 ": f"listen 127.0.0.1:{plain} ",
        **dict(zip(WORKERS, workers, strict=True)),
        **(edits or {}),
    }
    if tls is not None:
        changes |= {
            "include plain.conf;": "include tls.conf;",
            "listen 443 ": f"listen 127.0.0.1:{secure} ",
            "/etc/nginx/tls/": f"{tls}/",
        }
    for file in DEPLOYED.glob("*.conf"):
        (folder / file.name).write_text(file.read_text())
    for old, new in changes.items():
        files = [file for file in folder.glob("*.conf") if old in file.read_text()]
        assert files, f"{old!r} is in none of the deployed files"
        for file in files:
            file.write_text(file.read_text().replace(old, new))
    subprocess.run(
        [str(PROGRAM), "-t", "-q", "-c", folder / "nginx.conf", "-e", folder / "log" / "error.log"],
        check=True,
    )


def _wait_until_it_answers(running: Proxy) -> None:
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            local_http.get(f"{running.url}/healthz")
        except httpx.TransportError:
            if time.monotonic() > give_up:
                raise AssertionError(running.said()) from None
            time.sleep(0.02)
        else:
            return
