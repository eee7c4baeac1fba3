"""Several stores: each tournament is in one of them, lists cover all, and the failure of one leaves
the others working."""

import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvloop

from service.app import create_app
from service.auth.request_guard import RequestGuard
from service.server.health import probes
from service.server.process import open_router
from service.server.web_server import Server, bind, make_server
from service.settings import Settings
from service.shard_router import ShardRouter
from tests.support.http import local_http
from tests.support.http.match_play import assert_problem, eager
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Client, Json, LiveMatch, Player
from tests.support.servers.postgres_server import PostgresServer
from tests.support.waiting import wait_until

NORTH, SOUTH = "north", "south"
SECRET = bytes(32)
PATIENCE = 20.0


@dataclass(frozen=True)
class TwoStoreService:
    """A service on two PostgreSQL servers."""

    http: httpx.Client
    stores: ShardRouter
    servers: Mapping[str, PostgresServer]

    @property
    def organiser(self) -> Client:
        return Client(self.http, ORGANISER_KEY)

    @property
    def anyone(self) -> Client:
        return Client(self.http)

    def cup(self, name: str, headers: Mapping[str, str] | None = None) -> Json:
        made = self.organiser.post(
            "/v1/tournaments", {"name": name, "players": ["Ann", "Ben"]}, headers
        )
        assert made.status_code in (200, 201), made.text
        body: Json = made.json()
        return body

    def match(self, tournament: str | None = None, **more: object) -> LiveMatch:
        body = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "tournament": tournament, **more}
        made = self.organiser.post("/v1/matches", body).json()
        keys = tuple(seat["key"] for seat in made["seats"])

        def player(key: str | None) -> Player:
            return Player(Client(self.http, key), made["id"])

        match = LiveMatch(
            made["id"], keys, made["moderator_key"], tuple(map(player, keys)),
            player(made["moderator_key"]), player(ORGANISER_KEY), player(None),
        )  # fmt: skip
        assert match.organiser.start().status_code == 201
        return match

    def where(self, stream: str) -> str:
        """The store of a match or a tournament, according to the stores themselves."""
        found = [
            name
            for name, server in self.servers.items()
            for (there,) in server.rows(
                "d", "SELECT originator_id FROM arbiter_events WHERE originator_id = %s LIMIT 1",
                (stream,),
            )
        ]  # fmt: skip
        assert len(found) == 1, f"{stream} lies in {found}"
        return found[0]


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[str, PostgresServer]]:
    with PostgresServer() as north, PostgresServer() as south:
        for server in (north, south):
            server.named_database("d")
        yield {NORTH: north, SOUTH: south}


def settings(servers: Mapping[str, PostgresServer], folder: Path) -> Settings:
    stores = {name: server.environment("d") for name, server in servers.items()}
    first = stores[NORTH]
    return Settings(first, organiser_key=ORGANISER_KEY, data=folder, shared=True, stores=stores)


