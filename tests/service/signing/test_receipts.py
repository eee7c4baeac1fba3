"""Receipts: the time of the record, and the same receipt for the same submission at any time."""

import asyncio
import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner

from domain.games.dollar_prize.actions import ChooseSide
from domain.match.commands import Act
from domain.match.events import ActionReceived
from domain.proof import creation_notes, receipts
from domain.proof.creation_notes import CreationText
from domain.proof.notes import read, verifier_key
from domain.proof.receipts import ReceiptText, parse
from projections.evidence.case import RECEIPTS, signed_for
from service.application.matches.command_queue import CommandResult, QueuedCommand
from service.application.matches.decision import Decision
from service.application.matches.growing_record import DrawRepeated
from service.cli import main
from service.event_store.integrity.digests import RecordAltered
from service.event_store.sqlite.disk_room import MIB
from service.instance import Instance
from service.signing.receipts import Receipted
from tests.service.signing.saved_evidence import SIDE, acted, bundle, checkpoint, given
from tests.support.http.match_play import play_out
from tests.support.http.rewind_client import numbers, resumed, rewound, steps
from tests.support.instance.damage import a_microsecond_later, rows_of
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    receipts_of,
    sends,
    started,
    watched,
)
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch, body_of, serving
from tests.support.virtual_clock import VirtualClock

HEADS = ChooseSide("heads")
SECOND = 1_000_000


def receipt_text_of(receipted: Receipted) -> ReceiptText:
    return parse(read(receipted.note).text)


async def received(instance: Instance, match_id: UUID, command: Act) -> Receipted:
    answer = await instance.matches.execute(match_id, command, command.seat)
    return instance.receipts.give(match_id, answer.acknowledged, sealed=False)


async def delayed(
    instance: Instance, clock: VirtualClock, match_id: UUID, microseconds: int
) -> Receipted:
    """The receipt for an action that waited this long for another commit."""
    store = watched(instance)
    store.block()
    first = asyncio.create_task(received(instance, match_id, sends(1, NOT_NOW)))
    await store.blocked()
    second = asyncio.create_task(received(instance, match_id, sends(0, HEADS)))
    await asyncio.sleep(0)
    clock.pass_time(microseconds)
    store.open.set()
    await first
    return await second


@pytest.mark.parametrize(
    ("waited", "late"),
    [(0, 0), (1, 0), (999_999, 0), (SECOND, 1), (1_999_999, 1), (7 * SECOND + 5, 7)],
)
async def test_recorded_is_later_than_received_by_whole_seconds(
    instance: Instance, clock: VirtualClock, waited: int, late: int
) -> None:
    match_id = await started(instance)
    receipt = receipt_text_of(await delayed(instance, clock, match_id, waited))
    (event,) = [
        record
        for record in on_record(instance, match_id)
        if isinstance(record.event, ActionReceived) and record.event.seat == 0
    ]
    assert isinstance(event.event, ActionReceived)
    recorded = event.event.recorded if isinstance(event.event.recorded, int) else event.at
    assert recorded - event.at == late * SECOND
    assert (receipt.recorded != receipt.received) == bool(late)
    listed = await receipts_of(instance, match_id, 0)
    assert receipt_text_of(listed[0]) == receipt


async def test_a_commitment_altered_in_the_store_gets_into_no_receipt(
    instance: Instance, database: Path
) -> None:
    """They name the one that was judged."""
    match_id = await started(instance)
    first = await received(instance, match_id, sends(0, HEADS, "once"))
    with rows_of(database, match_id) as rows:
        rows.put(a_microsecond_later(rows.all()[1]))
    again = await received(instance, match_id, sends(0, HEADS, "once"))
    second = await received(instance, match_id, sends(0, HEADS))
    listed = await receipts_of(instance, match_id, 0)
    every = (first, again, second, *listed)
    named = {receipt_text_of(one).binding.seed_committed for one in every}
    beginning = (await instance.sessions.cached(match_id)).beginning
    assert beginning is not None
    assert named == {beginning.seed_committed} != {None}


async def test_an_action_altered_in_the_store_is_found_by_a_list(
    instance: Instance, database: Path
) -> None:
    match_id = await started(instance)
    await received(instance, match_id, sends(0, HEADS))
    record = on_record(instance, match_id)
    at = next(n for n, one in enumerate(record) if isinstance(one.event, ActionReceived))
    with rows_of(database, match_id) as rows:
        rows.put(a_microsecond_later(rows.all()[at]))
    with pytest.raises(RecordAltered):
        await receipts_of(instance, match_id, 0)


async def test_a_draw_under_an_id_that_was_used_is_refused(instance: Instance) -> None:
    """The outcome would be the same: a game that asks for this has a bug, and nothing is
    recorded."""
    match_id = await started(instance)
    before = len(on_record(instance, match_id))
    (await instance.sessions.cached(match_id)).drawn.add("e0/setup")
    with pytest.raises(DrawRepeated):
        await instance.matches.execute(match_id, sends(0, HEADS), 0)
    assert len(on_record(instance, match_id)) == before


