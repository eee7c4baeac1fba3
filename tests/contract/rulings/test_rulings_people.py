"""Rulings that need two people: proposed, seconded, withdrawn, consented to, listed."""

from typing import Any

import pytest

from tests.support.http.match_play import assert_problem, status
from tests.support.http.ruling_client import (
    EVEN,
    consent,
    listed,
    previewed,
    rule,
    ruled,
    second,
    seconded,
)
from tests.support.servers.live_server import Json, Live, LiveMatch

RESULT: Json = {"result": EVEN, "because": "adjudicated"}
TWO: dict[str, Json] = {"void": {}, "result": RESULT}
"""The kinds that need two people, with their fields."""


@pytest.fixture
def match(live: Live) -> LiveMatch:
    match = live.started("dollar-prize")
    match.seats[0].act({"type": "choose_side", "side": "heads"})
    return match


@pytest.mark.parametrize("kind", TWO)
def test_it_waits_for_a_second_person_who_carries_it_out(match: LiveMatch, kind: str) -> None:
    pending = ruled(match.moderator, kind, **TWO[kind])
    assert (pending["status"], pending["n"], status(match)) == ("pending", None, "running")
    carried_out = seconded(match.judge, pending["ruling"])
    assert carried_out.status_code == 201
    answer = carried_out.json()
    assert answer["note"] != pending["note"], "each has a receipt of their own"
    assert answer == pending | {"status": "carried_out", "n": 1, "note": answer["note"]}
    assert status(match) == {"void": "void", "result": "ended"}[kind]


def test_the_second_takes_a_preview_of_its_own(match: LiveMatch) -> None:
    seen = previewed(match.moderator, "void")
    ruling = rule(match.moderator, "void", seen).json()["ruling"]
    assert_problem(second(match.judge, ruling), 428, "preview_needed")
    assert_problem(second(match.judge, ruling, seen), 412, "stale")
    assert seconded(match.judge, ruling).status_code == 201


def test_how_many_people_it_takes_is_public_from_the_start(live: Live) -> None:
    for sent, shown in (
        ({}, "two"),
        ({"rulings": "two"}, "two"),
        ({"rulings": "single"}, "single"),
    ):
        match = live.create("dollar-prize", **sent)
        (row,) = [one for one in rows(live) if one["id"] == match.id]
        assert row["rulings"] == shown


def rows(live: Live) -> list[Json]:
    listed: list[Json] = live.anyone.get("/v1/matches").json()["matches"]
    return listed


# Who sees what.


def kinds(rulings: list[Json]) -> list[tuple[Any, Any]]:
    return [(one["kind"], one["status"]) for one in rulings]


def test_pending_rulings_are_listed_for_moderators_and_organisers_alone(match: LiveMatch) -> None:
    ruled(match.moderator, "void")
    for player in (match.moderator, match.organiser):
        assert kinds(listed(player)) == [("void", "pending")]
    for player in (*match.seats, match.anyone):
        assert listed(player) == []


def test_a_ruling_carried_out_is_listed_once_for_everybody(match: LiveMatch) -> None:
    pending = ruled(match.moderator, "void", ask_seats=True)
    seconded(match.judge, pending["ruling"])
    for player in (*match.audiences().values(), match.organiser):
        (shown,) = listed(player)
        assert (shown["n"], shown["status"]) == (1, "carried_out")
        assert [effect["type"] for effect in shown["effects"]] == ["match.voided.1"]
    assert listed(match.seats[0])[0]["ruling"] == pending["ruling"]
    assert listed(match.moderator)[0]["by"] == [None, "Judge Judy"]


@pytest.mark.parametrize(
    ("to", "readers"),
    [
        ("public", {"public", "moderator", "seat:0", "seat:1", "organiser"}),
        ("seat:1", {"moderator", "seat:1"}),
        ("sealed", {"moderator"}),
    ],
)
def test_a_note_is_listed_for_its_audience(match: LiveMatch, to: str, readers: set[str]) -> None:
    note: Json = {"to": to, "text": "Speak up.", "severity": "warning"}
    assert rule(match.moderator, "note", **note).json()["n"] == (1 if to == "public" else None)
    everybody = match.audiences() | {"organiser": match.organiser}
    shown = {name: listed(player) for name, player in everybody.items()}
    assert {name for name, rulings in shown.items() if rulings} == readers
    (seen,) = shown["moderator"]
    assert (seen["to"], seen["effects"][0]["data"]["text"]) == (to, "Speak up.")


# Consent, repeated.


def test_its_repeat_does_not_tell_what_others_have_done_since(match: LiveMatch) -> None:
    asked = ruled(match.moderator, "void", ask_seats=True)["ruling"]
    first = consent(match.seats[0], asked, "one")
    last = consent(match.seats[1], asked, "two")
    assert (first.json()["status"], last.json()["status"]) == ("pending", "carried_out")
    for seat, answer, key in ((0, first, "one"), (1, last, "two")):
        again = consent(match.seats[seat], asked, key)
        assert (again.status_code, again.json()) == (200, answer.json())
