"""Makes data directories with earlier commits: `python -m tests.recorded.stores COMMIT...`.

In a checkout of each commit its own `arbiter demo` plays a match of every game, then its own
`arbiter serve` begins one more and is killed, so that a write-ahead log stays. The directory is
packed with what the service showed of every match, and with the keys of the one that goes on. A
store of an earlier release must open for ever, so none is made again.
"""

import os
import re
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import msgspec

from tests.recorded.files import FOLDER
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY

STORES = FOLDER / "stores"
DATA = "data"
SHOWN = "shown.json"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
SIDE = {"type": "choose_side", "side": "heads"}


class Shown(msgspec.Struct):
    """What a service showed before it was killed: the views of the public by match, and the running
    match with the key of the seat that acted last, its idempotency key and its action."""

    views: dict[str, Any]
    running: str
    seat_key: str
    idempotency_key: str
    action: dict[str, str]


def make(commit: str) -> None:
    """Makes the data directory of a commit."""
    with TemporaryDirectory() as name, _checkout(commit, Path(name) / "code") as code:
        data = Path(name) / DATA
        arbiter = [sys.executable, "-m", "service.cli"]
        env = {**os.environ, "PYTHONPATH": str(code), "ARBITER_ORGANISER_KEY": ORGANISER_KEY}
        demo = [*arbiter, "demo", "--matches", "1", "--seed", "1", "--data", str(data)]
        subprocess.run(demo, cwd=code, env=env, check=True, stdout=subprocess.DEVNULL)
        serve = [*arbiter, "serve", "--port", "0", "--data", str(data)]
        with subprocess.Popen(serve, cwd=code, env=env, stdout=subprocess.PIPE, text=True) as run:
            try:
                assert run.stdout is not None
                found = ADDRESS.search(run.stdout.readline())
                assert found is not None, "it does not serve"
                shown = _begun(found[0])
            finally:
                run.send_signal(signal.SIGKILL)
        (data / SHOWN).write_bytes(msgspec.json.encode(shown))
        with tarfile.open(STORES / f"{commit}.tar.xz", "w:xz") as packed:
            packed.add(data, DATA)


@contextmanager
def _checkout(commit: str, folder: Path) -> Iterator[Path]:
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def _begun(url: str) -> Shown:
    headers = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    transport = httpx.HTTPTransport(retries=10)
    with local_http.client(url, headers=headers, transport=transport) as client:
        new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
        made = client.post("/v1/matches", json=new).raise_for_status().json()
        client.post(f"/v1/matches/{made['id']}/start").raise_for_status()
        seat_key = made["seats"][0]["key"]
        sent = {"Authorization": f"Bearer {seat_key}", "Idempotency-Key": "before-the-upgrade"}
        acted = client.post(f"/v1/matches/{made['id']}/actions", json=SIDE, headers=sent)
        assert acted.status_code == 201, acted.text
        views = {
            match["id"]: client.get(f"/v1/matches/{match['id']}/view?as=public").json()
            for match in client.get("/v1/matches").raise_for_status().json()["matches"]
        }
    return Shown(views, made["id"], seat_key, sent["Idempotency-Key"], SIDE)


def unpacked(commit: str, folder: Path) -> tuple[Path, Shown]:
    """The data directory that an earlier commit made, unpacked in a folder."""
    with tarfile.open(STORES / f"{commit}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    data = folder / DATA
    return data, msgspec.json.decode((data / SHOWN).read_bytes(), type=Shown)


def commits() -> list[str]:
    """The commits of which there is a data directory."""
    return sorted(path.name.removesuffix(".tar.xz") for path in STORES.glob("*.tar.xz"))


if __name__ == "__main__":
    STORES.mkdir(exist_ok=True)
    for each in sys.argv[1:]:
        make(each)
