"""The service with settings that are empty, as compose passes what is not set, and with stores that
do not last."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import fields

from service.auth.rate_limiter import Rates
from service.event_store.sqlite.disk_room import DiskLimits
from service.settings import Settings
from tests.support.http import local_http
from tests.support.servers.postgres_server import fresh_database
from tests.support.servers.serve_process import arbiter, refused_start, serve, started_match

OTHERS = ("PERSISTENCE_MODULE", "SQLITE_DBNAME", "CREATE_TABLE", "ARBITER_WORKERS", "ARBITER_DATA")
EMPTY = {
    one.encode_name: "" for kind in (Settings, Rates, DiskLimits) for one in fields(kind)
    if one.encode_name.isupper() and one.encode_name != "ARBITER_ORGANISER_KEY"
} | dict.fromkeys(OTHERS, "")  # fmt: skip


def require_lasting(data: Path, environment: Mapping[str, str]) -> None:
    """Starts a match, and finds it again after a restart."""
    with serve(data, environment=environment) as service, service.client() as organiser:
        assert service.url.startswith("http://127.0.0.1:")
        match = started_match(organiser)["id"]
        ready = local_http.get(f"{service.url}/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (200, True), ready.text
        service.stop()
    with serve(data, environment=environment) as service, service.client() as organiser:
        assert organiser.get(f"/v1/matches/{match}/view").status_code == 200
        service.stop()
    assert (data / "keys" / "log" / "signing.key").exists()


def test_with_every_setting_empty_the_embedded_store_lasts(tmp_path: Path) -> None:
    require_lasting(tmp_path / "data", EMPTY)
    checked = arbiter("check", "--data", tmp_path / "data", environment=EMPTY)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_postgresql_with_every_other_setting_empty(tmp_path: Path) -> None:
    with fresh_database() as env:
        names = ("SCHEMA", "PORT", "POOL_SIZE", "LOCK_TIMEOUT", "CONN_MAX_AGE", "PRE_PING")
        empty = EMPTY | {f"POSTGRES_{name}": "" for name in names}
        needed = {name: value for name, value in env.items() if name != "POSTGRES_PORT"}
        require_lasting(tmp_path / "data", empty | needed)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"PERSISTENCE_MODULE": "eventsourcing.popo"}, "not one of our stores"),
        ({"PERSISTENCE_MODULE": "tests.simulation"}, "not one of our stores"),
        ({"SQLITE_DBNAME": ":memory:"}, "loses what it has acknowledged"),
        ({"SQLITE_DBNAME": "file:/x?vfs=memdb"}, "loses what it has acknowledged"),
    ],
    ids=str,
)
def test_a_store_that_does_not_last_is_refused(
    tmp_path: Path, setting: Mapping[str, str], said: str
) -> None:
    sentence = refused_start(tmp_path / "data", environment=setting)
    assert said in sentence and "Traceback" not in sentence
