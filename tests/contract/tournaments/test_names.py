"""The names of players over HTTP (/docs/tournaments#names)."""

from typing import Any
from uuid import UUID

import msgspec
import pytest
from eventsourcing.persistence import OperationalError

from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from tests.contract.keys.test_registration import enter, opened
from tests.support.http.evidence_client import keys
from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.rewind_client import numbers, resumed, rewound, steps
from tests.support.http.routes import description
from tests.support.http.ruling_client import ruled, seconded, successor, withdraw
from tests.support.http.tournament_client import LiveCup, at, closed_cup, cup, staged
from tests.support.servers.live_server import Answer, Client, Json, Live, LiveMatch
from tests.support.waiting import wait_until
from tests.support.web.two_verdicts import Given, by_first, by_second


def renamed(spring: LiveCup, player: int = 0, name: str = "Anna", key: str | None = None) -> Answer:
    return spring.post(f"players/{player}/name", {"name": name, "reason": "misspelt"}, key)


def seats(match: LiveMatch) -> list[str]:
    shown: list[str] = match.anyone.view().json()["seats"]
    return shown


def test_a_new_name_is_shown_everywhere_from_now_on(live: Live) -> None:
    spring = cup(live)
    played, match = spring.played(), spring.match()
    assert match.moderator.start().status_code == 201
    before = match.anyone.view().json()["seq"]
    made = renamed(spring, key="1")
    assert (made.status_code, made.json()["name"]) == (201, "Anna")
    assert renamed(spring, key="1").status_code == 200
    assert [one["name"] for one in spring.shown()["players"]] == ["Anna", "Ben", "Cy"]
    wait_until(lambda: seats(match) == ["Anna", "Ben"])
    listed = live.anyone.get("/v1/matches", name="Anna").json()["matches"]
    assert [row["id"] for row in listed] == [match.id]
    assert seats(played) == match.anyone.view(at=before).json()["seats"] == ["Ann", "Ben"]
    assert at(match, spring.player(0)).view().json()["audience"] == "seat:0"
    assert_problem(renamed(spring, 1, "ann"), 422, "name_taken")
    play_out(match)
    spring.counted(match)
    assert seats(spring.match(("Ben", "Anna"))) == ["Ben", "Anna"]


def test_an_entry_repeated_after_a_new_name_is_answered(live: Live) -> None:
    spring = cup(live)
    token = opened(spring)
    made, again = enter(spring, token, "Di"), spring.post("players", {"name": "Ed"}, "2")
    assert renamed(spring, made.json()["player"], "Diana").status_code == 201
    assert renamed(spring, again.json()["player"], "Edna").status_code == 201
    repeated = enter(spring, token, "Di")
    assert (repeated.status_code, repeated.json()) == (200, made.json() | {"name": "Diana"})
    entered = spring.post("players", {"name": "Ed"}, "2")
    assert (entered.status_code, entered.json()["player"]) == (200, 4)


def everything(live: Live, *paths: str) -> str:
    """What everyone, the organiser and the keys of the tournament read at these addresses."""
    return " ".join(who.get(path).text for path in paths for who in (live.anyone, live.organiser))


def addresses(organiser: Client, of: str, id_: str) -> list[str]:
    """Whatever an organiser reads about something, without a stream."""
    paths = [path for path, methods in description()["paths"].items() if "get" in methods]
    named = [path.replace("{id}", id_, 1) for path in paths if path.startswith(f"{of}/{{id}}")]
    first = [path.replace("{player}", "0").format(stage=1, number=1, case=1) for path in named]
    return [
        path
        for path in first
        if not path.endswith("/stream") and organiser.get(path).status_code == 200
    ]


