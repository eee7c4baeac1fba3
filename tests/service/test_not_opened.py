"""An instance that cannot begin leaves nothing behind, however often it is tried again."""

from pathlib import Path

import pytest

from service.arbiter import Arbiter
from service.proof.signing import Signing
from service.settings import Settings
from tests.postgres import connect, fresh_database
from tests.service.cups import until


def connections(store: dict[str, str]) -> int:
    """How many others are connected to the database."""
    with connect(store) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
    assert found is not None
    return int(found[0])


async def test_without_its_signing_key_it_leaves_no_connection(tmp_path: Path) -> None:
    with fresh_database() as store:
        chosen = Settings(store, keys=tmp_path / "keys", shared=True)
        Signing(chosen.key_folder, chosen.name).make()
        next((tmp_path / "keys").glob("*/signing.key")).unlink()
        for _ in range(2):
            with pytest.raises(OSError, match=r"signing\.key"):
                async with Arbiter(chosen).running():
                    pass
            # PostgreSQL takes a moment to see that a connection has been closed.
            await until(lambda: connections(store) == 0)
