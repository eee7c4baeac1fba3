"""A store of each format as text, with the keys that signed in it and the answers that it gave:
every later release must open it, and repeat those answers byte for byte.

`python -m tests.recorded.store` records the one of this release's format. From the first release on
a format's is recorded once: what alters its answers breaks what people keep.
"""

import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import msgspec
from msgspec import Struct

from service.event_store.properties import FORMAT
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, serving

FOLDER = Path(__file__).parent / "stores"

RULING = {"kind": "note", "to": "public", "text": "Ann is late.", "severity": "warning"}
CAMP = {"type": "submit", "round": 1}

Json = dict[str, Any]


class Asked(Struct, frozen=True):
    """A request under an idempotency key or a read, and the body of its answer in base64."""

    method: str
    path: str
    key: str
    body: Json | None
    status: int
    answer: str

    def again(self, http: httpx.Client) -> httpx.Response:
        """Asks it once more."""
        return _send(http, self.method, self.path, self.key, self.body)


class RecordedStore(Struct, frozen=True):
    """The store as statements of SQL, the files of its keys in base64, and what was asked."""

    sql: list[str]
    keys: dict[str, str]
    asked: list[Asked]


def read(name: str) -> RecordedStore:
    """The recorded store of this name."""
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=RecordedStore)


@contextmanager
def opened(store: RecordedStore, data: Path) -> Iterator[Live]:
    """This release on a copy of the store."""
    for name, content in store.keys.items():
        (data / name).parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        (data / name).write_bytes(b64decode(content))
        (data / name).chmod(0o600)
    with closing(sqlite3.connect(data / "arbiter.db")) as database:
        database.executescript("\n".join(store.sql))
    with serving(data) as live:
        yield live


def record() -> RecordedStore:
    """Plays, and keeps what was asked and answered."""
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with serving(data) as live:
            asked = list(_play(live.http))
        with closing(sqlite3.connect(data / "arbiter.db")) as database:
            sql = list(database.iterdump())
        keys = {
            str(file.relative_to(data)): b64encode(file.read_bytes()).decode()
            for file in sorted((data / "keys").rglob("*"))
            if file.is_file()
        }
    return RecordedStore(sql, keys, asked)


def _play(http: httpx.Client) -> Iterator[Asked]:
    """Accepted, refused and invalid actions, what directs, rules and protests, and receipts."""
    game = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "rulings": "single"}
    path, seats, moderator = _started(http, game)
    yield _ask(http, "POST", f"{path}/actions", seats[0], {"type": "choose_side", "side": "heads"})
    yield _ask(http, "POST", f"{path}/actions", seats[0], {"type": "end_turn"})
    yield _ask(http, "POST", f"{path}/rulings", moderator, {**RULING, "reason": "It is noon."})
    yield _ask(http, "POST", f"{path}/cases", seats[1], {"says": "She was here."})
    yield _ask(http, "GET", f"{path}/receipts", seats[0])
    camp = {"game": "together", "seats": [f"Player {n}" for n in range(4)], "chance": "manual"}
    path, seats, moderator = _started(http, camp)
    for seat in seats:
        yield _ask(http, "POST", f"{path}/actions", seat, CAMP)
    yield _ask(http, "POST", f"{path}/close-phase", moderator)
    yield _ask(http, "GET", f"{path}/receipts", seats[0])


def _started(http: httpx.Client, new: Json) -> tuple[str, list[str], str]:
    made = _send(http, "POST", "/v1/matches", ORGANISER_KEY, new).raise_for_status().json()
    path, moderator = f"/v1/matches/{made['id']}", made["moderator_key"]
    _send(http, "POST", f"{path}/start", moderator).raise_for_status()
    return path, [seat["key"] for seat in made["seats"]], moderator


def _ask(http: httpx.Client, method: str, path: str, key: str, body: Json | None = None) -> Asked:
    answer = _send(http, method, path, key, body)
    content = b64encode(answer.content).decode()
    return Asked(method, path, key, body, answer.status_code, content)


def _send(
    http: httpx.Client, method: str, path: str, key: str, body: Json | None = None
) -> httpx.Response:
    """One key of each sender for each kind of request: a repeat is told by it."""
    headers = {"Authorization": f"Bearer {key}"}
    if method == "POST":
        kind = "" if body is None else body.get("type") or body.get("game") or ""
        headers["Idempotency-Key"] = f"{path.rpartition('/')[2]}-{kind}"
    return http.request(method, path, json=body, headers=headers)


if __name__ == "__main__":
    content = msgspec.json.format(msgspec.json.encode(record()))
    (FOLDER / f"{FORMAT}.json").write_bytes(content + b"\n")
