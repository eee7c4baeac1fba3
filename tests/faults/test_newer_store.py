"""A store written by a newer release: `arbiter serve` names it, and no command carries it over."""

from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from service.event_store.database import embedded
from service.event_store.properties import FORMAT, StoreFormat, open_properties, record_format
from service.event_store.store import Store
from tests.support.servers.serve_process import arbiter, refused_start, serve, started_match

WRITTEN = f"in format {FORMAT + 1}, of Arbiter 99.0; this is Arbiter "


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was served by this release, and then by one with the next format."""
    data = tmp_path_factory.mktemp("served") / "data"
    with serve(data) as process, process.client() as client:
        started_match(client)
        process.stop()
    env = embedded(data / "arbiter.db")
    with closing(Store(env)) as store, closing(open_properties(store)) as properties:
        record_format(properties, StoreFormat(FORMAT + 1, "99.0"))
    return data


@pytest.fixture
def data(served: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(copytree(served, tmp_path / "data"))


def test_the_service_refuses_to_start_and_names_the_release(data: Path) -> None:
    assert WRITTEN in refused_start(data)


def test_so_do_migrate_and_restore(data: Path) -> None:
    migrated = arbiter("migrate", "--data", data)
    assert migrated.returncode == 1 and WRITTEN in migrated.stderr
    backup = data.with_name("a.backup")
    assert arbiter("backup", backup, "--data", data, "--no-check").returncode == 0
    restored = arbiter("restore", backup, "--data", data.with_name("restored"))
    assert restored.returncode == 1 and WRITTEN in restored.stderr
