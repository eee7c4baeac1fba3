"""Rewinds into sealed phases over HTTP, and what is struck and admitted there (rulings, section
4)."""

from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.rewind_client import moderators, numbers, resumed, rewound
from tests.support.http.ruling_client import rule, ruled, seconded
from tests.support.http.sealed_play import (
    accepted_body,
    camp,
    close,
    invalid,
    submit,
)
from tests.support.servers.live_server import Json, Live, LiveMatch


def told(match: LiveMatch, name: str) -> list[Json]:
    return all_events(match.audiences()[name])


def test_a_late_submission_that_is_admitted_counts(live: Live) -> None:
    """Must show 13."""
    match = camp(live)
    accepted_body(submit(match, 0, a=[0]))
    close(match)
    late = submit(match, 1, a=[0], round=1)
    invalid(late, "late")
    receipt = late.json()["receipt"]
    actions = numbers(match, "match.action-received.1")
    before = numbers(match, "match.phase-closed.1")[-1]
    rewound(match, live, before=before, changes=[{"admit": actions[-1]}])
    admitted = [e for e in told(match, "seat:1") if e["type"] == "match.admitted.1"]
    own = [e["seq"] for e in told(match, "seat:1") if e["type"] == "match.action-received.1"]
    assert [event["data"]["of"] for event in admitted] == [own[-1]]
    assert not [e for e in told(match, "seat:0") if e["type"] == "match.admitted.1"]
    resumed(match)
    close(match)
    counted = [e for e in told(match, "moderator") if e["type"] == "together.round-counted.1"]
    assert [event["data"]["a"][0] for event in counted] == [1, 2]
    again = match.seats[1].client.get(f"{match.seats[1].path}/receipts").json()
    assert receipt["at"] in str(again)


def test_a_submission_struck_in_the_open_phase_is_told_to_its_seat_alone(live: Live) -> None:
    """Nothing public is recorded, `ruled` included; the submission before it stands again."""
    match = camp(live)
    accepted_body(submit(match, 0, a=[0]))
    accepted_body(submit(match, 0, a=[1]))
    struck = numbers(match, "match.action-received.1")[-1]
    others = {name: told(match, name) for name in ("public", "seat:1")}
    own = len(told(match, "seat:0"))
    first, other = moderators(match, live)
    ruling = ruled(first, "rewind", changes=[{"strike": struck}])
    assert ruling["status"] == "pending"
    assert seconded(other, ruling["ruling"]).json()["n"] is None
    assert {name: told(match, name) for name in others} | {} == others
    kinds = [event["type"] for event in told(match, "seat:0")[own:]]
    assert kinds == ["match.seat-ruled.1", "match.struck.1"]
    before = match.seats[0].view(at=own - 2).json()["view"]
    assert match.seats[0].view().json()["view"] == before
    close(match)
    (counted,) = [e for e in told(match, "moderator") if e["type"] == "together.round-counted.1"]
    assert counted["data"]["a"][:2] == [1, 0]


def test_only_the_open_phase_can_be_changed_without_undoing_anything(live: Live) -> None:
    match = camp(live)
    accepted_body(submit(match, 0, a=[0]))
    early = numbers(match, "match.action-received.1")[-1]
    close(match)
    answer = rule(match.moderator, "rewind", changes=[{"strike": early}], preview=True)
    assert_problem(answer, 422, "not_live")
    asked: Json = {"changes": [{"strike": early}], "ask_seats": True, "preview": True}
    assert_problem(rule(match.moderator, "rewind", **asked), 422, "not_public")