async def test_a_fault_leaves_no_id_of_a_draw_behind(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision settled a draw and then failed: the next command may settle it again."""
    match_id = await started(instance)
    await instance.sessions.projection(match_id, 0)
    now = instance.clock.now()
    decision = Decision(instance.sessions.session(match_id), 1, now, MIB)
    with monkeypatch.context() as faulty:
        faulty.setattr("service.application.matches.decision.turned_down", lambda *_, **__: 1 / 0)
        decision.add(QueuedCommand(sends(0, HEADS), now, 0, None))
    decision.add(QueuedCommand(sends(0, HEADS), now, 0, None))
    failed, judged = (queued.result for queued in decision.decided)
    assert isinstance(failed, ZeroDivisionError)
    assert isinstance(judged, CommandResult) and judged.code is None


# The note of the creation, and the commitment that every receipt names.


ONCE = {"Idempotency-Key": "once"}
TWO = {"game": "twelve-chips", "seats": ["Ann", "Ben"], "options": {"tokens_to_win": 1}}


def creating(live: Live, body: object, key: str | None = None) -> Answer:
    answer = live.organiser.post("/v1/matches", body, once=key)
    assert answer.status_code in (200, 201), answer.text
    return answer


def matched(live: Live, made: Answer) -> LiveMatch:
    """The match in an answer to its creation."""
    body = made.json()
    keys = tuple(seat["key"] for seat in body["seats"])
    return live.match(body["id"], keys, body["moderator_key"])


def said(live: Live, note: str) -> CreationText:
    """What a creation note says, signed by the key for receipts."""
    keys = [verifier_key(one["key"]) for one in live.anyone.get("/v1/keys").json()["keys"]]
    assert signed_for(RECEIPTS, keys, read(note))
    return creation_notes.parse(read(note).text)


def named(note: str) -> bytes | None:
    """The hash of the commitment to the seed in a receipt."""
    return receipts.parse(read(note).text).binding.seed_committed


def test_the_answer_to_the_creation_names_the_commitment_of_every_receipt(tmp_path: Path) -> None:
    """Of seeds, actions, refusals and repeats, in answers and lists, also after a restart."""
    with serving(tmp_path) as live:
        made = creating(live, {"game": "dollar-prize", "seats": ["Ann", "Ben"]})
        match = matched(live, made)
        shown = said(live, made.json()["note"])
        assert shown.match == match.id and shown.beginning.seed_committed is not None
        notes = [given(match, 0, "dice")]
        match.moderator.start()
        seat = match.seats[0]
        first = seat.act(SIDE, ONCE)
        notes += [first.json()["receipt"]["note"], acted(match, 0, SIDE)]
    with serving(tmp_path) as live:
        match = live.match(match.id, match.keys, match.moderator_key)
        again = match.seats[0].act(SIDE, ONCE)
        assert again.json()["receipt"]["note"] == notes[1]
        notes.append(acted(match, 0, SIDE))
        listed = match.seats[0].client.get(f"{match.seats[0].path}/receipts").json()["receipts"]
    every = [*notes, *(one["note"] for one in listed)]
    assert [one["note"] for one in listed] == notes
    assert {named(note) for note in every} == {shown.beginning.seed_committed}


def noted(client: Client, match: LiveMatch) -> str:
    """The note of the creation, as it is had from the match."""
    return str(body_of(client.get(f"{match.anyone.path}/note"), 200)["note"])


def test_anybody_may_have_the_note_of_the_creation(tmp_path: Path) -> None:
    """Byte for byte, with any key or none, also after a rewind and after a restart."""
    with serving(tmp_path) as live:
        made = creating(live, {"game": "dollar-prize", "seats": ["Ann", "Ben"]})
        match, first = matched(live, made), made.json()["note"]
        assert noted(live.anyone, match) == first
        match.moderator.start()
        steps(match, 3)
        rewound(match, live, before=numbers(match, "match.draw-settled.1")[-1])
        resumed(match)
        committed = numbers(match, "match.seed-committed.1")
        assert len(committed) == 2, "another epoch has begun"
        assert {noted(one.client, match) for one in match.audiences().values()} == {first}
    with serving(tmp_path) as live:
        assert noted(live.anyone, match) == first


def test_the_note_may_be_kept(tmp_path: Path) -> None:
    """Its text never changes: after a rotation another key has signed the same."""
    with serving(tmp_path) as live:
        made = creating(live, TWO)
        match = matched(live, made)
        path = f"{match.anyone.path}/note"
        kept = live.anyone.get(path)
        same = {"If-None-Match": kept.headers["etag"]}
        assert live.anyone.get(path, same).status_code == 304
        live.instance.signer.rotate()
        live.instance.signer.refresh()
        signed = live.anyone.get(path, same)
        assert signed.status_code == 200 and signed.content != kept.content
        notes = [kept.json()["note"], signed.json()["note"]]
        assert said(live, notes[0]) == said(live, notes[1])


def test_the_command_takes_the_saved_answer(tmp_path: Path) -> None:
    """As a file, as it was received; another match's is found."""
    with serving(tmp_path / "data") as live:
        made = creating(live, TWO)
        match = matched(live, made)
        receipt = given(match, 0, "dice")
        match.moderator.start()
        play_out(match)
        files = {
            "bundle": bundle(match).content,
            "keys": live.anyone.get("/v1/keys").content,
            "created": made.content,
            "receipt": receipt.encode(),
            "checkpoint": checkpoint(match).encode(),
            "other": creating(live, TWO).content,
        }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert json.loads(files["created"])["note"].startswith(creation_notes.TITLE)
    asked = ["verify", "bundle", "--key", "keys", "--checkpoint", "checkpoint"]
    kept = [*asked, "--receipt", "created", "--receipt", "receipt"]
    passed, failed = (run(tmp_path, each) for each in (kept, [*asked, "--receipt", "other"]))
    assert passed[0] == 0, passed
    assert re.search(r"receipts +PASS", passed[1])
    assert failed[0] == 1 and "First: receipts: a creation note" in failed[1]


def run(folder: Path, arguments: list[str]) -> tuple[int, str]:
    """The exit status of the command and what it says; files are in the folder."""
    known = {one.name for one in folder.iterdir()}
    spelt = [str(folder / one) if one in known else one for one in arguments]
    result = CliRunner().invoke(main, spelt)
    return result.exit_code, result.output