def test_a_withheld_name_is_in_no_answer_any_more(live: Live) -> None:
    spring = cup(live, players=["Quentin", "Ben", "Cy"], moderators=[])
    played, running = spring.played(("Quentin", "Ben")), spring.match(("Ben", "Quentin"))
    matches = [f"/v1/matches/{one.id}" for one in (played, running)]
    staged(spring, published=True)
    paths = [
        *addresses(live.organiser, "/v1/tournaments", spring.id),
        *(
            path
            for one in (played, running)
            for path in addresses(live.organiser, "/v1/matches", one.id)
        ),
        "/v1/matches",
        "/v1/matches?name=Quentin",
        *(f"{match}/view?as=public" for match in matches),
        *(f"{match}/events?as=public" for match in matches),
        *(f"{match}/view?as=public&at=4" for match in matches),
    ]
    assert {live.organiser.get(path).status_code for path in paths} == {200}
    assert {f"{spring.path}/standings", f"{spring.path}/export", f"{matches[0]}/keys"} < {*paths}
    assert "Quentin" in everything(live, *paths)
    before = live.anyone.get(f"{matches[0]}/view?as=public")
    page = live.anyone.get(f"{matches[0]}/events?as=public&limit=6")
    assert page.headers["cache-control"] == "public, max-age=300"
    path = f"{spring.path}/players/0/name"
    assert live.organiser.send("DELETE", path).status_code == 204
    assert live.organiser.send("DELETE", path).status_code == 204
    assert "Quentin" not in everything(live, *paths)
    after = live.anyone.get(f"{matches[0]}/view?as=public")
    assert after.json() == before.json() | {"seats": ["Player 0", "Ben"]}
    assert after.headers["etag"] != before.headers["etag"]
    found = live.anyone.get("/v1/matches", name="Player 0").json()["matches"]
    assert {row["id"] for row in found} >= {played.id, running.id}
    assert running.moderator.start().status_code == 201
    play_out(running)
    spring.counted(running)
    assert seats(spring.match(("Player 0", "Ben"))) == ["Player 0", "Ben"]
    assert renamed(spring, 0, "Quincy").status_code == 201


def test_the_name_of_a_seat_is_withheld(live: Live) -> None:
    match = live.create("dollar-prize", ("Quentin", "Ben"))
    path = f"/v1/matches/{match.id}/seats/0/name"
    assert_problem(match.moderator.client.send("DELETE", path), 403, "not_allowed")
    assert live.organiser.send("DELETE", path).status_code == 204
    assert seats(match) == ["Player 0", "Ben"]
    missing = live.organiser.send("DELETE", f"/v1/matches/{match.id}/seats/5/name")
    assert_problem(missing, 404, "no_such_seat")
    inside = cup(live).match()
    refused = live.organiser.send("DELETE", f"/v1/matches/{inside.id}/seats/0/name")
    assert_problem(refused, 409, "of_tournament")


def test_the_name_of_someone_who_has_taken_over_a_seat_in_a_tournament_is_withheld(
    live: Live,
) -> None:
    match = cup(live).match()
    assert match.moderator.start().status_code == 201
    before = match.anyone.view().json()
    successor(live, match, seat=1, name="Quentin")
    paths = f"/v1/matches/{match.id}", f"/v1/matches/{match.id}/keys"
    assert "Quentin" in everything(live, *paths)
    for _ in range(2):
        assert live.organiser.send("DELETE", f"{paths[0]}/seats/1/name").status_code == 204
    assert seats(match) == ["Ann", "Player 513"]
    assert "Quentin" not in everything(live, *paths)
    assert match.anyone.view(at=before["seq"]).json() == before
    assert_problem(live.organiser.send("DELETE", f"{paths[0]}/seats/0/name"), 409, "of_tournament")


def test_a_name_that_was_only_proposed_for_a_seat_is_withheld_with_the_others(live: Live) -> None:
    """Somebody was to take it over, and all seats were asked; then it was withdrawn."""
    match = live.started("dollar-prize")
    body = {"seat": 1, "name": "Quentin", "ask_seats": True}
    proposed = ruled(match.moderator, "replace_seat", **body)["ruling"]
    assert withdraw(match.moderator, proposed).status_code == 204
    paths = [f"{match.anyone.path}/{what}" for what in ("rulings", "events", "timeline", "bundle")]

    def found() -> list[bool]:
        every = (match.moderator, match.seats[0], match.organiser)
        answers = [who.client.get(path) for who in every for path in paths]
        return ["Quentin" in answer.text for answer in answers]

    assert any(found())
    path = f"{match.anyone.path}/seats/1/name"
    assert live.organiser.send("DELETE", path).status_code == 204
    assert not any(found())
    assert seats(match) == ["Ann", "Player 1"]


