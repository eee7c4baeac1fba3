"""Organisers and moderators at work with the Python client."""

from collections.abc import Iterator

import pytest
from msgspec import UNSET

from arbiter_client import Arbiter, BadRequest, Match, NotFound, ProblemError, Result, Stale
from tests.clients.python.client_matches import arbiter, bot_of, played, started
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live

GAME = "dollar-prize"
WHY = "The judges have decided."
PAUSE = {"kind": "pause", "reason": WHY}
DRAWN = {"winners": [0, 1], "losers": [], "shared": True, "scores": [0, 0]}
EVEN = {"kind": "result", "result": DRAWN, "because": "adjudicated", "reason": WHY}


@pytest.fixture
def organiser(live: Live) -> Iterator[Arbiter]:
    with arbiter(live.url, ORGANISER_KEY) as opened:
        yield opened


def moderated(organiser: Arbiter) -> Match:
    """A match that has begun, as its moderator."""
    made = organiser.create_match(GAME, ["Ann", "Ben"])
    match = organiser.match(made.id, made.moderator_key)
    match.start()
    return match


def other_moderator(organiser: Arbiter, match: Match) -> Match:
    return organiser.match(match.id, organiser.match(match.id).new_key("moderator", "Eve").key)


def test_a_ruling_is_previewed_and_made_and_listed(organiser: Arbiter) -> None:
    match = moderated(organiser)
    preview = match.preview(PAUSE)
    assert preview.tag and preview.before == preview.after
    ruled = match.rule(PAUSE, if_match=preview, key="once")
    assert (ruled.status, ruled.n, ruled.key) == ("carried_out", 1, UNSET)
    assert match.rule(PAUSE, if_match=preview, key="once") == ruled
    (row,) = match.rulings()
    assert (row.kind, row.reason, row.ruling) == ("pause", WHY, ruled.ruling)


def test_a_ruling_on_an_old_preview_is_stale(organiser: Arbiter) -> None:
    match = moderated(organiser)
    preview = match.preview(EVEN)
    match.rule(PAUSE)
    with pytest.raises(Stale):
        match.rule(EVEN, if_match=preview)


def test_a_second_person_carries_out_what_needs_two(organiser: Arbiter) -> None:
    match = moderated(organiser)
    preview = match.preview(EVEN)
    assert preview.after.result == Result((0, 1), (), shared=True, scores=(0, 0))
    pending = match.rule(EVEN, if_match=preview)
    assert pending.status == "pending"
    eve = other_moderator(organiser, match)
    done = eve.second(pending.ruling, if_match=eve.preview_second(pending.ruling))
    assert (done.ruling, done.status) == (pending.ruling, "carried_out")
    assert match.view().result == preview.after.result


def test_a_pending_ruling_is_withdrawn_or_consented_to(organiser: Arbiter) -> None:
    made = organiser.create_match(GAME, ["Ann", "Ben"])
    match = organiser.match(made.id, made.moderator_key)
    match.start()
    given_up = match.rule(EVEN, if_match=match.preview(EVEN))
    match.withdraw(given_up.ruling)
    asked = {**EVEN, "ask_seats": True}
    pending = match.rule(asked, if_match=match.preview(asked))
    for seat in made.seats:
        last = organiser.match(made.id, seat.key).consent(pending.ruling)
    assert last.status == "carried_out"
    assert [row.status for row in match.rulings()] == ["withdrawn", "carried_out"]


def test_a_seat_asks_the_others_consent_and_a_moderator_seconds(organiser: Arbiter) -> None:
    made = organiser.create_match(GAME, ["Ann", "Ben"])
    organiser.match(made.id, made.moderator_key).start()
    ann, ben = (organiser.match(made.id, seat.key) for seat in made.seats)
    asked = ann.ask(EVEN, key="once")
    (shown,) = ben.rulings()
    drawn = Result((0, 1), (), shared=True, scores=(0, 0))
    assert (asked.status, shown.ruling, shown.asker) == ("pending", asked.ruling, 0)
    assert shown.result == drawn
    assert ben.consent(asked.ruling).status == "pending"
    eve = other_moderator(organiser, ann)
    done = eve.second(asked.ruling, if_match=eve.preview_second(asked.ruling))
    assert done.status == "carried_out"


