"""The service in locales of other people. They are made by `localedef`, of Debian's `locales`."""

import shutil
import subprocess
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from service.event_store.database import embedded
from service.event_store.store import Store
from tests.support.http import local_http
from tests.support.servers.serve_process import ServeProcess, arbiter, serve, started_match

pytestmark = pytest.mark.slow(
    because="it starts a process for every kind of machine that others have"
)

SOURCES = Path("/usr/share/i18n/locales")
LOCALES = ("tr_TR", "de_DE")
"""In the first, the small letter of I has no dot."""


@pytest.fixture(params=LOCALES)
def locale(request: pytest.FixtureRequest, tmp_path: Path) -> Mapping[str, str]:
    """The environment of a locale, which is made in a folder of its own."""
    name = request.param
    if shutil.which("localedef") is None or not (SOURCES / name).exists():
        pytest.skip("localedef and the sources of locales are needed: apt-get install locales")
    folder = tmp_path / "locales"
    folder.mkdir()
    made = folder / f"{name}.UTF-8"
    subprocess.run(["localedef", "-i", name, "-f", "UTF-8", made], check=True)
    return {"LOCPATH": str(folder), "LC_ALL": made.name}


def ready(service: ServeProcess) -> object:
    """What `/readyz` answers."""
    answer = local_http.get(f"{service.url}/readyz")
    return answer.status_code, answer.json()["ready"]


def test_an_action_is_recorded_once(tmp_path: Path, locale: Mapping[str, str]) -> None:
    with serve(tmp_path / "data", environment=locale) as service, service.client() as organiser:
        match = started_match(organiser)
        key = {"Authorization": f"Bearer {match['seats'][0]['key']}", "Idempotency-Key": "1"}
        action = {"type": "choose_side", "side": "heads"}
        path = f"/v1/matches/{match['id']}"
        answers = [organiser.post(f"{path}/actions", json=action, headers=key) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [201, 200, 200]
        listed = organiser.get("/v1/matches").raise_for_status().json()["matches"]
        assert [row["id"] for row in listed] == [match["id"]]
        assert ready(service) == (200, True)
        service.stop()
    checked = arbiter("check", "--data", tmp_path / "data", environment=locale)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    env = embedded(tmp_path / "data" / "arbiter.db")
    with closing(Store(env)) as store:
        recorded = [row.topic for row in store.recorder.select_notifications(1, 1_000)]
    assert recorded.count("dollar-prize.side-chosen.1") == 1, recorded


def test_a_store_is_backed_up_and_restored(tmp_path: Path, locale: Mapping[str, str]) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    with serve(data, environment=locale) as service, service.client() as organiser:
        started_match(organiser)
        service.stop()
    backup = tmp_path / "backup"
    for command in (("backup", backup, "--data", data), ("restore", backup, "--data", copy)):
        done = arbiter(*command, environment=locale)
        assert done.returncode == 0, done.stdout + done.stderr
    checked = arbiter("check", "--data", copy, environment=locale)
    assert checked.returncode == 0, checked.stdout + checked.stderr
