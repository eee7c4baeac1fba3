"""A store written by a newer release: `arbiter serve` names it, and the commands that carry a store
over carry its formats along."""

from contextlib import closing
from pathlib import Path
from shutil import copytree
from uuid import UUID

import pytest

from service.event_store.properties import open_properties
from service.event_store.store import Row, Store
from service.event_store.stored_formats import KNOWN, record_formats
from service.settings import EMBEDDED
from tests.support.servers.serve_process import arbiter, refused_start, serve, started_match

NEW = "dollar-prize.coin-returned.9"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was served by this release, and then by one that knows one event more."""
    data = tmp_path_factory.mktemp("served") / "data"
    with serve(data) as process, process.client() as client:
        match = started_match(client)
        process.stop()
    env = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(data / "arbiter.db")}
    with (
        closing(Store(env)) as store,
        closing(open_properties(env, store.recorder)) as properties,
    ):
        record_formats(properties, store.recorder, KNOWN | {NEW}, own="99.0")
        stream = UUID(match["id"])
        store.append([Row(stream.hex, len(store.states(stream)) + 1, NEW, b"in another shape")])
    return data


@pytest.fixture
def data(served: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(copytree(served, tmp_path / "data"))


def test_the_service_refuses_to_start_and_names_the_release(data: Path) -> None:
    said = refused_start(data)
    assert "written by Arbiter 99.0; this is Arbiter " in said and NEW in said


def test_so_do_migrate_and_restore(data: Path) -> None:
    migrated = arbiter("migrate", "--data", data)
    assert migrated.returncode == 1 and "Arbiter 99.0" in migrated.stderr
    backup = data.with_name("a.backup")
    unjudged = arbiter("backup", backup, "--data", data)
    assert unjudged.returncode == 1 and "no new backup" in unjudged.stderr
    assert NEW in unjudged.stdout
    assert arbiter("backup", backup, "--data", data, "--no-check").returncode == 0
    restored = arbiter("restore", backup, "--data", data.with_name("restored"))
    assert restored.returncode == 1 and "Arbiter 99.0" in restored.stderr


def test_a_copy_is_refused_too(data: Path) -> None:
    copied = arbiter("store", "copy", data, data.with_name("copied"))
    assert copied.returncode == 1 and NEW in copied.stderr
    assert NEW in refused_start(data.with_name("copied"))