def test_a_case_is_opened_discussed_published_and_closed(organiser: Arbiter) -> None:
    match = moderated(organiser)
    case = match.open_case("A coin fell off the table.", about_public=1)
    match.say(case, "I saw it.")
    match.add_party(case, 1)
    organiser.match(match.id).publish_case(case)
    match.close_case(case, "It is tossed again.")
    (listed,) = match.cases()
    whole = match.case(case)
    assert (listed["case"], listed["status"], listed["parties"]) == (case, "closed", [1])
    assert len(whole["statements"]) == 2 and len(whole["closings"]) == 1


def test_keys_are_issued_listed_ended_and_renewed(live: Live, organiser: Arbiter) -> None:
    match = moderated(organiser)
    given = organiser.match(match.id).new_key("moderator", "Eve")
    assert "Eve" in [key["name"] for key in match.issued_keys()]
    match.end_key(given.id)
    assert "Eve" not in [key["name"] for key in match.issued_keys()]
    another = organiser.match(match.id).new_key("moderator", "Zoe").key
    with arbiter(live.url, another) as zoe:
        assert zoe.renew_key() != another
        assert zoe.match(match.id).view().audience == "moderator"


def test_a_match_is_read_with_its_causes_readers_and_proofs(live: Live) -> None:
    made = started(live, "liars-dice", {"dice": 1})
    played(live, made, "liars-dice", [bot_of(live, made, seat) for seat in range(len(made.seats))])
    with arbiter(live.url, made.moderator_key) as moderator:
        match = moderator.match(made.id)
        entries, events = list(match.timeline()), list(match.events())
        assert [entry["seq"] for entry in entries] == [event.seq for event in events]
        assert entries[0]["input"] and all(entry["what"] for entry in entries)
        assert list(match.events(after=events[-2].seq)) == events[-1:]
        assert {read["role"] for read in match.reads()} >= {"moderator", "seat"}
        assert len(match.bundle()) > len(match.bundle("public")) > 1_000
        assert match.checkpoint()["size"] >= len(events)
        assert match.notation().startswith("[Notation 1]")


def test_a_tournament_is_run(organiser: Arbiter) -> None:
    made = organiser.create_tournament("Spring Cup", ["Ann"], ["Eve"], {"Ann": 5})
    cup = organiser.tournament(made["id"])
    ben = cup.enter("Ben", 3)
    assert ben["player"] == 1 and ben["key"] and cup.appoint("Zoe")["moderator"] == 1
    case = cup.open_case("Ann is late.", about={"player": 0})
    cup.add_party(case, 1)
    assert [(one["case"], one["parties"]) for one in cup.cases()] == [(case, [1])]
    match = organiser.create_match(GAME, ["Ann", "Ben"], tournament=made["id"])
    cup.assign(match.id, 0)
    cup.post_garnets(1, 2, "A bonus.")
    shown = cup.view()
    assert [row["match"] for row in shown["matches"]] == [match.id]
    assert shown["matches"][0]["moderators"] == [0]
    assert {posting["amount"] for posting in cup.ledger()} == {5, 3, 2}
    assert made["id"] in [row["id"] for row in organiser.tournaments(name="Spring Cup")]
    organiser.match(match.id).rule(
        {"kind": "note", "to": "public", "text": "Hm.", "severity": "warning", "reason": WHY}
    )
    assert [(one.match, one.kind) for one in cup.rulings()] == [(match.id, "note")]
    assert not list(cup.rulings(matches="false")) and not list(cup.rulings(person="Zed"))
    assert [one["name"] for one in cup.keys(match=match.id, person="Ben")] == ["Ben"]
    assert {one["match"] for one in cup.reads()} >= {match.id}


def test_any_request_can_be_made(organiser: Arbiter) -> None:
    assert organiser.request("GET", "games", dict)["games"]
    match = moderated(organiser)
    options = organiser.request("GET", f"matches/{match.id}", dict)["options"]
    assert options == match.get("", dict)["options"]
    with pytest.raises(ProblemError) as refused:
        match.request("POST", "rulings", object, body={"kind": "dance", "reason": WHY})
    assert isinstance(refused.value, BadRequest)
    with pytest.raises(NotFound):
        organiser.request("DELETE", "webhooks/none", bytes)
