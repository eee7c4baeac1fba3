"""An id in an address is looked up among things of its kind: whatever else the store keeps under it
is an unknown id, with the same bytes and the same work, and no alarm."""

import asyncio
from dataclasses import dataclass
from uuid import UUID, uuid5

import pytest

from domain.tournament.state import KeyedRequest
from projections.audience.disclosure import Viewer
from service.app import create_app
from service.application.idempotency import SCOPE, StoredAnswer
from service.auth.cached_keys import CHANGES, REVOCATIONS
from service.auth.keyring import ORGANISERS
from service.event_store.case_streams import CaseLists
from service.event_store.integrity.incarnation import INCARNATIONS
from service.event_store.store import paired_stream
from service.event_store.stream_ids import MATCH, TOURNAMENT, stream_of
from tests.support.http.case_client import do, opened, say
from tests.support.http.tournament_client import cup
from tests.support.instance.work_counter import WorkCounter
from tests.support.roles.declared_routes import Route, routes
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch

UNKNOWN = "0190ffff-ffff-7fff-bfff-ffffffffffff"
"""An id of nothing; in its length like all others."""

NAMING = {"match_id", "tournament_id", "match", "webhook", "calendar"}
"""The parameters of paths whose values are UUIDs."""


@dataclass(frozen=True)
class Stored:
    """A match and ids of all kinds that the store keeps; `kinds` has for each what it is."""

    match: LiveMatch
    ids: dict[str, str]
    kinds: dict[str, int]


@pytest.fixture(scope="module")
def stored(live: Live) -> Stored:
    tournament = cup(live, players=["Ann", "Ben"], moderators=["Mo"])
    match = tournament.match()
    remember(live, "of-another-kind")
    case = opened(match.seats[1])
    assert say(match.seats[1], case, "It fell.").status_code == 201
    assert do(match.organiser, case, "publish").status_code == 204
    assert match.moderator.client.post(f"{match.moderator.path}/checkpoints").status_code == 201
    calendar = live.organiser.post("/v1/calendars", {"match": match.id}).json()["id"]
    of = UUID(match.id)
    loaded = live.instance.sessions.loaded(of)
    assert loaded is not None
    lists = CaseLists(of, loaded.secrets.log_key)
    names: tuple[Viewer, ...] = ("moderator", 1, "public")
    ids = {
        "a case": case,
        **{f"the list of {name}": str(lists.of(name)) for name in names},
        **{f"the name of {name}": str(uuid5(of, f"cases of {name}")) for name in names},
        "the name of seat:1": str(uuid5(of, "cases of seat:1")),
        "checkpoints": str(paired_stream(of)),
        "a request": str(stream_of(SCOPE, "of-another-kind")),
        "the incarnations": str(INCARNATIONS),
        "the organisers": str(ORGANISERS),
        "the revocations": str(REVOCATIONS),
        "the changed keys": str(CHANGES),
        "a calendar": calendar,
        "a match": match.id,
        "a tournament": tournament.id,
    }
    return Stored(match, ids, {"a match": MATCH, "a tournament": TOURNAMENT})


def remember(live: Live, key: str) -> None:
    """Stores a request under an idempotency key, and its answer."""

    async def execute(_begun: int | None) -> StoredAnswer:
        return StoredAnswer(204, {}, b"")

    async def length() -> int:
        return 0

    asked = live.instance.idempotency.remember(KeyedRequest(key, b"1"), execute, (), length)
    asyncio.run_coroutine_threadsafe(asked, live.loop).result(10)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> WorkCounter:
    return WorkCounter(monkeypatch)


def path(route: Route, parameter: str, value: str, stored: Stored) -> str:
    """The route's path with this value; its other parameters name what there is."""
    there = {"match_id": stored.match.id, "tournament_id": stored.ids["a tournament"]}
    others = dict.fromkeys(route.parameters, "1") | {"webhook": UNKNOWN, "calendar": UNKNOWN}
    return route.path.format(**(others | there | {parameter: value}))


def belongs(parameter: str, kind: str) -> bool:
    """Whether an id of this kind is one that the parameter names."""
    return {
        "match_id": "a match", "match": "a match", "tournament_id": "a tournament",
        "calendar": "a calendar",
    }.get(parameter) == kind  # fmt: skip


Seen = tuple[int, list[tuple[bytes, bytes]], bytes]


def seen(answer: Answer, value: str) -> Seen:
    """What is answered, but for the id itself."""
    headers = [
        (name, text.replace(value.encode(), b"ID"))
        for name, text in answer.headers.raw
        if name.lower() != b"date"
    ]
    return answer.status_code, headers, answer.content.replace(value.encode(), b"ID")


def test_an_id_of_another_kind_is_an_unknown_one_at_every_route(
    live: Live, stored: Stored, work: WorkCounter
) -> None:
    """For each sender by turns; at each route half of the kinds, at the next one the others."""
    senders = (live.anyone, live.organiser, stored.match.seats[0].client)
    tried, wrong = 0, list[str]()

    def answer(client: Client, route: Route, parameter: str, value: str) -> tuple[Seen, object]:
        work.take()
        address = path(route, parameter, value, stored)
        found = client.send(route.method, address, route.examples[0])
        return seen(found, value), work.take()

    kinds = list(stored.ids.items())
    for number, route in enumerate(routes(create_app(live.instance))):
        for parameter in sorted(NAMING & route.parameters):
            unknown = [answer(client, route, parameter, UNKNOWN) for client in senders]
            if parameter in ("match_id", "tournament_id"):
                assert unknown[1][0][0] in (400, 404), route.name
            for kind, value in kinds[number % 2 :: 2]:
                if belongs(parameter, kind):
                    continue
                turn, tried = tried % len(senders), tried + 1
                if answer(senders[turn], route, parameter, value) != unknown[turn]:
                    wrong.append(f"{route.name} {parameter} {kind} {senders[turn].key}")
    assert wrong == []
    assert tried > 500
    assert len(live.instance.closed) == 0
    assert live.anyone.get("/readyz").status_code == 200


def test_a_key_that_names_a_stream_of_another_kind_is_unknown(
    live: Live, stored: Stored, work: WorkCounter
) -> None:
    answers = []
    for ring in (UUID(UNKNOWN), *map(UUID, stored.ids.values())):
        if ring.version in stored.kinds.values():
            continue
        work.take()
        answer = live.bearing(f"arb_s0_{ring.hex}_{'0' * 64}").get("/v1/webhooks")
        answers.append((answer.status_code, answer.content, work.take()))
    assert len(answers) > 5 and all(one == answers[0] for one in answers)
    assert answers[0][0] == 401
