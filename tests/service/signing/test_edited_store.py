"""A store that is edited behind the service's back.

The service itself detects it as long as it knows what it has signed. If that is edited too,
everyone with a saved checkpoint, or a saved receipt for what was dropped, detects it.
"""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Record
from domain.match.events import ActionReceived, MatchStarted
from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.log_events import CheckpointSigned
from domain.proof.notes import read
from domain.proof.receipts import parse
from service.event_store.store import paired_stream
from tests.service.signing.saved_evidence import (
    World,
    bundle,
    checkpoint,
    judged,
    made,
    request_checkpoint,
)
from tests.service.signing.store_edits import (
    Edit,
    Stream,
    change_an_event,
    delete_the_last,
    delete_what_was_signed,
    editing,
    forget_the_index,
    insert_one,
    make_it_anew,
)
from tests.support.http.match_play import assert_problem, play_out
from tests.support.instants import NOON
from tests.support.servers.live_server import serving


def add_one_after_the_end(stream: Stream) -> None:
    """The checkpoint signed at the end of the match covered all of it."""
    stream.insert(len(stream) + 1, stream.states()[-1])


EDITS: tuple[Edit, ...] = (change_an_event, delete_the_last)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return made(tmp_path_factory.mktemp("edited") / "world")


def _name(value: object) -> str:
    return getattr(value, "__name__", str(value))


# The service detects the edit.


@pytest.mark.parametrize(
    ("edit", "which"),
    [*((edit, "over") for edit in (*EDITS, add_one_after_the_end)), (insert_one, "running")],
    ids=_name,
)
def test_an_edited_record_is_neither_signed_nor_exported(
    world: World, tmp_path: Path, edit: Edit, which: str
) -> None:
    folder, one = world.copied(tmp_path), getattr(world, which)
    with editing(folder, one.id) as stream:
        edit(stream)
    with serving(folder) as live:
        assert_problem(bundle(one.at(live)), 409, "record_altered")
        assert_problem(request_checkpoint(one.at(live)), 409, "record_altered")
        other = world.bare.at(live)
        assert request_checkpoint(other).status_code == 201, "only this match is concerned"
    with editing(folder, str(paired_stream(UUID(one.id)))) as signed:
        signed_checkpoint = parse_checkpoint(read(one.checkpoint).text)
        assert decode(signed.states()[-1]).event == CheckpointSigned(
            signed_checkpoint.size, signed_checkpoint.root, which == "over"
        )


CHECKPOINTS: dict[str, Callable[[CheckpointSigned], bytes]] = {
    "another root": lambda signed: _signed(replace(signed, root=bytes(32))),
    "another size": lambda signed: _signed(replace(signed, size=signed.size - 1)),
    "longer than the log": lambda signed: _signed(replace(signed, size=signed.size + 1)),
    "not over": lambda signed: _signed(replace(signed, over=False)),
    "something else": lambda _: encode(Record(NOON, 0, MatchStarted())),
    "no event": lambda _: b"\xc1",
}


def _signed(checkpoint: CheckpointSigned) -> bytes:
    return encode(Record(NOON, 0, checkpoint))


@pytest.mark.parametrize("change", CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_an_edited_row_of_a_checkpoint_is_noticed_and_signs_nothing_new(
    world: World, tmp_path: Path, change: Callable[[CheckpointSigned], bytes]
) -> None:
    """What was built before, and is in memory, is not given for it either."""
    folder, one = world.copied(tmp_path), world.over
    with serving(folder) as live:
        assert checkpoint(one.at(live)) and bundle(one.at(live)).status_code == 200
        with editing(folder, str(paired_stream(UUID(one.id)))) as signed:
            count, event = len(signed), decode(signed.states()[-1]).event
            assert isinstance(event, CheckpointSigned)
            signed.set(count, change(event))
        assert_problem(request_checkpoint(one.at(live)), 409, "record_altered")
        assert bundle(one.at(live)).json()["code"] == "record_altered"
        with editing(folder, str(paired_stream(UUID(one.id)))) as signed:
            assert len(signed) == count


# The editor also changes the service's record of its signatures.


@pytest.mark.parametrize(
    ("edit", "forget", "which"),
    [
        *((edit, delete_what_was_signed, "over") for edit in EDITS),
        *((edit, make_it_anew, "running") for edit in EDITS),
    ],
    ids=_name,
)
def test_a_saved_checkpoint_detects_it_all_the_same(
    world: World, tmp_path: Path, edit: Edit, forget: Callable[[Path, str], None], which: str
) -> None:
    folder, one = world.copied(tmp_path), getattr(world, which)
    size = parse_checkpoint(read(one.checkpoint).text).size
    with editing(folder, one.id) as stream:
        edit(stream)
        length = len(stream)
    forget(folder, one.id)
    with serving(folder) as live:
        report = judged(live, one, [one.checkpoint])
        without = judged(live, one).finding
    assert report.verdict == "FAIL" and report.finding is not None
    assert report.finding.claim == "checkpoints"
    if length < size:
        wanted = f"there was a checkpoint of {size} events, and now there are only {length}"
    else:
        wanted = f"the first {size} events are not those that were signed"
    assert report.finding.text == wanted
    assert without is None or without.claim not in ("signatures", "log", "checkpoints")


# Nothing was signed before: receipts prove the edit.


def refused_submission(stream: Stream) -> None:
    """Without it the rest is still a valid match."""
    version = stream.find(ActionReceived)
    for _ in range(2):
        stream.delete(version)
        stream.shift(version + 1, -1)


def last_move(stream: Stream) -> None:
    """The service itself continues from the edited record and signs it in good faith."""
    actions = [isinstance(decode(s).event, ActionReceived) for s in stream.states()]
    last = len(actions) - actions[::-1].index(True)
    for version in range(last, len(stream) + 1):
        stream.delete(version)


@pytest.mark.parametrize(
    ("drop", "which"), [(refused_submission, "over"), (last_move, "running")], ids=_name
)
def test_a_dropped_submission_is_detected_by_its_saved_receipt(
    world: World, tmp_path: Path, drop: Edit, which: str
) -> None:
    """The verifier names it, by seat and number."""
    folder, one = world.copied(tmp_path), getattr(world, which)
    lost = parse(read(one.receipts[-1]).text)
    with editing(folder, one.id) as stream:
        drop(stream)
    delete_what_was_signed(folder, one.id)
    forget_the_index(folder)
    with serving(folder) as live:
        if which == "running":
            play_out(one.at(live))
        report = judged(live, one, receipts=one.receipts)
        without = judged(live, one, receipts=one.receipts[:-1])
    assert report.verdict == "FAIL" and report.finding is not None
    assert report.finding.claim == "receipts"
    assert f"of seat {lost.seat} for its event {lost.count}, " in report.finding.text
    assert "it has been dropped" in report.finding.text
    assert (without.verdict, without.finding) == ("PASS", None)
