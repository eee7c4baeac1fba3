"""A store of every format is opened by this release, and its answers are repeated byte for byte."""

from base64 import b64decode
from pathlib import Path

import pytest

from service.event_store.properties import FORMAT
from tests.recorded.store import FOLDER, opened, read
from tests.support.cli.store_with_history import report
from tests.support.servers.instance_settings import KIND

NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))

pytestmark = pytest.mark.skipif(KIND != "sqlite", reason="the recorded stores are embedded ones")


def test_the_format_of_this_release_is_recorded() -> None:
    assert [str(number) for number in range(1, FORMAT + 1)] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_store_gives_every_answer_again(tmp_path: Path, name: str) -> None:
    store = read(name)
    with opened(store, tmp_path / "data") as live:
        for asked in store.asked:
            answer = asked.again(live.http)
            assert answer.content == b64decode(asked.answer), f"{asked.method} {asked.path}"
            assert answer.status_code == (200 if asked.status == 201 else asked.status)
            assert asked.method == "GET" or answer.headers["idempotent-replayed"] == "true"
    status, found = report(tmp_path / "data")
    assert (status, found["findings"]) == (0, [])
