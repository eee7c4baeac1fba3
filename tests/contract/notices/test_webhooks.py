"""`/v1/webhooks`: who may register what, and what arrives."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from msgspec.structs import replace

from projections.fields import instant
from service.http.notices import registrations
from service.notices.registrations import Webhook
from service.notices.webhook_table import WebhookTable
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import cup
from tests.support.http.webhook_receiver import Received, Receiver, receiving
from tests.support.instants import NOON
from tests.support.servers.live_server import Client, Json, Live, body_of, serving
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import wait_until
from tests.support.worlds_http_grouping_bw import GROUPS, NO_GROUPS, grouping
from tests.support.worlds_sealed_http import Timed, accepted

URL = "https://bots.example/notices"

EXTENDED = {"kind": "extend", "seconds": 3_000, "reason": "the bus was late"}


@pytest.fixture(scope="module")
def sending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server that may send to this machine."""
    with serving(tmp_path_factory.mktemp("sending"), private_webhooks=True) as live:
        yield live


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def register(client: Client, url: str = URL, **more: object) -> Json:
    return body_of(client.post("/v1/webhooks", {"url": url, **more}), 201)


def deliveries(client: Client, webhook: Json) -> list[Json]:
    return list(body_of(client.get(f"/v1/webhooks/{webhook['id']}/deliveries"), 200)["deliveries"])


# A browser's.


def test_a_browser_is_told_of_its_seats_turns_alone(sending: Live, receiver: Receiver) -> None:
    match = sending.started("liars-dice")
    ann, ben = match.seats
    body = {"url": receiver.url, "match": match.id, "push": True}
    assert_problem(ben.client.post("/v1/webhooks", body), 404, "no_such_seat")
    assert_problem(ann.client.post("/v1/webhooks", body | {"seat": 1}), 403, "not_allowed")
    asked = body_of(ben.client.post("/v1/webhooks", body | {"seat": 1}), 201)
    assert asked["push"] and asked["kinds"] == ["awaiting"]
    assert len(ben.client.get("/v1/webhooks").json()["push_key"]) == 87
    for count, player in enumerate((ann, ben, ann), 1):
        assert player.act({"type": "bid", "count": count, "face": 2}).status_code == 201
    wait_until(lambda: len(receiver.received) == 2)
    assert [one.body for one in receiver.received] == [b"", b""]
    assert len(deliveries(ben.client, asked)) == 2, "it is told of no other turn"


# Registering.


def test_a_list_does_not_show_the_secret(live: Live) -> None:
    client = live.started("dollar-prize").seats[0].client
    first = client.post("/v1/webhooks", {"url": URL})
    assert first.status_code == 201 and first.json()["secret"].startswith("whsec_")
    assert first.headers["cache-control"] == "no-store"
    (listed,) = client.get("/v1/webhooks").json()["webhooks"]
    assert listed == {name: value for name, value in first.json().items() if name != "secret"}


