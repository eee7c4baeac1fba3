"""Random edits of a bundle: as they are, with every hash made to fit, and signed again with every
key of the service. Each is detected."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.proof.notes import read
from domain.proof.receipts import parse, text
from domain.proof.subjects import of_match
from projections.audience.disclosure import MODERATOR, Viewer
from projections.evidence.archive import pack
from projections.evidence.bundle import spelt_note
from projections.evidence.verify import verify
from tests.projections.evidence.undetected_changes import UNDETECTED
from tests.support.effort import times
from tests.support.evidence.bundle_edits import EDITS, NOTE_EDITS, edited
from tests.support.evidence.forged_bundles import (
    AUDIENCES,
    SHORT,
    Parts,
    apart,
    found,
    rehashed,
    resigned,
    rewritten,
    saved_checkpoint,
    saved_receipts,
    short_bundle,
    short_log,
)
from tests.support.evidence.record_changes import Change, Records, sampled
from tests.support.evidence.signed_bundles import RECEIPTS, bundled, trusted
from tests.support.games import SUPPORT

COUNT = times("edits of a bundle")

OTHER = {game: support.other_luck for game, support in SUPPORT.items()}
"""The luck of another match of each game, which has the same id and is signed by the same keys."""


def edits(names: list[str], audiences: tuple[Viewer, ...]) -> Iterator[tuple[str, str, Parts]]:
    """Random edits of these kinds: the game, the kind, and the edited parts."""
    rng = Random(",".join(names))
    made = 0
    while made < COUNT:
        game, audience, name = rng.choice(list(SHORT)), rng.choice(audiences), rng.choice(names)
        edit = {**EDITS, **NOTE_EDITS}[name]
        parts = edited(edit, rng, apart(game, audience), apart(game, audience, OTHER[game]))
        if parts is not None:
            made += 1
            yield game, name, parts


# By someone without a key.


@pytest.mark.parametrize("name", [*EDITS, *NOTE_EDITS])
def test_every_kind_of_edit_can_be_made(name: str) -> None:
    assert next(edits([name], AUDIENCES), None) is not None


def test_an_edit_is_detected() -> None:
    """The checkpoint of another match of the same id is signed, and of another log."""
    for game, name, parts in edits([*EDITS, *NOTE_EDITS], AUDIENCES):
        claims = ["container", "signatures"] + ["log"] * (name == "note of another match")
        assert found(pack(parts)) in claims, (game, name)


def test_an_edit_is_detected_when_every_hash_is_made_to_fit() -> None:
    for game, name, parts in edits([*EDITS], AUDIENCES):
        assert found(pack(rehashed(parts))) in ("container", "signatures"), (game, name)


def test_hashes_without_signatures_are_not_believed() -> None:
    """The basis of the two tests above: hashes and roots do fit, it is the signatures that do
    not."""
    for _, _, parts in edits(["emptied"], AUDIENCES):
        assert found(pack(rehashed(parts))) == "signatures"
        assert found(resigned(parts)) != "signatures"


# By a dishonest operator, to the parts of a bundle.

BY_CONTENT = ("container", "openings", "receipts", "chance", "rules")
"""The claims that detect what has been signed anew."""


def signed_edits(names: list[str]) -> Iterator[tuple[str, str, bytes]]:
    for game, name, parts in edits(names, (MODERATOR,)):
        yield game, name, resigned(parts)


def test_an_edit_of_an_organisers_bundle_signed_again_is_detected_by_saved_notes() -> None:
    for game, name, bundle in signed_edits([*EDITS]):
        log = short_log(game)
        kept = {"checkpoints": [saved_checkpoint(log)], "receipts": saved_receipts(log)}
        assert found(bundle, **kept) in ("checkpoints", *BY_CONTENT), (game, name)


BY_ITSELF = {
    "line dropped": ("container", "openings", "receipts", "rules"),
    "line doubled": ("container", "openings", "receipts"),
    "lines swapped": ("container", "openings", "receipts"),
    "line of another match put in": ("container", "openings", "receipts"),
    "line replaced by another match's": BY_CONTENT,
    "emptied": ("openings", "receipts"),
    "part of another match": ("openings", "receipts"),
    "parts exchanged": ("container",),
    "cut off": ("container", "openings", "receipts"),
}
"""The claims by which an edit of lines or whole parts is detected with keys alone: the log is
numbered, each opening has one leaf, each submission one receipt. The rules miss the last line of
the log, the seed revealed."""


@pytest.mark.parametrize("name", BY_ITSELF)
def test_lines_dropped_doubled_or_exchanged_are_detected_without_saved_notes(name: str) -> None:
    for (game, _, bundle), _ in zip(signed_edits([name]), range(max(9, COUNT // 9)), strict=False):
        assert found(bundle) in BY_ITSELF[name], game


RECEIPT_WORDS: dict[str, Any] = {
    "subject": of_match("019b76da-a800-7000-8000-000000000001"),
    "ruling": "one",
    "seat": 9,
    "count": 99,
    "phase": "nap",
    "received": "2026-01-01T00:00:00.000001Z",
    "recorded": "2026-01-01T00:00:00.000001Z",
    "status": "refused because",
    "key": "another",
}
BINDINGS = ("commitment", "seed_committed", "nonce", "seen")


@pytest.mark.parametrize("field", [*RECEIPT_WORDS, *BINDINGS])
def test_a_receipt_that_says_otherwise_is_detected_even_if_it_is_signed(field: str) -> None:
    parts = apart("dollar-prize")
    *rest, last = saved_receipts(short_log("dollar-prize"))
    said = parse(read(last).text)
    if field in BINDINGS:
        changed = replace(said, binding=replace(said.binding, **{field: bytes(32)}))
    else:
        changed = replace(said, **{field: RECEIPT_WORDS[field]})
    assert changed != said
    forged = RECEIPTS.sign(text(changed))
    receipts = b"".join(map(spelt_note, [*rest, forged]))
    assert found(resigned({**parts, "receipts": receipts})) == "receipts"
    assert found(pack(parts), receipts=[forged]) == "receipts"


# By a dishonest operator, to the record itself.


def changed_records(count: int) -> Iterator[tuple[str, list[Change], Records]]:
    """A record after one change of one event, or after several."""
    rng = Random("records")
    for _ in range(count):
        game = rng.choice(list(SHORT))
        log, made = short_log(game), list[Change]()
        records: Records = log.records
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            (change,) = sampled(records, rng, 1)
            records = change.records
            made.append(change)
        if list(records) != log.records:
            yield game, made, records


def test_a_saved_checkpoint_detects_every_change_of_the_record() -> None:
    """In the bundle of any audience; additions after the end only in the organiser's."""
    for game, made, records in changed_records(COUNT):
        log = short_log(game)
        kept = saved_checkpoint(log)
        appended = list(records[: len(log.records)]) == log.records
        for audience in (MODERATOR,) if appended else AUDIENCES:
            said = found(rewritten(log, records, audience), checkpoints=[kept])
            assert said in ("checkpoints", *BY_CONTENT), (
                game,
                audience,
                [one.name for one in made],
            )


