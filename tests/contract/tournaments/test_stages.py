"""Stages over HTTP: drafts, rounds, the matches behind them, standings, and who may do what."""

import os
from typing import Any, NoReturn

import pytest

from domain.tournament.history import History
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from projections.tournaments.stage_standings import show_standings
from service.application.tournaments import drafts, rounds
from tests.support.http.evidence_client import keys, reads
from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.ruling_client import ruled, seconded
from tests.support.http.tournament_client import LiveCup, cup, shown_round
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player, body_of
from tests.support.waiting import wait_until

CHIPS: Json = {"game": "twelve-chips", "options": {"tokens_to_win": 1}}
SWISS: Json = {
    "name": "Swiss",
    "format": "swiss",
    "match": CHIPS,
    "moderators": "all",
    "round": {"start": "at_once"},
}
NAMES = ["Ann", "Ben", "Cy", "Di"]


@pytest.fixture
def four(live: Live) -> LiveCup:
    return cup(live, players=NAMES, moderators=["Mo"])


def added(spring: LiveCup, **settings: Any) -> Json:
    return body_of(spring.post("stages", SWISS | settings), 201)


def draft(spring: LiveCup, stage: int = 1, **more: Any) -> Answer:
    return spring.post(f"stages/{stage}/rounds", {"preview": True} | more)


def publish(spring: LiveCup, stage: int = 1, tag: str | None = None, **more: Any) -> Answer:
    tag = tag or draft(spring, stage, **more).headers["etag"]
    return spring.live.organiser.post(
        f"{spring.path}/stages/{stage}/rounds", more, {"If-Match": tag}
    )


def live_match(spring: LiveCup, match: str, players: list[int]) -> LiveMatch:
    seats = tuple(Player(spring.player(player), match) for player in players)
    moderator, organiser = Player(spring.moderator(), match), Player(spring.live.organiser, match)
    anyone = Player(spring.live.anyone, match)
    return LiveMatch(match, (), "", seats, moderator, organiser, moderator, anyone)


def played(spring: LiveCup, number: int, stage: int = 1) -> Json:
    """A published round after all of its matches have been played and it is closed."""
    tables = len(shown_round(spring, stage, number)["pairings"])

    def step() -> bool:
        one = shown_round(spring, stage, number)
        for pairing in one["pairings"]:
            if pairing["status"] == "running":
                players = spring.live.anyone.get(f"{spring.path}").json()["matches"]
                match = pairing["matches"][-1]
                seats = next(row["players"] for row in players if row["match"] == match)
                play_out(live_match(spring, match, seats))
        return bool(one["status"] == "closed") and one["created"] >= tables

    wait_until(step, failure=lambda: str(shown_round(spring, stage, number)))
    return shown_round(spring, stage, number)


def test_the_table_of_a_match_that_was_replaced_names_the_rematch(live: Live) -> None:
    spring = cup(live, players=["Ann", "Ben"])
    added(spring, format="round_robin", seeding="entry")
    assert publish(spring).status_code == 201
    ((first,),) = [one["matches"] for one in played(spring, 1)["pairings"]]
    again = spring.match(("Ben", "Ann"))
    ruling = ruled(spring.by(), kind="replace", match=first, by=again.id)["ruling"]
    assert seconded(spring.by(spring.moderator()), ruling).status_code == 201

    def told() -> list[Json]:
        card = live.anyone.get(f"{spring.path}/players/0").json()["rounds"][0]
        return [*shown_round(spring, 1)["pairings"], card]

    assert [(one["matches"], one["result"]) for one in told()] == [([again.id], None)] * 2
    assert again.moderator.start().status_code == 201
    play_out(again)
    spring.counted(again)
    table, card = told()
    assert (table["matches"], card["matches"]) == ([again.id], [again.id])
    assert card["score"] == table["result"]["scores"][table["players"].index(0)]


def test_a_moderator_who_comes_later_gets_every_match_of_a_stage_for_all(four: LiveCup) -> None:
    added(four)
    assert publish(four).status_code == 201
    wait_until(lambda: shown_round(four, 1)["created"] == 2)
    for name in ("Mia", "Ann"):
        assert four.post("moderators", {"name": name}).status_code == 201
    matches = four.live.anyone.get(four.path).json()["matches"]
    wanted = [[0, 1] if 0 in one["players"] else [0, 1, 2] for one in matches]
    assert [one["moderators"] for one in matches] == wanted
    # With her name withheld it cannot be seen that Ann plays; the record is judged all the same.
    live = four.live
    assert live.organiser.send("DELETE", f"{four.path}/players/0/name").status_code == 204
    bundle = live.organiser.get(f"{four.path}/bundle").content
    assert verify(bundle, VerifierInputs(keys(live))).finding is None