def test_what_another_instance_has_added_for_the_same_request_is_a_repeat(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has shown its secret, with which it signs: this one would be of no use."""
    add = WebhookTable.add

    def overtaken(table: WebhookTable, webhook: Webhook) -> None:
        add(table, replace(webhook, secret=b"of the other instance"))
        add(table, webhook)

    monkeypatch.setattr(WebhookTable, "add", overtaken)
    client = live.started("dollar-prize").seats[0].client
    answer = client.post("/v1/webhooks", {"url": URL}, {"Idempotency-Key": "once"})
    assert (answer.status_code, answer.json()["secret"]) == (200, None)
    assert answer.headers["idempotent-replayed"] == "true"


def test_a_key_is_for_what_it_is_for(live: Live) -> None:
    match, other = live.started("dollar-prize"), live.started("dollar-prize")
    spring = cup(live)
    seat = match.seats[0].client
    assert register(seat)["match"] == register(match.moderator.client)["match"] == match.id
    assert register(seat, match=match.id, seat=0)["seat"] == 0
    organised = register(live.organiser, tournament=spring.id)
    assert (organised["match"], organised["tournament"]) == (None, spring.id)
    cases: list[tuple[Client, Json, int, str]] = [
        (seat, {"match": other.id}, 403, "not_allowed"),
        (seat, {"tournament": spring.id}, 403, "not_allowed"),
        (seat, {"seat": 1}, 403, "not_allowed"),
        (live.organiser, {"match": match.id, "seat": 9}, 404, "no_such_seat"),
        (live.organiser, {"match": str(uuid4())}, 404, "no_such_match"),
        (live.organiser, {"tournament": str(uuid4())}, 404, "no_such_tournament"),
        (live.organiser, {"seat": 0}, 404, "no_such_seat"),
        (live.organiser, {"match": match.id, "tournament": spring.id}, 422, "match_or_tournament"),
        (live.anyone, {}, 401, "key_missing"),
    ]
    for client, body, status, code in cases:
        assert_problem(client.post("/v1/webhooks", {"url": URL, **body}), status, code)


def test_only_public_https_addresses_are_taken(live: Live) -> None:
    client = live.started("dollar-prize").seats[0].client
    for url in (
        "http://bots.example/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://a@b.org/",
        "mailto:ann@example.org",
    ):
        answer = client.post("/v1/webhooks", {"url": url})
        assert_problem(answer, 422, "address_not_allowed")
    assert_problem(client.post("/v1/webhooks", {"url": URL, "kinds": []}), 400, "wrong_shape")


def test_a_key_has_twenty_webhooks_at_most(live: Live) -> None:
    client = live.started("dollar-prize").seats[1].client
    made = [register(client) for _ in range(20)]
    assert_problem(client.post("/v1/webhooks", {"url": URL}), 409, "too_many_webhooks")
    assert client.send("DELETE", f"/v1/webhooks/{made[0]['id']}").status_code == 204
    register(client)


def test_an_organiser_has_more_but_not_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registrations, "MOST_OF_ORGANISER", 1)
    with serving(tmp_path) as live:
        made = register(live.organiser)
        assert_problem(live.organiser.post("/v1/webhooks", {"url": URL}), 409, "too_many_webhooks")
        assert live.organiser.send("DELETE", f"/v1/webhooks/{made['id']}").status_code == 204
        register(live.organiser)


def test_nobody_sees_the_webhooks_of_others_and_organisers_their_hosts(live: Live) -> None:
    match = live.started("dollar-prize")
    mine, yours = (seat.client for seat in match.seats)
    webhook = register(mine, URL + "?token=secret")
    path = f"/v1/webhooks/{webhook['id']}"
    assert yours.get("/v1/webhooks").json()["webhooks"] == []
    for method, more in (("GET", "/deliveries"), ("DELETE", "")):
        assert_problem(yours.send(method, path + more), 404, "no_such_webhook")
    listed = {one["id"]: one for one in live.organiser.get("/v1/webhooks").json()["webhooks"]}
    assert listed[webhook["id"]]["url"] == "https://bots.example"
    assert live.organiser.send("DELETE", path).status_code == 204
    assert mine.get("/v1/webhooks").json()["webhooks"] == []


# Sending.


def test_a_match_is_told_in_order_and_signed(sending: Live, receiver: Receiver) -> None:
    match = sending.create("dollar-prize")
    webhook = register(match.seats[0].client, receiver.url)
    receiver.statuses = [204]
    assert match.moderator.start().status_code == 201
    started, awaiting = receiver.wait_for(2)[:2]
    assert [started.told["type"], awaiting.told["type"]] == ["match.started", "match.awaiting"]
    assert awaiting.told["data"]["awaiting"]["seats"] == [0]
    for one in (started, awaiting):
        assert one.signed_with(webhook["secret"])
        assert one.headers["content-type"] == "application/json"
        assert one.headers["host"] == receiver.url.removeprefix("http://").partition("/")[0]
    listed = deliveries(match.seats[0].client, webhook)
    assert [one["id"] for one in listed[:2]] == [started.id, awaiting.id]


def test_no_notice_differs_with_what_is_hidden(tmp_path: Path, receiver: Receiver) -> None:
    """In one of two matches the other seat does nothing in a sealed phase, in the other it fails
    and submits. Everything sent is equal, reminders too, but for the ids of match and notice."""
    clock = VirtualClock(NOON)
    with serving(tmp_path, clock, private_webhooks=True) as live, receiving() as other:
        timed = Timed(live, clock)
        quiet, busy = grouping(timed).match, grouping(timed).match
        timed.pass_time()
        webhooks = [
            register(match.seats[0].client, at.url, remind=60)
            for match, at in ((quiet, receiver), (busy, other))
        ]
        for action in ({"type": "fly"}, NO_GROUPS, GROUPS):
            busy.seats[1].act(action)
        for match in (quiet, busy):
            accepted(match.moderator.client.post(f"{match.moderator.path}/rulings", EXTENDED))
        for at in (receiver, other):
            at.wait_for_different(2)
        both = [(quiet, webhooks[0]), (busy, webhooks[1])]
        due = [reminder_due(match.seats[0].client, webhook) for match, webhook in both]
        assert due[0] == due[1]
        timed.pass_time(due[0] - clock.now())
        first, second = (at.wait_for_different(3) for at in (receiver, other))
        assert {one.told["type"] for one in first} == {
            "match.ruling", "match.awaiting", "match.reminder"
        }  # fmt: skip
        assert first[-1].told["data"]["awaiting"]["seats"] == [0, 1]
        assert [alike(one, quiet.id) for one in first] == [alike(one, busy.id) for one in second]


def test_a_seat_alone_is_told_that_its_submission_does_not_count(
    sending: Live, receiver: Receiver
) -> None:
    match = sending.create("grouping-bw", options={"variant": "final-match-2"}, chance="manual")
    accepted(match.moderator.start())
    accepted(match.seats[0].act({"type": "name_starter", "seat": 0}))
    wanted = {"kinds": ["submission_invalid", "ruling"], "match": match.id}
    clients = (match.seats[0].client, match.seats[1].client, match.moderator.client)
    own, *others = [
        register(client, f"{receiver.url}/{n}", **wanted) for n, client in enumerate(clients)
    ]
    accepted(match.seats[0].act(NO_GROUPS))
    note = {"kind": "note", "to": "public", "text": "x", "severity": "warning", "reason": "x"}
    ruled = clients[2].post(f"/v1/matches/{match.id}/rulings", note)
    assert ruled.status_code == 201, ruled.text

    def told() -> list[list[str]]:
        pairs = zip(clients, (own, *others), strict=True)
        return [sorted(one["kind"] for one in deliveries(*pair)) for pair in pairs]

    wait_until(lambda: told() == [["ruling", "submission_invalid"], ["ruling"], ["ruling"]])
    operator = f"/v1/webhooks/{own['id']}/deliveries"
    assert_problem(sending.organiser.get(operator), 404, "no_such_webhook")


def test_a_copy_that_is_started_has_no_webhooks_and_the_original_keeps_them(tmp_path: Path) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.mkdir()
    with serving(original) as live:
        made = register(live.organiser)
        calendar = live.organiser.post("/v1/calendars", {"match": live.create("dollar-prize").id})
        feed = urlsplit(calendar.json()["link"])
    shutil.copytree(original, copy)
    with serving(copy) as live:
        assert live.organiser.get("/v1/webhooks").json()["webhooks"] == []
        assert live.anyone.get(f"{feed.path}?{feed.query}").status_code == 404
    with serving(original) as live:
        (listed,) = live.organiser.get("/v1/webhooks").json()["webhooks"]
        assert listed["id"] == made["id"]
        assert live.anyone.get(f"{feed.path}?{feed.query}").status_code == 200


def reminder_due(client: Client, webhook: Json) -> int:
    """When the webhook is sent its reminder, of the deadline that is in force."""

    def waiting() -> list[Json]:
        return [one for one in deliveries(client, webhook) if one["kind"] == "reminder"]

    wait_until(lambda: waiting() != [])
    (reminder,) = waiting()
    return instant(reminder["next_attempt"])


def alike(received: Received, match: str) -> tuple[dict[str, str], str]:
    """What was received, without the ids."""
    headers = {name: value for name, value in received.headers.items() if name != "host"}
    unlike = {"webhook-id": "ID", "webhook-signature": "SIGNATURE"}
    return headers | unlike, received.body.decode().replace(match, "MATCH")