@pytest.mark.parametrize("game", SHORT)
def test_an_honest_log_passes_whatever_was_saved_of_it(game: str) -> None:
    log = short_log(game)
    kept = {"checkpoints": [saved_checkpoint(log)] * 2, "receipts": saved_receipts(log)}
    assert found(bundled(log), **kept) == UNDETECTED


# Every changed byte of a bundle is detected, by the first claim that reads it. Usually every byte
# of the small bundles is changed, and of the larger ones bytes at even distances; in `make long`
# every byte of all.

EVERY_BYTE = times("every byte")
MASKS = (0x01, 0x80, 0xFF)
SMALLEST = "grouping-bw"

MOST = 1_000
"""Maximum size of a bundle of which every byte is changed by default."""

MOST_REPACKED = 100
"""Number of bytes of a bundle that are changed by default where its checksums are made to fit."""

EVERY_BUNDLE = pytest.mark.parametrize(
    ("game", "audience"), [(game, audience) for game in SHORT for audience in AUDIENCES]
)


def flipped(content: bytes, place: int, mask: int) -> bytes:
    """The content with some bits of one byte flipped."""
    changed = bytearray(content)
    changed[place] ^= mask
    return bytes(changed)


def places(size: int, most: int) -> range:
    """Where bytes are changed: everywhere, or at even distances if there are more than `most`."""
    return range(0, size, 1 if EVERY_BYTE else max(1, -(-size // most)))


def repacked(game: str, audience: Viewer, most: int) -> Iterator[tuple[str, int, dict[str, bytes]]]:
    """Positions in the parts of a bundle, and the parts."""
    parts = apart(game, audience)
    spread = [(name, place) for name, part in parts.items() for place in range(len(part))]
    for nth in places(len(spread), most):
        yield *spread[nth], parts


@EVERY_BUNDLE
def test_the_honest_bundle_has_no_finding(game: str, audience: Viewer) -> None:
    report = verify(short_bundle(game, audience), trusted())
    assert report.finding is None
    assert report.verdict == ("PASS" if audience == MODERATOR else "SEALED")


@EVERY_BUNDLE
def test_a_changed_byte_is_detected(game: str, audience: Viewer) -> None:
    """The checksums of the zip already detect it."""
    bundle = short_bundle(game, audience)
    for place in places(len(bundle), MOST):
        for mask in MASKS:
            assert found(flipped(bundle, place, mask)) == "container", (place, mask)


@EVERY_BUNDLE
def test_a_changed_byte_is_detected_where_the_checksums_are_made_to_fit(
    game: str, audience: Viewer
) -> None:
    for name, place, parts in repacked(game, audience, MOST_REPACKED):
        for mask in MASKS:
            changed = pack({**parts, name: flipped(parts[name], place, mask)})
            assert found(changed) in ("container", "signatures"), (name, place, mask)


def test_every_single_byte_of_the_smallest_organisers_bundle_is_checked() -> None:
    """With one mask after another, so that it does not take long."""
    changes = repacked(SMALLEST, MODERATOR, 10**6)
    for nth, (name, place, parts) in enumerate(changes):
        changed = pack({**parts, name: flipped(parts[name], place, MASKS[nth % 3])})
        assert found(changed) in ("container", "signatures"), (name, place)


@EVERY_BUNDLE
def test_a_bundle_truncated_anywhere_fails(game: str, audience: Viewer) -> None:
    bundle = short_bundle(game, audience)
    for size in places(len(bundle), MOST):
        assert found(bundle[:size]) == "container", size


@EVERY_BUNDLE
def test_an_additional_byte_anywhere_is_detected(game: str, audience: Viewer) -> None:
    bundle = short_bundle(game, audience)
    for place in places(len(bundle) + 1, MOST_REPACKED):
        for byte in (b"\0", b"\n", b"A"):
            assert found(bundle[:place] + byte + bundle[place:]) == "container", (place, byte)