def test_only_what_shows_a_withheld_name_gets_other_tags(live: Live) -> None:
    """Else everybody would learn that somewhere a name was withheld."""
    match, other = live.started("dollar-prize", ("Quentin", "Ben")), live.started("dollar-prize")
    cups = [cup(live, players=[name, "Ben"], moderators=[]) for name in ("Quentin", "Cy")]

    def tags(one: LiveMatch) -> list[str]:
        every = (one.anyone, one.moderator, *one.seats)
        own = [who.client.get(f"{who.path}/view", at=at) for who in every for at in (None, 1)]
        shared = [one.anyone.client.get(one.anyone.path), one.anyone.events("public", 0, 1)]
        return [answer.headers["etag"] for answer in (*own, *shared, one.seats[1].menu())]

    def events_tag(one: LiveCup) -> str:
        return live.anyone.get(f"{one.path}/events").headers["etag"]

    before, elsewhere = tags(match), (tags(other), events_tag(cups[1]))
    of_cup = events_tag(cups[0])
    path = f"/v1/matches/{match.id}/seats/0/name"
    assert live.organiser.send("DELETE", path).status_code == 204
    assert live.organiser.send("DELETE", f"{cups[0].path}/players/0/name").status_code == 204
    assert not set(before) & set(tags(match))
    assert events_tag(cups[0]) != of_cup
    assert (tags(other), events_tag(cups[1])) == elsewhere


def test_what_was_read_before_is_read_again(live: Live) -> None:
    match = live.started("dollar-prize")
    successor(live, match, name="Quentin", ask_seats=True)
    body = {"winners": [0], "losers": [1], "shared": False, "scores": [1, 0]}
    pending = ruled(match.organiser, "result", result=body, because="forfeit")["ruling"]
    assert seconded(match.judge, pending).status_code == 201
    spring = closed_cup(live)
    rulings = [f"/v1/matches/{match.id}/rulings", f"/v1/matches/{match.id}/timeline"]
    bundles = [f"/v1/matches/{match.id}/bundle", f"{spring.path}/bundle"]

    def told() -> list[bool]:
        shown = [match.moderator.client.get(path).text for path in rulings]
        shown.append(match.organiser.client.get(rulings[0]).text)
        shown += [match.seats[0].events().text, match.moderator.events().text]
        read = [live.anyone.get(path).content for path in bundles]
        judged = [str(verify(one, VerifierInputs(keys(live))).claims) for one in read]
        return [*("Quentin" in one for one in shown), *("withheld" not in one for one in judged)]

    assert all(told())
    for path in (f"/v1/matches/{match.id}/seats/1/name", f"{spring.path}/players/0/name"):
        assert live.organiser.send("DELETE", path).status_code == 204
    assert not any(told())
    bundle = match.moderator.client.get(bundles[0], as_="moderator").content
    given = Given("with a name that a seat was asked about", bundle, keys(live))
    assert (by_first(given)["finding"], by_second([given])[0]["finding"]) == (None, None)


