"""Rulings for which a seat asks: previewed, consented to, seconded, withdrawn, listed."""

from typing import Any

import pytest

from tests.support.http.match_play import all_events, assert_problem, status
from tests.support.http.ruling_client import (
    EVEN,
    WHY,
    consent,
    listed,
    previewed,
    rule,
    ruled,
    second,
    seconded,
    withdraw,
)
from tests.support.servers.live_server import Json, Live, LiveMatch

RESULT: Json = {"result": EVEN, "because": "adjudicated"}
SHOWN = {"kind": "result", "status": "pending", "reason": WHY, "rule": "4.2", **RESULT, "asker": 0}


@pytest.fixture
def match(live: Live) -> LiveMatch:
    match = live.started("dollar-prize")
    match.seats[0].act({"type": "choose_side", "side": "heads"})
    return match


def test_all_other_seats_consent_and_then_a_moderator_seconds_it(match: LiveMatch) -> None:
    ann, ben = match.seats
    asked = ruled(ann, "result", **RESULT)
    assert (asked["status"], asked["n"], asked["note"]) == ("pending", None, None)
    assert_problem(second(match.judge, asked["ruling"], preview=True), 409, "consent_missing")
    assert_problem(consent(ann, asked["ruling"]), 409, "already_consented")
    answer = consent(ben, asked["ruling"])
    assert (answer.status_code, answer.json()["status"]) == (201, "pending")
    assert seconded(match.judge, asked["ruling"]).json()["status"] == "carried_out"
    assert status(match) == "ended"


def test_a_pause_needs_no_preview(match: LiveMatch) -> None:
    asked = rule(match.seats[0], "pause", ask_seats=True)
    assert (asked.status_code, status(match)) == (202, "running")
    consent(match.seats[1], asked.json()["ruling"])
    seconded(match.judge, asked.json()["ruling"])
    assert status(match) == "paused"


def test_a_seats_preview_is_stale_after_what_it_sees_and_after_nothing_else(
    match: LiveMatch,
) -> None:
    ann = match.seats[0]
    assert_problem(rule(ann, "void"), 428, "preview_needed")
    seen = previewed(ann, "void")
    note: Json = {"to": "sealed", "text": "-", "severity": "warning"}
    assert rule(match.moderator, "note", **note).status_code == 201
    pending = rule(ann, "void", seen)
    assert pending.status_code == 202
    withdraw(ann, pending.json()["ruling"])
    assert_problem(rule(ann, "void", seen), 412, "stale")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("extend", {"seconds": 60}),
        ("note", {"to": "public", "text": "-", "severity": "warning"}),
        ("confirm", {}),
        ("replace_seat", {"seat": 1, "name": "Zoe"}),
        ("rewind", {"before_public": 3}),
        ("pause", {"appeals": "x"}),
        ("pause", {"case": "x"}),
    ],
)
def test_a_seat_asks_for_nothing_else(match: LiveMatch, kind: str, fields: dict[str, Any]) -> None:
    before = all_events(match.moderator)
    answer = rule(match.seats[0], kind, preview=True, **fields)
    assert_problem(answer, 403, "not_allowed")
    assert all_events(match.moderator) == before


def test_what_has_lost_its_race_is_shown_so_and_goes(match: LiveMatch) -> None:
    ann, ben = match.seats
    asked = ruled(ann, "pause", ask_seats=True)["ruling"]
    assert rule(match.moderator, "pause").status_code == 201
    assert_problem(consent(ben, asked), 409, "not_pending")
    for seat in (ann, ben):
        by_seat, by_moderator = listed(seat)
        assert (by_seat["ruling"], by_seat["status"], by_seat["n"]) == (asked, "closed", None)
        assert (by_moderator["status"], by_moderator["n"]) == ("carried_out", 1)
    assert [one["status"] for one in listed(match.moderator)] == ["lapsed", "carried_out"]
    assert rule(ann, "resume").status_code == 202


def test_the_seats_see_what_they_consent_to_and_who_asks(match: LiveMatch) -> None:
    asked = ruled(match.seats[0], "result", rule="4.2", **RESULT)
    for seat in match.seats:
        (shown,) = listed(seat)
        assert shown.items() >= (SHOWN | {"ruling": asked["ruling"]}).items()
        assert shown.keys().isdisjoint({"by", "consents", "lapses", "ordered"})
    assert listed(match.anyone) == []
    (shown,) = listed(match.moderator)
    assert (shown["asker"], shown["by"], shown["consents"]) == (0, [None], [])
    consent(match.seats[1], asked["ruling"])
    assert listed(match.moderator)[0]["consents"] == [1]
    assert all("consents" not in listed(seat)[0] for seat in match.seats)