@contextmanager
def served(servers: Mapping[str, PostgresServer], folder: Path) -> Iterator[TwoStoreService]:
    """One process of the service on the two."""
    ready, ended = threading.Event(), threading.Event()
    running: list[tuple[Server, ShardRouter]] = []
    address = bind("127.0.0.1", 0)

    async def serve() -> None:
        stores = open_router(settings(servers, folder))
        app = create_app(stores, probes=probes(stores), guard=RequestGuard(ticket_secret=SECRET))
        server = make_server(app, stores)
        running.append((server, stores))
        ready.set()
        await server.serve([address])
        ended.set()

    thread = threading.Thread(target=uvloop.run, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    server, stores = running[0]
    url = f"http://127.0.0.1:{address.getsockname()[1]}"
    limits = httpx.Limits(max_connections=300)
    with local_http.client(url, timeout=PATIENCE, limits=limits) as http:
        http.get("/healthz").raise_for_status()
        yield TwoStoreService(http, stores, servers)
    server.handle_exit(15, None)
    thread.join(PATIENCE)
    assert ended.is_set(), "the server did not stop"


@pytest.fixture(scope="module")
def two_stores(
    servers: Mapping[str, PostgresServer], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TwoStoreService]:
    with served(servers, tmp_path_factory.mktemp("apart")) as two_stores:
        yield two_stores


def cups(two_stores: TwoStoreService) -> dict[str, str]:
    """A tournament in each store."""
    found: dict[str, str] = {}
    while len(found) < 2:
        cup = two_stores.cup(f"Cup {len(found)}")["id"]
        found.setdefault(two_stores.where(cup), cup)
    return found


# Where matches are stored.


def test_new_tournaments_and_matches_are_distributed(two_stores: TwoStoreService) -> None:
    made = [two_stores.cup("Cup")["id"] for _ in range(4)] + [
        two_stores.match().id for _ in range(4)
    ]
    assert {two_stores.where(one) for one in made} == {NORTH, SOUTH}


def test_a_match_is_in_the_store_of_its_tournament(two_stores: TwoStoreService) -> None:
    for name, cup in cups(two_stores).items():
        for _ in range(3):
            match = two_stores.match(cup)
            assert two_stores.where(match.id) == name
            assert match.seats[0].act(eager(match.seats[0])).status_code == 201
        shown = two_stores.anyone.get(f"/v1/tournaments/{cup}").json()
        assert len(shown["matches"]) == 3


def test_keys_work_whichever_store_they_are_for(two_stores: TwoStoreService) -> None:
    for cup in cups(two_stores).values():
        player = two_stores.organiser.post(f"/v1/tournaments/{cup}/players", {"name": "Cy"}).json()
        match = two_stores.match(cup, seats=["Cy", "Ann"])
        sits = Player(Client(two_stores.http, player["key"]), match.id)
        assert sits.view().json()["audience"] == "seat:0"
        assert_problem(sits.view(as_="moderator"), 403, "not_allowed")
        assert match.moderator.view().json()["audience"] == "moderator"
        ticket = match.organiser.client.post(f"{match.organiser.path}/stream-tickets")
        assert ticket.status_code == 201
        with match.anyone.stream(ticket=ticket.json()["ticket"], after=0) as stream:
            assert stream.status_code == 200


def test_no_store_has_an_unknown_id(two_stores: TwoStoreService) -> None:
    nothing = "01a1ff94-1111-7111-8111-111111111111"
    for path, code in (
        (f"/v1/matches/{nothing}/view", "no_such_match"),
        (f"/v1/tournaments/{nothing}", "no_such_tournament"),
    ):
        assert_problem(two_stores.anyone.get(path), 404, code)
    refused = two_stores.organiser.post(
        "/v1/matches", {"game": "dollar-prize", "seats": ["Ann", "Ben"], "tournament": nothing}
    )
    assert refused.json()["code"] == "unknown_tournament"
    assert two_stores.anyone.get("/v1/matches", tournament=nothing).json()["matches"] == []
    assert two_stores.anyone.get("/v1/matches", tournament="no id").json()["matches"] == []


# Repeated requests.


def test_a_request_creates_one_thing_in_one_store(two_stores: TwoStoreService) -> None:
    for n in range(6):
        headers = {"Idempotency-Key": f"cup {n}"[:20].replace(" ", "-")}
        with ThreadPoolExecutor(8) as senders:
            made = list(senders.map(lambda _, h=headers: _tried(two_stores, h), range(8)))
        assert len({one["id"] for one in made if one}) == 1
        two_stores.where(next(one["id"] for one in made if one))


def _tried(two_stores: TwoStoreService, headers: Mapping[str, str]) -> Json | None:
    """What a request creates; None while the same request is being answered."""
    made = two_stores.organiser.post(
        "/v1/tournaments", {"name": "Once", "players": ["Ann", "Ben"]}, headers
    )
    assert made.status_code in (200, 201, 409), made.text
    found: Json | None = made.json() if made.status_code < 300 else None
    return found


def test_a_key_used_in_one_store_is_used_in_all(two_stores: TwoStoreService) -> None:
    """Two matches, in tournaments of two stores, cannot be created by one request."""
    north, south = (cups(two_stores)[name] for name in (NORTH, SOUTH))
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    headers = {"Idempotency-Key": "both"}
    first = two_stores.organiser.post("/v1/matches", {**body, "tournament": north}, headers)
    again = two_stores.organiser.post("/v1/matches", {**body, "tournament": north}, headers)
    other = two_stores.organiser.post("/v1/matches", {**body, "tournament": south}, headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert_problem(other, 422, "idempotency_key_reused")


# Lists.


def test_lists_cover_all_stores_newest_first(two_stores: TwoStoreService) -> None:
    made = [two_stores.match().id for _ in range(7)][::-1]
    for limit in (1, 2, 3, 50):
        found: list[str] = []
        after = None
        while len(found) < len(made):
            page = two_stores.anyone.get("/v1/matches", limit=limit, after=after).json()
            assert len(page["matches"]) <= limit
            found += [row["id"] for row in page["matches"]]
            after = page["next"]
        assert found[: len(made)] == made
    everything: list[str] = []
    after = None
    while True:
        page = two_stores.anyone.get("/v1/matches", limit=3, after=after).json()
        everything += [row["id"] for row in page["matches"]]
        if (after := page["next"]) is None:
            break
    assert len(set(everything)) == len(everything)
    assert {two_stores.where(one) for one in everything} == {NORTH, SOUTH}


def test_tournaments_are_listed_from_all_stores(two_stores: TwoStoreService) -> None:
    made = [two_stores.cup("Listed")["id"] for _ in range(4)][::-1]
    page = two_stores.anyone.get("/v1/tournaments", name="Listed", limit=3).json()
    rest = two_stores.anyone.get("/v1/tournaments", name="Listed", after=page["next"]).json()
    assert [row["id"] for row in page["tournaments"] + rest["tournaments"]] == made


# One of them fails.


def test_a_store_that_fails_leaves_the_others_working(two_stores: TwoStoreService) -> None:
    there = {name: two_stores.match(cup) for name, cup in cups(two_stores).items()}
    two_stores.servers[SOUTH].kill()
    try:
        impatient = [threading.Thread(target=there[SOUTH].anyone.view) for _ in range(100)]
        for one in impatient:
            one.start()
        slowest = 0.0
        for _ in range(20):
            began = time.monotonic()
            assert there[NORTH].anyone.view().status_code == 200
            seat = there[NORTH].seats[0]
            assert seat.act({"type": "end_turn"}).status_code in (201, 422)
            slowest = max(slowest, time.monotonic() - began)
        for one in impatient:
            one.join()
        assert slowest < 1.0
        assert there[SOUTH].anyone.view().status_code == 503
        assert two_stores.anyone.get("/v1/matches").status_code == 503, (
            "a list with gaps looks whole"
        )
        ready = two_stores.anyone.get("/readyz")
        assert ready.status_code == 200
        assert ready.json()["checks"]["database south"] == "down"
        assert ready.json()["checks"]["stores"] == "up"
    finally:
        two_stores.servers[SOUTH].start()
    wait_until(lambda: there[SOUTH].anyone.view().status_code == 200, PATIENCE)
    assert there[SOUTH].seats[0].act(eager(there[SOUTH].seats[0])).status_code == 201


def test_a_service_starts_without_one_of_its_stores(
    servers: Mapping[str, PostgresServer], two_stores: TwoStoreService, tmp_path: Path
) -> None:
    there = {name: two_stores.match(cup) for name, cup in cups(two_stores).items()}
    servers[SOUTH].stop()
    with ExitStack() as away, served(servers, tmp_path) as late:
        away.callback(servers[SOUTH].start)
        north, south = (seat_of(late, there[name]) for name in (NORTH, SOUTH))
        assert north.view().status_code == 200
        assert south.view().status_code == 503, "it may lie in the store that is away"
        away.close()
        wait_until(lambda: south.view().status_code == 200, PATIENCE)


def seat_of(two_stores: TwoStoreService, match: LiveMatch) -> Player:
    return Player(Client(two_stores.http, match.keys[0]), match.id)


def test_an_unreachable_store_is_no_404(two_stores: TwoStoreService) -> None:
    nothing = "01a1ff94-1111-7111-8111-222222222222"
    two_stores.servers[SOUTH].kill()
    try:
        assert two_stores.anyone.get(f"/v1/matches/{nothing}/view").status_code == 503
    finally:
        two_stores.servers[SOUTH].start()
    missing = f"/v1/matches/{nothing}/view"
    wait_until(lambda: two_stores.anyone.get(missing).status_code == 404, PATIENCE)
