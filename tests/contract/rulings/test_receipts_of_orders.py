"""Receipts for what moderators and organisers order, and receipts after rewinds, over the wire."""

from pathlib import Path

from domain.proof.notes import read
from domain.proof.receipts import DIRECTOR, ReceiptText, parse
from projections.evidence.archive import SEEN, unpack
from projections.evidence.case import VerifierInputs, open_bundle
from tests.support.http.evidence_client import receipts
from tests.support.http.match_play import all_events, play_out
from tests.support.http.rewind_client import (
    awaiting_draw,
    flipped,
    numbers,
    resumed,
    rewound,
    steps,
)
from tests.support.http.ruling_client import rule, ruled, withdraw
from tests.support.servers.live_server import Json, Live, Player, serving

SEALED_NOTE: Json = {"to": "sealed", "text": "Be careful.", "severity": "warning"}


def said(note: str) -> ReceiptText:
    return parse(read(note).text)


# Behind rewinds.


def test_the_receipt_of_an_action_behind_a_rewind_is_the_same_when_it_is_repeated(
    tmp_path: Path,
) -> None:
    """Also after a restart, and in the list."""
    with serving(tmp_path) as live:
        match = live.started("dollar-prize")
        steps(match, 6)
        rewound(match, live, before=numbers(match, "match.awaiting-changed.1")[-2])
        resumed(match)
        turn = next(seat for seat in match.seats if seat.menu().json()["actions"])
        action = turn.menu().json()["actions"][0]["examples"][0]
        first = turn.act(action, {"Idempotency-Key": "once"}).json()["receipt"]
        again = turn.act(action, {"Idempotency-Key": "once"}).json()["receipt"]
        listed = receipts(turn)["receipts"][-1]
        number, moderator_key = match.seats.index(turn), match.moderator_key
        seats = tuple(seat.client.key or "" for seat in match.seats)
    assert first == again and listed["note"] == first["note"]
    with serving(tmp_path) as live:
        match = live.match(match.id, seats, moderator_key)
        seat = match.seats[number]
        assert seat.act(action, {"Idempotency-Key": "once"}).json()["receipt"] == first
        assert receipts(seat)["receipts"][-1] == listed


# What was ordered.


def test_what_is_ordered_has_a_receipt_in_its_answer_and_in_the_list(live: Live) -> None:
    """A start, a draw by hand, one that was refused, rulings, and a proposal given up."""
    match = live.create("dollar-prize", chance="manual")
    moderator = match.moderator
    notes = [moderator.start().json()["receipt"]["note"]]
    draw = awaiting_draw(match)
    refused = moderator.draw(draw["id"], ["heads"])
    notes.append(refused.json()["receipt"]["note"])
    notes.append(moderator.draw(draw["id"], flipped(draw, "heads")).json()["receipt"]["note"])
    notes.append(rule(moderator, "note", **SEALED_NOTE).json()["note"])
    pending = ruled(moderator, "void")
    notes.append(pending["note"])
    assert pending["status"] == "pending"
    assert withdraw(moderator, pending["ruling"]).status_code == 204
    listed = receipts(moderator)["receipts"]
    assert [one["note"] for one in listed[:-1]] == notes
    assert {(one["salt"], one["event"]) for one in listed} == {(None, None)}
    texts = [said(one["note"]) for one in listed]
    assert {one.seat for one in texts} == {DIRECTOR}
    assert [one.status for one in texts][:3] == [
        "accepted",
        f"refused {refused.json()['code']}",
        "accepted",
    ]
    assert [one.ruling for one in texts[-2:]] == [pending["ruling"]] * 2
    assert texts[0].ruling is None and texts[3].ruling not in (None, pending["ruling"])


def test_an_organiser_finds_only_what_they_ordered_themselves(live: Live) -> None:
    """Nothing in it counts what is hidden: neither numbers, nor pages, nor how many there are."""
    match = live.create("dollar-prize")
    start = match.organiser.start().json()["receipt"]
    before = receipts(match.organiser)
    assert [one["note"] for one in before["receipts"]] == [start["note"]]
    public = len(all_events(match.anyone))
    for _ in range(3):
        assert rule(match.moderator, "note", **SEALED_NOTE).status_code == 201
    assert receipts(match.organiser) == before
    paused = rule(match.organiser, "pause").json()
    assert said(paused["note"]).count == public + 1
    one = receipts(match.organiser, limit=1)
    assert one["next"] == 1
    rest = receipts(match.organiser, limit=1, after=1)
    assert [r["note"] for r in rest["receipts"]] == [paused["note"]] and rest["next"] is None


def test_receipts_of_orders_are_in_the_bundle_of_moderators_alone(live: Live) -> None:
    match = live.started("dollar-prize")
    rule(match.moderator, "note", **SEALED_NOTE)
    play_out(match)
    own = {one["note"] for one in receipts(match.moderator)["receipts"]}
    for player in (match.moderator, *match.seats, match.anyone):
        bundle = player.client.get(f"{player.path}/bundle").content
        inside = {one.text for one in open_bundle(bundle, VerifierInputs(())).receipts}
        of_orders = {read(note).text for note in own} & inside
        assert bool(of_orders) == (player is match.moderator)


def test_the_key_of_what_was_seen_is_in_no_bundle_of_a_running_match(live: Live) -> None:
    """Also while a result is provisional."""
    match = live.started("dollar-prize", protest_hours=1)

    def parts(player: Player) -> set[str]:
        return set(unpack(player.client.get(f"{player.path}/bundle").content))

    assert SEEN not in parts(match.moderator)
    play_out(match)
    assert SEEN not in parts(match.moderator)
    assert rule(match.organiser, "confirm").status_code == 201
    assert all(SEEN in parts(one) for one in (match.moderator, *match.seats, match.anyone))
