"""An instance that cannot start leaves nothing after, however often it is retried."""

from pathlib import Path

import pytest

from service.instance import Instance
from service.settings import Settings, SigningSettings
from service.signing.signing_keys import ServiceSigner
from tests.support.servers.postgres_server import connect, fresh_database
from tests.support.waiting import until


def connections(store: dict[str, str]) -> int:
    """The number of other connections to the database."""
    with connect(store) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
    assert found is not None
    return int(found[0])


async def test_without_its_signing_key_it_leaves_no_connection(tmp_path: Path) -> None:
    with fresh_database() as store:
        chosen = Settings(store=store, signing=SigningSettings(keys=tmp_path / "keys"), shared=True)
        ServiceSigner(chosen.key_folder, chosen.signing.name).make()
        next((tmp_path / "keys").glob("*/signing.key")).unlink()
        for _ in range(2):
            with pytest.raises(OSError, match=r"signing\.key"):
                async with Instance(chosen).running():
                    pass
            # PostgreSQL takes a moment to notice a closed connection.
            await until(lambda: connections(store) == 0)
