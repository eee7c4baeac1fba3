"""Well-formed, signed bundles of parts that do not belong together: other seats' openings, other
matches' receipts, other keys' signatures."""

import pytest
from msgspec.structs import replace

from domain.encoding import encode
from domain.games import GAMES
from domain.match.events import ActionReceived
from domain.proof.checkpoints import Checkpoint
from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.checkpoints import text as checkpoint_text
from domain.proof.commitments import commitment, private_leaf, public_leaf
from domain.proof.merkle import EMPTY
from domain.proof.notes import SignedNote, format_note, read
from domain.proof.receipts import parse, text
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import pack
from projections.evidence.bundle import MatchLog, spelt_note, spelt_opening
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from service.cli.simulating.simulation import MATCH
from tests.projections.evidence.log_leaves import lines, sealed
from tests.support.evidence.forged_bundles import (
    AUDIENCES,
    SHORT,
    apart,
    found,
    outcome,
    resigned,
    saved_checkpoint,
    saved_receipts,
    short_bundle,
    short_log,
)
from tests.support.evidence.signed_bundles import KEYS, RECEIPTS, SIGNER, STRANGER, bundled, log_of
from tests.support.tables.forged_records import instead

OTHER_MATCH = "019b76da-a800-7000-8000-000000000001"

EVERY_GAME = pytest.mark.parametrize("game", SHORT)
OPEN_GAMES = pytest.mark.parametrize(
    "game", [name for name, game in GAMES.items() if "opened_at_end" in game.records]
)
"""Games whose record may be opened to the seats."""


def closed(game: str) -> MatchLog:
    """The log of a match whose record stays closed."""
    log = short_log(game)
    return log_of(instead(log.records, 0, replace(log.created, record="closed")))


# What an audience may not see.


@OPEN_GAMES
def test_another_seats_openings_fail_in_a_seats_bundle(game: str) -> None:
    own, other = apart(game, 0), apart(game, 1)
    assert found(resigned({**own, "openings": other["openings"]})) == "openings"
    assert found(resigned(own, audience=1)) == "openings"


@EVERY_GAME
def test_openings_fail_in_the_publics_bundle(game: str) -> None:
    whole = apart(game, MODERATOR)
    assert found(resigned({**whole, "receipts": b""}, audience=PUBLIC_VIEWER)) == "openings"


@EVERY_GAME
def test_a_sealed_event_opened_to_a_seat_fails(game: str) -> None:
    assert found(resigned(apart(game, MODERATOR), audience=0)) == "openings"


def test_under_a_closed_record_a_seats_own_openings_fail() -> None:
    log = closed("twelve-chips")
    parts = apart("twelve-chips", 0)
    assert verify(bundled(log, 0), VerifierInputs(KEYS)).finding is None
    opened = {**parts, "leaves": lines(log)["leaves"]}
    assert found(resigned(opened)) == "openings"
    assert found(resigned({**opened, "openings": b""})) == outcome(
        verify(bundled(log, 0), VerifierInputs(KEYS))
    )


@EVERY_GAME
def test_receipts_fail_in_the_publics_bundle(game: str) -> None:
    parts = {**apart(game, PUBLIC_VIEWER), "receipts": apart(game, MODERATOR)["receipts"]}
    assert found(resigned(parts)) == "receipts"


@OPEN_GAMES
def test_another_seats_receipts_fail_in_a_seats_bundle(game: str) -> None:
    parts = {**apart(game, 0), "receipts": apart(game, 1)["receipts"]}
    assert found(resigned(parts)) == "receipts"


@EVERY_GAME
def test_a_private_event_in_a_public_leaf_fails(game: str) -> None:
    log, parts = short_log(game), apart(game)
    leaves = parts["leaves"].splitlines(keepends=True)
    for index in sealed(log):
        line = public_leaf(MATCH, index, log.records[index].at, log.states[index]) + b"\n"
        changed = b"".join([*leaves[:index], line, *leaves[index + 1 :]])
        openings = b"".join(spelt_opening(log.opening(one)) for one in sealed(log) if one != index)
        assert found(resigned({**parts, "leaves": changed, "openings": openings})) == "openings"


@EVERY_GAME
def test_a_public_event_in_a_private_leaf_fails_where_it_is_opened(game: str) -> None:
    log, parts = short_log(game), apart(game)
    leaves = parts["leaves"].splitlines(keepends=True)
    for index in set(range(len(leaves))) - set(sealed(log)):
        opening = log.opening(index)
        line = private_leaf(MATCH, index, commitment(opening.salt, opening.event)) + b"\n"
        changed = b"".join([*leaves[:index], line, *leaves[index + 1 :]])
        opened = sorted([*sealed(log), index])
        openings = b"".join(spelt_opening(log.opening(one)) for one in opened)
        assert found(resigned({**parts, "leaves": changed, "openings": openings})) == "openings"


