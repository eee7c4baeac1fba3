"""Killed with kill -9 around a draw, a start, a creation and the end of a match: whenever it died,
the request has the same effect as without a kill.

Copies of one folder are served, the same requests are sent to each, and the process dies: after
delays spread over the time that they take, and exactly before, within and after the transaction
that matters. Then it is started again, and the requests are repeated. Everything is compared; only
times may differ.
"""

import sys
from base64 import b64decode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain.chance import seeds
from domain.encoding import decode
from domain.events import Event
from domain.match.events import DrawSettled, MatchCreated, NameSalted, SealedDrawSettled, SeatNamed
from domain.proof.checkpoints import parsed as parsed_checkpoint
from domain.proof.commitments import blind, commitment
from domain.proof.notes import read
from domain.proof.receipts import ReceiptText, parsed
from projections.evidence.case import LOG, RECEIPTS, VerifierInputs, signed_for
from projections.evidence.verify import verify
from service.event_store.secret_store import LogKeyStored, SeedStored
from tests.support.effort import new_chance, times
from tests.support.faults.crash_runs import (
    FIRST,
    Life,
    Moment,
    afterwards,
    lived,
    moments,
    undisturbed,
)
from tests.support.faults.prepared_matches import Answer, Disk, World, copied, disk, prepared
from tests.support.faults.server_process import Process
from tests.support.servers.live_server import Json

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

NAMES = ("Ann", "Ben")
AT_ONCE = 2
"""Number of copies served at the same time."""

FALLS = ("steal", "deal", "start")
"""The requests that lead to a draw."""

ACTIONS = ("steal", "deal", "end")


class Lives(NamedTuple):
    """The folder as it was, and the results of the requests without a kill and with one."""

    world: World
    before: Disk
    reference: Life
    killed: list[Life]


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Lives:
    folder = tmp_path_factory.mktemp("draws")
    world = prepared(folder / "world")
    reference, span = undisturbed(world, folder / "reference")
    chosen = moments(new_chance(), times("deaths around a draw"))

    def killed(number: int) -> Life:
        moment = chosen[number]
        try:
            return lived(world, copied(world, folder / str(number)), moment, span)
        except BaseException as error:
            error.add_note(f"copy {number}: {moment}")
            raise

    with ThreadPoolExecutor(AT_ONCE) as copies:
        all_killed = list(copies.map(killed, range(len(chosen))))
    found = Lives(world, disk(world.folder), reference, all_killed)
    print(counted(found))  # noqa: T201  shown if it fails
    return found


def counted(lives: Lives) -> Counter[str]:
    """In how many copies what was on disk at the death, and whether its sender had received an
    answer."""
    found = Counter[str]()
    for life in lives.killed:
        for name in ACTIONS:
            there = has_happened(lives, life, name)
            answered = " and answered" if name in life.first else ""
            found[f"{name} {'on disk' if there else 'not on disk'}{answered}"] += 1
    return found


def has_happened(lives: Lives, life: Life, name: str) -> bool:
    """Whether the request had had its effect when the process died."""
    match = lives.world.tables[name].id
    return life.left.events(match) != lives.before.events(match)


# Invariants.


def drawn(disk: Disk, match: str) -> list[Event]:
    """Every draw of a match: its id, its outcome, and the commitment to its key."""
    return [e for e in disk.events(match) if isinstance(e, DrawSettled | SealedDrawSettled)]


def check_drawn(world: World, reference: Life, life: Life) -> None:
    for name in FALLS:
        match = world.tables[name].id
        assert drawn(life.after, match) == drawn(reference.after, match), (name, life.moment)


def test_draws_come_out_as_without_a_kill(lives: Lives) -> None:
    for name in FALLS:
        match = lives.world.tables[name].id
        assert len(drawn(lives.reference.after, match)) > len(drawn(lives.before, match))
    for life in lives.killed:
        check_drawn(lives.world, lives.reference, life)


def test_the_whole_record_is_the_same_except_for_times(lives: Lives) -> None:
    for name, table in lives.world.tables.items():
        expected = lives.reference.after.events(table.id)
        for life in lives.killed:
            assert life.after.events(table.id) == expected, (name, life.moment)


def test_a_killed_process_leaves_all_of_a_request_or_nothing(lives: Lives) -> None:
    for name, table in lives.world.tables.items():
        whole, nothing = lives.reference.after.events(table.id), lives.before.events(table.id)
        for life in lives.killed:
            assert life.left.events(table.id) in (nothing, whole), (name, life.moment)
            if name in life.first:
                assert life.left.events(table.id) == whole, (name, life.moment)
            for earlier, later in ((lives.before, life.left), (life.left, life.after)):
                records = earlier.records[table.id]
                assert later.records[table.id][: len(records)] == records, (name, life.moment)


def test_a_draw_is_made_by_its_commit(lives: Lives) -> None:
    """Killed with everything written, the draw has not been made; killed right after the commit, it
    has."""
    left = {life.moment: has_happened(lives, life, "steal") for life in lives.killed}
    assert [left[moment] for moment in FIRST] == [False, True]


def test_every_audience_sees_the_same(lives: Lives) -> None:
    for life in lives.killed:
        for name, expected in lives.reference.seen.items():
            assert life.seen[name] == expected, (name, life.moment)


# Receipts.


