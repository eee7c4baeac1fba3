"""Requests for bundles: they delay neither checkpoints nor actions, however long they take, and how
a request is answered does not depend on what others may have."""

import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event as ThreadEvent
from typing import Any
from uuid import UUID

import pytest

from projections.audience.disclosure import Viewer
from projections.evidence.bundle import MatchLog, bundle
from service.application.evidence import evidence
from service.signing import notary
from tests.support.http import local_http
from tests.support.http.match_play import assert_problem, play_out
from tests.support.servers.live_server import Answer, Live, LiveMatch, Player, serving
from tests.support.servers.raw_sockets import request
from tests.support.waiting import wait_until

PATIENCE = 20.0


class CountedBundles:
    """Builds bundles as the service does. `built` has the match and audience of each, in order;
    while the builder is blocked, `begun` is set as soon as one waits."""

    def __init__(self) -> None:
        self.built: list[tuple[str, Viewer]] = []
        self.begun, self._go_on = ThreadEvent(), ThreadEvent()
        self._go_on.set()
        self._blocked: tuple[Viewer, ...] = ()

    def __call__(self, log: MatchLog, audience: Viewer, *signing: Any) -> bytes:
        self.built.append((log.subject.id, audience))
        if not self._blocked or audience in self._blocked:
            self.begun.set()
            assert self._go_on.wait(PATIENCE), "nobody released the builder"
        return bundle(log, audience, *signing)

    @contextmanager
    def blocked(self, *audiences: Viewer) -> Iterator[None]:
        """No bundle, or none for these audiences, is finished until the context exits."""
        self._blocked = audiences
        self.begun.clear()
        self._go_on.clear()
        try:
            yield
        finally:
            self._go_on.set()


@pytest.fixture
def bundles(monkeypatch: pytest.MonkeyPatch) -> CountedBundles:
    """The builder of every service in this process."""
    counted = CountedBundles()
    monkeypatch.setattr(notary, "bundle", counted)
    return counted


__all__ = ["bundles"]

SIDE = {"type": "choose_side", "side": "heads"}
MANY = 30
SHORT = {"tokens_to_win": 1}


@pytest.fixture(name="live", scope="module")
def a_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("live")) as live:
        yield live


@pytest.fixture(name="requests")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(MANY) as pool:
        yield pool


def over(live: Live, record: str = "opened_at_end") -> LiveMatch:
    """A match that has ended, and whose log is signed."""
    match = live.started("twelve-chips", options=SHORT, record=record)
    play_out(match)
    found = UUID(match.id)
    wait_until(lambda: (last := live.instance.notary.last(found)) is not None and last.over)
    return match


def get(player: Player, as_: str | None = None) -> Answer:
    """The bundle, over a connection of its own."""
    with local_http.client(str(player.client.http.base_url), timeout=30) as http:
        path, query = f"{player.path}/bundle", {} if as_ is None else {"as": as_}
        return http.get(path, params=query, headers=player.client.headers())


def begun(
    requests: ThreadPoolExecutor, bundles: CountedBundles, player: Player, as_: str
) -> Future[Answer]:
    """A request whose bundle is being built."""
    asked = requests.submit(get, player, as_)
    assert bundles.begun.wait(20)
    return asked


def test_nothing_waits_for_bundles_of_the_public(
    live: Live, bundles: CountedBundles, requests: ThreadPoolExecutor
) -> None:
    """Not even for one that never gets finished."""
    ended, finished, running = over(live), over(live), live.started("dollar-prize")
    with bundles.blocked("public"):
        asked = [requests.submit(get, ended.anyone, "public") for _ in range(MANY)]
        assert bundles.begun.wait(20)
        signed = running.moderator.client.post(f"{running.moderator.path}/checkpoints")
        assert signed.status_code == 201
        assert get(running.moderator, "moderator").status_code == 200, "no one else may have it"
        assert running.seats[0].act(SIDE).status_code == 201
        listed = running.seats[0].client.get(f"{running.seats[0].path}/receipts")
        assert len(listed.json()["receipts"]) == 1
        shown = finished.anyone.client.get(f"{finished.anyone.path}/checkpoint")
        assert shown.status_code == 200
        play_out(running)
        found = UUID(running.id)
        wait_until(lambda: (last := live.instance.notary.last(found)) is not None and last.over)
    assert {each.result().status_code for each in asked} == {200}


def queued(live: Live) -> int:
    """The number of bundles that are built or wait for that."""
    return live.instance.evidence.builds["bundle", True]


def test_more_bundles_than_may_wait_are_503(
    tmp_path: Path,
    bundles: CountedBundles,
    requests: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evidence, "MOST_BUILDS", 2)
    with serving(tmp_path) as live:
        ended = over(live)
        with bundles.blocked():
            first = begun(requests, bundles, ended.anyone, "public")
            second = requests.submit(get, ended.anyone, "seat:0")
            wait_until(lambda: queued(live) == 2)
            refused = get(ended.anyone, "seat:1")
            assert_problem(refused, 503, "try_again")
            assert int(refused.headers["Retry-After"]) == 5
        assert {first.result().status_code, second.result().status_code} == {200}
        assert get(ended.anyone, "seat:1").status_code == 200


def test_a_bundle_whose_client_has_gone_is_not_built(
    live: Live, bundles: CountedBundles, requests: ThreadPoolExecutor
) -> None:
    ended = over(live)
    with bundles.blocked():
        first = begun(requests, bundles, ended.anyone, "public")
        gone = socket.create_connection(("127.0.0.1", live.port))
        gone.sendall(request(f"{ended.anyone.path}/bundle?as=seat:0"))
        wait_until(lambda: queued(live) == 2)
        gone.close()
        wait_until(lambda: queued(live) == 1)
    assert first.result().status_code == 200
    assert get(ended.anyone, "seat:1").status_code == 200
    assert bundles.built == [(ended.id, "public"), (ended.id, 1)]


@pytest.mark.parametrize("record", ["opened_at_end", "closed"])
def test_every_answer_has_the_same_bytes(live: Live, record: str) -> None:
    ended = over(live, record)
    for audience in ("public", "seat:0", "moderator"):
        reader = ended.audiences()[audience]
        assert len({get(reader, audience).content for _ in range(2)}) == 1


def test_a_running_match_has_its_latest_events_in_each_bundle(
    live: Live, bundles: CountedBundles
) -> None:
    """Also in that for the public, of which moderators alone know how many are hidden."""
    running = live.started("dollar-prize")
    for as_ in ("moderator", "public"):
        before = get(running.moderator, as_).content
        assert running.seats[0].act({"type": "end_turn"}).status_code == 422
        assert get(running.moderator, as_).content != before