@EVERY_GAME
def test_a_leaf_of_another_time_than_its_event_fails(game: str) -> None:
    log, parts = short_log(game), apart(game)
    leaves = parts["leaves"].splitlines(keepends=True)
    for index in set(range(len(leaves))) - set(sealed(log)):
        line = public_leaf(MATCH, index, log.records[index].at + 1, log.states[index]) + b"\n"
        changed = b"".join([*leaves[:index], line, *leaves[index + 1 :]])
        assert found(resigned({**parts, "leaves": changed})) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("salt", [b"", bytes(31), bytes(32), bytes(64)], ids=len)
def test_an_opening_with_another_salt_fails(game: str, salt: bytes) -> None:
    log, parts = short_log(game), apart(game)
    openings = parts["openings"].splitlines(keepends=True)
    openings[-1] = spelt_opening(replace(log.opening(sealed(log)[-1]), salt=salt))
    assert found(resigned({**parts, "openings": b"".join(openings)})) == "openings"


@EVERY_GAME
def test_an_opening_of_another_event_than_was_committed_to_fails(game: str) -> None:
    """One that the rules would not object to: the same action, under another key."""
    log, parts = short_log(game), apart(game)
    at = next(n for n, one in enumerate(log.records) if isinstance(one.event, ActionReceived))
    event = replace(log.records[at].event, key="another")
    opening = replace(log.opening(at), event=encode(replace(log.records[at], event=event)))
    openings = [spelt_opening(opening if n == at else log.opening(n)) for n in sealed(log)]
    assert found(resigned({**parts, "openings": b"".join(openings)})) == "openings"


# Receipts.


def test_another_matchs_receipts_fail() -> None:
    other = log_of(short_log("together").records, OTHER_MATCH)
    notes = saved_receipts(other)
    parts = apart("together")
    assert found(pack(parts), receipts=notes[:1]) == "receipts"
    receipts = b"".join(map(spelt_note, notes))
    assert found(resigned({**parts, "receipts": receipts})) == "receipts"


@EVERY_GAME
def test_a_receipt_for_what_nobody_submitted_fails(game: str) -> None:
    log = short_log(game)
    said = parse(read(saved_receipts(log)[-1]).text)
    for index in sealed(log):
        if not isinstance(log.records[index].event, ActionReceived):
            binding = replace(said.binding, commitment=log.commitment(index))
            note = RECEIPTS.sign(text(replace(said, binding=binding)))
            assert found(short_bundle(game), receipts=[note]) == "receipts", index


# Checkpoints.


def test_a_saved_checkpoint_of_another_match_fails() -> None:
    """Though its tree is the same as it would be here."""
    said = parse_checkpoint(read(saved_checkpoint(short_log("together"))).text)
    for match, claim in ((MATCH, ""), (OTHER_MATCH, "checkpoints")):
        note = SIGNER.sign(checkpoint_text(replace(said, log=match)))
        assert found(short_bundle("together"), checkpoints=[note]) == claim


@pytest.mark.parametrize("size", [0, 1, 99])
def test_a_saved_checkpoint_of_another_size_fails(size: int) -> None:
    said = parse_checkpoint(read(saved_checkpoint(short_log("together"))).text)
    note = SIGNER.sign(checkpoint_text(replace(said, size=size)))
    assert found(short_bundle("together"), checkpoints=[note]) == "checkpoints"


def test_a_saved_checkpoint_of_an_empty_log_fits_every_log() -> None:
    note = SIGNER.sign(checkpoint_text(Checkpoint(MATCH, 0, EMPTY)))
    assert found(short_bundle("together"), checkpoints=[note]) == ""


# Keys.


def test_each_key_signs_what_it_is_for() -> None:
    log = short_log("together")
    parts = apart("together")
    by_other = {
        name: RECEIPTS.sign(read(parts[name].decode()).text).encode()
        for name in ("manifest", "checkpoint")
    }
    for name, note in by_other.items():
        assert found(pack({**parts, name: note})) == "signatures"
    checkpoint = RECEIPTS.sign(read(saved_checkpoint(log)).text)
    assert found(pack(parts), checkpoints=[checkpoint]) == "checkpoints"
    receipt = SIGNER.sign(read(saved_receipts(log)[0]).text)
    assert found(pack(parts), receipts=[receipt]) == "receipts"


def test_another_key_of_the_same_name_signs_nothing() -> None:
    parts = apart("together")
    text = read(parts["manifest"].decode()).text
    (strange,) = read(STRANGER.sign(text)).signatures
    claimed = replace(strange, key_id=SIGNER.verifier.key_id)
    for signature in (strange, claimed):
        note = format_note(SignedNote(text, (signature,))).encode()
        assert found(pack({**parts, "manifest": note})) == "signatures"


@pytest.mark.parametrize("audience", AUDIENCES)
def test_without_keys_nothing_passes(audience: Viewer) -> None:
    bundle = short_bundle("twelve-chips", audience)
    assert outcome(verify(bundle, VerifierInputs([]))) == "signatures"
    assert outcome(verify(bundle, VerifierInputs([RECEIPTS.verifier]))) == "signatures"
    assert outcome(verify(bundle, VerifierInputs([STRANGER.verifier]))) == "signatures"
    without = verify(bundle, VerifierInputs([SIGNER.verifier]))
    assert without.finding is None
    assert without.verdict == "SEALED"