def said(note: str) -> ReceiptText:
    """A receipt without the times, and without what is hashed of events with their times."""
    receipt = parsed(read(note).text)
    binding = replace(receipt.binding, commitment=b"", seen=b"")
    return replace(receipt, received="", recorded="", binding=binding)


def timeless(answer: Answer) -> Json:
    """An answer without its times."""
    body = answer.json
    note = body["receipt"]["note"]
    shown = None if note is None else said(note)
    return {**body, "receipt": {**body["receipt"], "at": None, "note": shown}}


def test_repeats_are_answered_as_without_a_kill(lives: Lives) -> None:
    for life in lives.killed:
        for name in ACTIONS:
            again = life.repeated[name]
            assert again.status == (200 if has_happened(lives, life, name) else 201), life.moment
            assert timeless(again) == timeless(lives.reference.first[name]), (name, life.moment)
            if name in life.first:
                assert life.first[name] == replace(again, status=201), (name, life.moment)
        begun = life.repeated["start"]
        assert begun.status == (409 if has_happened(lives, life, "start") else 201), life.moment
        if begun.status == 201:
            assert timeless(begun) == timeless(lives.reference.first["start"]), life.moment


def test_receipts_are_the_same_except_for_times(lives: Lives) -> None:
    for life in lives.killed:
        for name in ACTIONS:
            given = life.receipts[name]
            expected = lives.reference.receipts[name]
            assert [said(one["note"]) for one in given] == [
                said(one["note"]) for one in expected
            ], (name, life.moment)
            again = life.repeated[name].json["receipt"]["note"]
            assert again in [one["note"] for one in given], (name, life.moment)
            for one in given:
                check_opened(life, lives.world.tables[name].id, one)


def check_opened(life: Life, match: str, given: Json) -> None:
    """The receipt is signed, and commits to what is on disk."""
    note = read(given["note"])
    stored = b64decode(given["event"])
    assert signed_for(RECEIPTS, life.keys, note)
    assert parsed(note.text).binding.commitment == commitment(b64decode(given["salt"]), stored)
    assert decode(stored) in life.after.records[match]


# Creations.


_secret = msgspec.msgpack.Decoder(SeedStored | LogKeyStored)


def test_a_creation_has_one_seed_whenever_it_was_interrupted(lives: Lives) -> None:
    for life in (lives.reference, *lives.killed):
        (match,) = {one for one in life.after.records if UUID(one).version == 7} - set(
            lives.before.records
        )
        assert {a.json["id"] for a in (life.repeated["make"], *made(life))} == {match}
        created, *later = life.after.events(match)
        kept, kept_key = map(_secret.decode, life.after.secrets[match])
        assert isinstance(created, MatchCreated) and isinstance(kept, SeedStored)
        committed = seeds.committed(match, 0, created, kept.seed, kept.salts, NAMES)
        salts = [NameSalted(seat, salt) for seat, salt in enumerate(kept.salts)]
        assert isinstance(kept_key, LogKeyStored)
        named = [
            SeatNamed(seat, name, blind(kept_key.key, 2 + len(salts) + seat))
            for seat, name in enumerate(NAMES)
        ]
        assert later == [committed, *salts, *named], life.moment
        assert set(life.after.secrets) == {*lives.before.secrets, match}, life.moment
        assert life.left.secrets.items() <= life.after.secrets.items(), life.moment


def made(life: Life) -> list[Answer]:
    return [life.first["make"]] if "make" in life.first else []


# The end.


def test_the_whole_log_is_signed_once(lives: Lives) -> None:
    match = lives.world.tables["end"].id
    for life in (lives.reference, *lives.killed):
        signed = life.after.signed(match)
        assert [one.over for one in signed] == [False, True], life.moment
        assert signed[-1].size == len(life.after.events(match)), life.moment
        sizes = [one.size for one in signed]
        assert sizes == sorted(set(sizes)), life.moment
        assert life.left.signed(match) == signed[: len(life.left.signed(match))], life.moment


def test_there_are_no_two_roots_for_one_size(lives: Lives) -> None:
    match = lives.world.tables["end"].id
    for life in (lives.reference, *lives.killed):
        recorded = {one.size: one.root for one in life.after.signed(match)}
        for note in map(read, (lives.world.checkpoint, *life.checkpoints)):
            assert signed_for(LOG, life.keys, note), life.moment
            checkpoint = parsed_checkpoint(note.text)
            assert recorded[checkpoint.size] == checkpoint.root, life.moment


def test_a_match_played_across_a_kill_proves_itself(lives: Lives) -> None:
    for life in (lives.reference, *lives.killed):
        answers = [life.repeated["end"], *([life.first["end"]] if "end" in life.first else [])]
        notes = [answer.json["receipt"]["note"] for answer in answers]
        saved = VerifierInputs(life.keys, [lives.world.checkpoint, *life.checkpoints], notes)
        report = verify(life.bundle, saved)
        assert (report.verdict, report.finding) == ("PASS", None), life.moment


# The check can fail.


def test_control_draws_that_are_made_anew_are_detected(lives: Lives, tmp_path: Path) -> None:
    folder = copied(lives.world, tmp_path / "anew")
    anew = (sys.executable, "-m", "tests.support.faults.serve_with_fault", "--draws-anew")
    process = Process(folder, under=anew)
    try:
        life = afterwards(lives.world, process, Moment(None), {}, disk(folder))
    finally:
        process.kill()
    with pytest.raises(AssertionError):
        check_drawn(lives.world, lives.reference, life)
