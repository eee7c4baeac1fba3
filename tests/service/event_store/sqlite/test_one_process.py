"""One process writes to an embedded store; a second one stops with an error."""

from pathlib import Path

import pytest

from service.cli.options import store_lock
from service.instance import Instance
from tests.support.instance.service_instance import settings
from tests.support.servers.serve_process import arbiter


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("demo",)])
def test_a_second_process_reports_that_the_store_is_in_use(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with store_lock(settings(tmp_path / "arbiter.db")):
        result = arbiter(*command, "--data", tmp_path)
    assert result.returncode == 1
    assert "another process serves" in result.stderr


def test_keys_are_issued_beside_a_service(tmp_path: Path) -> None:
    Instance(settings(tmp_path / "arbiter.db")).store.close()
    with store_lock(settings(tmp_path / "arbiter.db")):
        issued = arbiter("keys", "new", "--data", tmp_path)
    assert (issued.returncode, issued.stdout[:8]) == (0, "arb_org_")


def test_the_store_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with store_lock(settings(tmp_path / "arbiter.db")):
            pass
