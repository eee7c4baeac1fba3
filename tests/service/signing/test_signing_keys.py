"""Signing keys: signatures that others can verify, safe files, and rotation that loses no public
key."""

import os
from base64 import b64decode
from contextlib import suppress
from pathlib import Path
from threading import get_ident

import pytest

from domain.proof.notes import read, verifier_key, written
from projections.evidence.case import has_signed
from service.signing.signing_keys import Signer, SigningKeys
from tests.support.evidence.known_notes import C2SP_KEY, GO_KEY, GO_NOTE

GO_SECRET = b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
"""Go's example key, which signs the example note."""

TEXT = "match 1\nseat 0\n"


@pytest.fixture
def keys(tmp_path: Path) -> SigningKeys:
    return SigningKeys(tmp_path / "keys" / "receipts", "arbiter/receipts")


def test_the_example_of_go_is_signed_byte_for_byte() -> None:
    signer = Signer("PeterNeumann", GO_SECRET)
    assert str(signer.verifier) == GO_KEY
    assert signer.signed(read(GO_NOTE).text) == GO_NOTE


def test_a_signature_is_valid_for_its_key_and_its_text_alone() -> None:
    note = read(GO_NOTE)
    assert has_signed(verifier_key(GO_KEY), note)
    assert not has_signed(verifier_key(C2SP_KEY), note)
    for at in range(0, len(GO_NOTE), 7):
        other = "b" if GO_NOTE[at] != "b" else "c"
        try:
            changed = read(GO_NOTE[:at] + other + GO_NOTE[at + 1 :])
        except ValueError:
            continue
        assert not has_signed(verifier_key(GO_KEY), changed), at


def test_the_first_key_is_made_once_and_stays(keys: SigningKeys) -> None:
    keys.make()
    first = keys.signer()
    keys.make()
    assert keys.signer().verifier == first.verifier == keys.verifiers()[-1]
    assert has_signed(first.verifier, read(keys.signer().signed(TEXT)))


def test_private_keys_are_for_their_owner_alone(keys: SigningKeys, tmp_path: Path) -> None:
    before = os.umask(0o000)
    try:
        keys.make()
    finally:
        os.umask(before)
    folder = tmp_path / "keys" / "receipts"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "signing.key").stat().st_mode & 0o777 == 0o600


def test_after_a_rotation_earlier_signatures_can_still_be_checked(
    keys: SigningKeys, tmp_path: Path
) -> None:
    keys.make()
    before = keys.signer()
    old = before.signed(TEXT)
    secret = (tmp_path / "keys" / "receipts" / "signing.key").read_bytes()
    rotated = keys.rotate()
    assert keys.verifiers() == [before.verifier, rotated]
    assert keys.signer().verifier == rotated != before.verifier
    assert has_signed(keys.verifiers()[0], read(old))
    files = (tmp_path / "keys" / "receipts").iterdir()
    assert not any(secret in file.read_bytes() for file in files), "the old key is destroyed"


@pytest.mark.parametrize("steps", range(8))
def test_whatever_crashes_the_key_in_force_is_among_those_that_are_published(
    keys: SigningKeys, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """A crash at each step of a rotation: opening, syncing and renaming."""
    keys.make()
    first = keys.signer().verifier
    left, here = [steps], get_ident()

    def until(real: object) -> object:
        def step(*arguments: object, **more: object) -> object:
            if get_ident() == here:
                if not left[0]:
                    raise KeyboardInterrupt
                left[0] -= 1
            return real(*arguments, **more)  # type: ignore[operator]

        return step

    with monkeypatch.context() as crash:
        crash.setattr(os, "open", until(os.open))
        crash.setattr(os, "fsync", until(os.fsync))
        with suppress(KeyboardInterrupt):
            keys.rotate()
    assert keys.verifiers()[0] == first
    assert keys.signer().verifier in keys.verifiers()
    keys.rotate()
    assert keys.signer().verifier == keys.verifiers()[-1]


def test_a_missing_key_is_not_silently_replaced(keys: SigningKeys, tmp_path: Path) -> None:
    keys.make()
    (tmp_path / "keys" / "receipts" / "signing.key").unlink()
    with pytest.raises(FileNotFoundError):
        keys.signer()


def test_a_signed_note_is_written_as_every_other(keys: SigningKeys) -> None:
    keys.make()
    signed = keys.signer().signed(TEXT)
    assert written(read(signed)) == signed