def test_a_swiss_of_four_is_played_from_a_list_of_names_to_a_champion(four: LiveCup) -> None:
    stage = added(four)
    assert (stage["stage"], stage["status"], stage["published"]) == (1, "planned", 0)
    first = draft(four)
    assert first.json()["status"] == "draft"
    assert publish(four, tag=first.headers["etag"]).status_code == 201
    assert_problem(draft(four), 409, "round_open")
    one = played(four, 1)
    assert [row["players"] for row in one["pairings"]] == [
        row["players"] for row in first.json()["pairings"]
    ]
    assert all(row["status"] == "final" and row["result"] for row in one["pairings"])
    assert publish(four).status_code == 201
    played(four, 2)
    rows = four.live.anyone.get(f"{four.path}/standings", explain=0).json()
    assert rows["tiebreaks"] == ["buchholz_cut_1", "buchholz", "head_to_head", "wins"]
    assert sorted(row["player"] for row in rows["rows"]) == [0, 1, 2, 3]
    assert next(row for row in rows["rows"] if row["player"] == 0)["explained"]
    closed = four.post("stages/1/close", {})
    assert closed.status_code == 201, closed.text
    assert len(closed.json()["places"]) == 4
    ended = four.post("close", {})
    # Two who cannot be told apart share the first place.
    first_ones = [row["player"] for row in rows["rows"] if row["place"] == 1]
    assert sorted(ended.json()["champions"]) == sorted(first_ones)
    assert closed.json()["places"][0] in first_ones


def test_a_tournament_is_exported_for_other_programs(four: LiveCup) -> None:
    added(four, round={"start": "by_hand"})
    publish(four)
    wait_until(lambda: shown_round(four, 1)["created"] == 2)
    anyone, path = four.live.anyone, f"{four.path}/export"
    whole = anyone.get(path).json()
    assert [one["name"] for one in whole["players"]] == NAMES
    (stage,) = whole["stages"]
    assert stage["rounds"] == [shown_round(four, 1)]
    assert stage["standings"] == anyone.get(f"{four.path}/standings").json()
    table, report = anyone.get(path, form="csv"), anyone.get(path, form="trf")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.text.startswith("place,player,name,")
    assert report.text.startswith("012 Cup\n")
    assert_problem(anyone.get(path, form="trf", stage=2), 404, "no_such_stage")


