"""The names of players over HTTP (/docs/tournaments#names)."""

from tests.contract.keys.test_registration import enter, opened
from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.tournament_client import LiveCup, at, cup
from tests.support.servers.live_server import Answer, Live, LiveMatch
from tests.support.waiting import wait_until


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