def test_a_request_that_is_interrupted_leaves_the_name_nowhere(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once its rows are without them, a tournament does not know the names any more."""
    spring = cup(live, players=["Quentin", "Ben"], moderators=[])
    match = spring.match(("Quentin", "Ben"))
    recorder = live.instance.store.recorder
    replace_states = recorder.replace_states

    def killed(stream: UUID, *rows: Any) -> None:
        replace_states(stream, *rows)
        if str(stream) == spring.id:
            raise OperationalError

    path = f"{spring.path}/players/0/name"
    with monkeypatch.context() as patched:
        patched.setattr(recorder, "replace_states", killed)
        assert live.organiser.send("DELETE", path).status_code == 503
    paths = (
        spring.path,
        f"{spring.path}/events",
        f"/v1/matches/{match.id}",
        "/v1/matches?name=Quentin",
    )
    wait_until(lambda: "Quentin" not in everything(live, *paths))
    assert live.organiser.send("DELETE", path).status_code == 204


def test_a_withheld_name_is_in_no_notice_that_may_be_sent(live: Live) -> None:
    made = live.organiser.post("/v1/webhooks", {"url": "https://a.example/"})
    table, webhook = live.instance.webhooks, made.json()["id"]

    def named(name: str) -> list[str]:
        bodies = (one.body.decode() for one in table.deliveries(webhook, 0, 1_000))
        return sorted({msgspec.json.decode(body)["type"] for body in bodies if name in body})

    spring = cup(live, name="Quentin", players=["Quentin", "Ben"], moderators=[])
    inside, alone = spring.match(("Quentin", "Ben")), live.create("dollar-prize", ("Quincy", "Ben"))
    for match in (inside, alone):
        assert match.moderator.start().status_code == 201
    of_match, entered = ["match.awaiting", "match.started"], "tournament.player_entered"
    every = [*of_match, "tournament.created", entered]
    wait_until(lambda: (named("Quentin"), named("Quincy")) == (every, of_match))
    for path in (f"{spring.path}/players/0/name", f"/v1/matches/{alone.id}/seats/0/name"):
        assert live.organiser.send("DELETE", path).status_code == 204
    assert (named("Quentin"), named("Quincy")) == (["tournament.created"], [])
    told = next(one for one in table.deliveries(webhook, 0, 1_000) if entered in str(one.body))
    assert msgspec.json.decode(told.body)["data"]["name"] == "Player 0"


def test_a_repeat_is_answered_with_what_is_shown_by_now(live: Live) -> None:
    spring = cup(live, players=["Quentin", "Ben"])
    match = spring.match(("Quentin", "Ben"))
    sent: list[tuple[str, Json | None]] = [
        ("/v1/matches", {"game": "dollar-prize", "seats": ["Quentin", "Ben"]}),
        ("/v1/tournaments", {"name": "Cup", "players": ["Quentin"]}),
        (f"{spring.path}/players/0/invitation", {}),
        (f"{spring.path}/players/0/key", None),
        (f"{spring.path}/players", {"name": "Quentin II"}),
        (f"/v1/matches/{match.id}/invitations", {"seat": 0}),
        (f"/v1/matches/{match.id}/start", None),
    ]

    def answers(status: int) -> list[Json]:
        made = [
            live.organiser.post(path, body, {"Idempotency-Key": f"withheld-{number}"})
            for number, (path, body) in enumerate(sent)
        ]
        assert [one.status_code for one in made] == [status] * len(sent), [one.text for one in made]
        return [one.json() for one in made]

    first = answers(201)
    assert all("Quentin" in str(one) for one in first)
    for path in (
        f"/v1/matches/{first[0]['id']}/seats/0/name",
        f"/v1/tournaments/{first[1]['id']}/players/0/name",
        *(f"{spring.path}/players/{player}/name" for player in (0, 2)),
    ):
        assert live.organiser.send("DELETE", path).status_code == 204
    again = answers(200)
    assert not [one for one in again if "Quentin" in str(one)]


def test_after_a_rewind_the_seed_is_committed_to_with_the_names_that_were_withheld(
    live: Live,
) -> None:
    match = live.started("dollar-prize")
    while not numbers(match, "match.draw-settled.1"):
        steps(match, 1)
    path = f"/v1/matches/{match.id}/seats/0/name"
    assert live.organiser.send("DELETE", path).status_code == 204
    rewound(match, live, before=numbers(match, "match.draw-settled.1")[-1])
    resumed(match)
    play_out(match)
    bundle = match.moderator.client.get(f"/v1/matches/{match.id}/bundle", as_="moderator")
    report = verify(bundle.content, VerifierInputs(keys(live)))
    assert report.finding is None, report.finding