def test_standings_are_made_anew_after_a_public_event_alone(
    four: LiveCup, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(four)
    made: list[Any] = []

    def counted(*given: Any, **more: Any) -> Any:
        made.append(given)
        return show_standings(*given, **more)

    monkeypatch.setattr(rounds, "show_standings", counted)

    def read() -> int:
        assert four.live.anyone.get(f"{four.path}/standings").status_code == 200
        assert four.live.anyone.get(f"{four.path}/export").status_code == 200
        return len(made)

    assert read() == 1
    assert four.post("garnets", {"player": 0, "amount": 1, "reason": "a gift"}).status_code == 201
    assert read() == 1
    assert four.post("players", {"name": "Eve"}).status_code == 201
    assert read() == 2


def test_a_round_is_published_only_as_it_was_drafted(four: LiveCup) -> None:
    added(four)
    rounds = f"{four.path}/stages/1/rounds"
    assert_problem(four.live.organiser.post(rounds, {}), 428, "preview_needed")
    tag = draft(four).headers["etag"]
    assert four.post("players", {"name": "Eve"}).status_code == 201
    stale = four.live.organiser.post(rounds, {}, {"If-Match": tag})
    assert_problem(stale, 412, "stale")


def test_a_draft_that_takes_long_is_asked_for_again_by_the_same_request(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "PATIENCE_SECONDS", 0.0)
    players = [f"Player {number}" for number in range(drafts.SMALL + 1)]
    spring = cup(live, players=players, moderators=[])
    added(spring)

    def ask() -> Answer:
        return spring.post("stages/1/rounds", {"preview": True}, "once")

    waiting = ask()
    assert_problem(waiting, 202, "draft_pending")
    assert waiting.headers["location"] == f"{spring.path}/stages/1/rounds"
    assert (waiting.headers["retry-after"], waiting.json()["retry_after"]) == ("2", 2)
    wait_until(lambda: ask().status_code == 200)


def test_when_the_process_that_drafts_has_died_another_drafts(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [f"Player {number}" for number in range(drafts.SMALL + 2)]
    spring = cup(live, players=players, moderators=[])
    added(spring)
    with monkeypatch.context() as patch:
        patch.setattr(drafts, "_draft_of", die)
        assert_problem(draft(spring), 202, "draft_pending")
    wait_until(lambda: draft(spring).status_code == 200)


def die(_: History) -> NoReturn:
    os._exit(9)


def test_a_round_by_hand_says_so_and_why(four: LiveCup) -> None:
    added(four)
    by_hand: Json = {"pairings": [[3, 0], [2, 1]], "reason": "They share a car."}
    one = publish(four, **by_hand).json()
    assert one["method"] == "by_hand"
    assert one["by_hand"]["reason"] == "They share a car."
    assert [row["players"] for row in one["pairings"]] == [[3, 0], [2, 1]]


def test_a_stage_is_changed_until_its_first_round(four: LiveCup) -> None:
    added(four)
    path = f"{four.path}/stages/1"
    changed = four.live.organiser.send("PATCH", path, b'{"rounds":3}')
    assert changed.json()["rounds"] == 3
    assert publish(four).status_code == 201
    assert_problem(four.live.organiser.send("PATCH", path, b'{"rounds":2}'), 422, "stage_begun")


def test_what_is_not_there_is_404(four: LiveCup) -> None:
    assert_problem(four.live.anyone.get(f"{four.path}/stages/1"), 404, "no_such_stage")
    added(four)
    assert_problem(four.live.anyone.get(f"{four.path}/stages/1/rounds/1"), 404, "no_such_round")
    assert_problem(four.live.anyone.get(f"{four.path}/stages/1/bracket"), 404, "no_bracket")


def test_a_match_that_cannot_be_created_keeps_no_other_waiting(live: Live) -> None:
    """Ann has the garnets that her match takes, and the others have none."""
    rich = cup(live, players=NAMES, moderators=["Mo"], garnets={"Ann": 1})
    poor = {"game": "together", "options": {"garnets": [1, 0, 0, 0]}}
    made = rich.post("stages", {"name": "T", "format": "by_hand", "seats": 4, "match": poor})
    assert made.status_code == 201, made.text
    by_hand: Json = {"pairings": [[1, 0, 2, 3]], "reason": "Ben has none."}
    assert publish(rich, **by_hand).status_code == 201
    assert rich.post("stages", SWISS | {"match": CHIPS}).status_code == 201
    assert publish(rich, 2).status_code == 201
    wait_until(lambda: {one["status"] for one in shown_round(rich, 2)["pairings"]} == {"running"})
    one = shown_round(rich, 1)
    assert (one["created"], one["pairings"][0]["refused"]) == (0, None)
    path = f"{rich.path}/stages/1/rounds/1"
    assert rich.player(0).get(path).json()["pairings"][0]["refused"] is None
    (pairing,) = live.organiser.get(path).json()["pairings"]
    assert pairing["refused"] == "not_enough_garnets"
    assert rich.post("garnets", {"player": 1, "amount": 1, "reason": "a gift"}).status_code == 201
    wait_until(lambda: shown_round(rich, 1)["created"] == 1)


def test_all_moderators_moderate_every_match_of_a_stage_but_their_own(live: Live) -> None:
    """They see what is hidden, on record, save in a match in which they play."""
    four = cup(live, players=NAMES, moderators=["Mo", "Ann"])
    added(four)
    assert publish(four).status_code == 201
    wait_until(lambda: {one["status"] for one in shown_round(four, 1)["pairings"]} == {"running"})
    for pairing in shown_round(four, 1)["pairings"]:
        (match,) = pairing["matches"]
        for number, name in enumerate(("Mo", "Ann")):
            reader = Player(four.moderator(number), match)
            moderates = name == "Mo" or 0 not in pairing["players"]
            view = reader.view().json()
            assert view["audience"] == ("moderator" if moderates else "public")
            assert ("hands" in view["view"]) == moderates
            looked = reads(Player(four.moderator(), match))
            own = [one for one in looked if (one["person"], one["as"]) == (name, "moderator")]
            assert [one["hidden"] for one in own] == [True] * moderates


def test_rounds_go_on_by_themselves(live: Live) -> None:
    """Players start their matches, and what follows a round is published with its lots."""
    two = cup(live, players=["Ann", "Ben", "Cy"], moderators=["Mo"])
    added(two, seats=3, rounds=2, round={"start": "ready", "next": 0}, seeding="entry")
    two.post("stages/1/lots", {})
    assert publish(two).status_code == 201
    wait_until(lambda: shown_round(two, 1)["created"] == 1)
    (match,) = shown_round(two, 1)["pairings"][0]["matches"]
    for seat, player in enumerate(shown_round(two, 1)["pairings"][0]["players"]):
        said = two.player(player).post(f"/v1/matches/{match}/ready")
        assert (said.status_code, len(said.json()["ready"])) == (201, seat + 1)
    played(two, 1)
    wait_until(lambda: "pairings" in shown_round(two, 1, 2))
    assert (shown_round(two, 1, 2)["by_hand"], shown_round(two, 1, 2)["method"]) == (None, "tables")
    other = two.match().id
    assert_problem(two.player(0).post(f"/v1/matches/{other}/ready"), 409, "not_started_by_players")
