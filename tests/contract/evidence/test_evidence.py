"""Receipts, checkpoints, bundles and keys over the wire."""

import pytest

from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.notes import read
from domain.proof.receipts import parse
from projections.evidence.case import LOG, RECEIPTS, VerifierInputs, signed_for
from projections.evidence.verify import Report, verify
from tests.support.http.evidence_client import keys, receipts
from tests.support.http.match_play import all_events, assert_problem, play_out
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player

SIDE = {"type": "choose_side", "side": "heads"}


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return live.started("dollar-prize")


@pytest.fixture
def over(live: Live) -> LiveMatch:
    ended = live.started("dollar-prize")
    play_out(ended)
    return ended


def bundle(player: Player, as_: str | None = None) -> Answer:
    return player.client.get(f"{player.path}/bundle", as_=as_)


def checked(live: Live, player: Player, as_: str | None = None) -> Report:
    answer = bundle(player, as_)
    assert answer.status_code == 200, answer.text
    return verify(answer.content, VerifierInputs(keys(live)))


def act(match: LiveMatch, seat: int, action: Json, **headers: str) -> Json:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    receipt: Json = match.seats[seat].act(action, named).json()["receipt"]
    return receipt


# Receipts.


def test_an_action_has_a_signed_receipt(live: Live, match: LiveMatch) -> None:
    receipt = act(match, 0, SIDE, Idempotency_Key="k-1")
    note = read(receipt["note"])
    assert signed_for(RECEIPTS, keys(live), note)
    said = parse(note.text)
    assert (said.subject.id, said.seat, said.count) == (match.id, 0, receipt["seq"])
    assert (said.received, said.recorded) == (receipt["at"], receipt["at"])
    assert (said.status, said.key) == ("accepted", "k-1")


def test_a_seat_can_read_all_of_its_receipts_again_page_by_page(match: LiveMatch) -> None:
    notes = [act(match, seat, SIDE)["note"] for seat in (0, 0, 1, 0)]
    own = [notes[n] for n in (0, 1, 3)]
    assert [one["note"] for one in receipts(match.seats[0])["receipts"]] == own
    page = receipts(match.seats[0], limit=2)
    assert [one["note"] for one in page["receipts"]] == own[:2]
    rest = receipts(match.seats[0], after=page["next"])
    assert [one["note"] for one in rest["receipts"]] == own[2:] and rest["next"] is None


def test_under_a_closed_record_a_receipts_opening_is_never_given(live: Live) -> None:
    closed = live.started("dollar-prize", record="closed")
    assert act(closed, 0, SIDE)["salt"] is None
    play_out(closed)
    listed = receipts(closed.seats[0])["receipts"]
    assert listed and {one["salt"] for one in listed} == {one["event"] for one in listed} == {None}


# Checkpoints.


def test_a_moderator_gets_the_running_log_signed(live: Live, match: LiveMatch) -> None:
    answer = match.moderator.client.post(f"{match.moderator.path}/checkpoints")
    assert answer.status_code == 201
    note = read(answer.json()["note"])
    assert signed_for(LOG, keys(live), note)
    checkpoint_ = parse_checkpoint(note.text)
    assert (checkpoint_.log, checkpoint_.size) == (match.id, answer.json()["size"])
    assert checkpoint_.size == len(all_events(match.moderator))


# Bundles.


def test_a_finished_match_proves_itself(live: Live, over: LiveMatch) -> None:
    assert checked(live, over.anyone, "moderator").verdict == "PASS"
    assert checked(live, over.seats[0]).audience == "seat:0"
    for as_ in ("public", "seat:1"):
        report = checked(live, over.anyone, as_)
        assert (report.verdict, report.audience) == ("SEALED", as_)


def test_a_moderator_gets_the_bundle_of_a_running_match(live: Live, match: LiveMatch) -> None:
    act(match, 0, SIDE)
    report = checked(live, match.moderator)
    assert (report.verdict, report.sealed) == ("SEALED", 0)
    assert {c.claim: c.status for c in report.claims}["rules"] == "PASS"


def test_under_a_closed_record_only_moderators_open_it(live: Live) -> None:
    closed = live.started("dollar-prize", record="closed")
    play_out(closed)
    assert_problem(bundle(closed.anyone, "moderator"), 403, "not_allowed")
    assert_problem(bundle(closed.seats[0], "seat:1"), 403, "not_allowed")
    assert checked(live, closed.moderator).verdict == "PASS"
    own = checked(live, closed.seats[0])
    public = checked(live, closed.anyone)
    assert own.sealed == public.sealed and own.sealed
    # That they were told nothing else cannot be shown without opening it.
    assert {c.claim: c.status for c in own.claims}["receipts"] == "SEALED"


def test_in_a_game_of_bluff_a_repeat_after_the_end_reveals_no_more_than_the_first(
    live: Live,
) -> None:
    bluff = live.started("grouping-bw", options={"chips": [1, 1]})
    first = act(bluff, 0, {"type": "fold"}, Idempotency_Key="once")
    assert first["note"] and first["salt"] is None
    withheld = [(one["salt"], one["event"]) for one in receipts(bluff.seats[0])["receipts"]]
    assert withheld == [(None, None)]
    while bluff.anyone.view().json()["status"] == "running":
        for seat in bluff.seats:
            for entry in seat.menu().json()["actions"]:
                seat.act(entry["examples"][-1])
    assert act(bluff, 0, {"type": "fold"}, Idempotency_Key="once") == first
    assert receipts(bluff.seats[0], limit=1)["receipts"][0]["salt"] is not None
