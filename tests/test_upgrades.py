"""Data directories of earlier commits open, are shown as they were shown, verify, and go on.

Each was left by a service that was killed. `tests/recorded/stores.py` says how they were made.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.recorded.stores import Shown, commits, unpacked
from tests.support.servers.serve_process import ServeProcess, arbiter, serve, started_match


class Upgraded(NamedTuple):
    """A data directory, what the earlier service showed of it, and the service of today on it."""

    data: Path
    shown: Shown
    process: ServeProcess


@pytest.fixture(scope="module", params=commits())
def upgraded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Upgraded]:
    data, shown = unpacked(request.param, tmp_path_factory.mktemp(request.param))
    with serve(data) as process:
        yield Upgraded(data, shown, process)


def answer(upgraded: Upgraded, path: str, key: str | None = None) -> httpx.Response:
    with upgraded.process.client() if key is None else upgraded.process.client(key) as client:
        return client.get(path).raise_for_status()


def test_there_are_stores_to_upgrade() -> None:
    assert len(commits()) >= 4


def test_all_matches_are_listed(upgraded: Upgraded) -> None:
    listed = answer(upgraded, "/v1/matches").json()["matches"]
    assert {match["id"] for match in listed} >= set(upgraded.shown.views)


def test_every_view_is_what_it_was(upgraded: Upgraded) -> None:
    for match, before in upgraded.shown.views.items():
        path = f"/v1/matches/{match}/view?as=public&at={before['seq']}"
        now = answer(upgraded, path).json()
        # Earlier releases did not name the seats in views.
        assert now == {"seats": now["seats"], **before}


def test_every_match_that_is_over_verifies(upgraded: Upgraded) -> None:
    over = [match for match, view in upgraded.shown.views.items() if view["status"] == "ended"]
    assert over
    published = upgraded.data.with_name("keys.txt")
    published.write_text(arbiter("keys", "published", "--data", upgraded.data).stdout)
    for match in over:
        bundle = upgraded.data.with_name(f"{match}.arb")
        arbiter("export", match, "--as", "moderator", "--out", bundle, "--data", upgraded.data)
        verified = arbiter("verify", bundle, "--key", published)
        assert verified.returncode == 0, verified.stdout + verified.stderr


def test_an_action_from_before_is_answered_again_and_not_recorded_again(
    upgraded: Upgraded,
) -> None:
    shown = upgraded.shown
    with upgraded.process.client(shown.seat_key) as client:
        path = f"/v1/matches/{shown.running}"
        before = client.get(f"{path}/view").json()["seq"]
        repeated = client.post(
            f"{path}/actions",
            json=shown.action,
            headers={"Idempotency-Key": shown.idempotency_key},
        )
        assert (repeated.status_code, repeated.headers["Idempotent-Replayed"]) == (200, "true")
        assert client.get(f"{path}/view").json()["seq"] == before


def test_the_running_match_goes_on(upgraded: Upgraded) -> None:
    shown = upgraded.shown
    with upgraded.process.client(shown.seat_key) as client:
        path = f"/v1/matches/{shown.running}"
        before = client.get(f"{path}/view").json()["seq"]
        refused = client.post(f"{path}/actions", json=shown.action)
        assert refused.status_code == 422
        assert client.get(f"{path}/view").json()["seq"] > before


def test_new_matches_are_played_beside_them(upgraded: Upgraded) -> None:
    with upgraded.process.client() as client:
        started_match(client)
