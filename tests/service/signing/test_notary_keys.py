"""Signing keys of logs and receipts that are rotated or lost while the service runs."""

import os
from base64 import b64decode
from contextlib import suppress
from pathlib import Path
from threading import get_ident

import pytest

from domain.proof.notes import read, verifier_key
from projections.audience.disclosure import MODERATOR
from projections.evidence.case import LOG, RECEIPTS, VerifierInputs, has_signed, signed_for
from projections.evidence.verify import verify
from service.instance import Instance
from service.signing.signing_keys import PRIVATE, ServiceSigner, Signer, SigningKeys
from tests.support.evidence.known_notes import C2SP_KEY, GO_KEY, GO_NOTE
from tests.support.instance.log_signatures import recorded
from tests.support.instance.service_instance import receipts_of, settings, someone_acts, started
from tests.support.waiting import until

SHORT = {"tokens_to_win": 1}


def published(instance: Instance) -> VerifierInputs:
    return VerifierInputs([verifier_key(one.key) for one in instance.signer.published()])


def keys_of(instance: Instance, purpose: str) -> list[tuple[str, bool]]:
    found = instance.signer.published()
    return [(one.key, one.current) for one in found if one.purpose == purpose]


def beside_it(database: Path) -> ServiceSigner:
    """The same keys in another process."""
    return ServiceSigner(settings(database).key_folder, settings(database).signing.name)


async def test_a_rotation_in_the_middle_of_a_match_proves_it_all_the_same(
    instance: Instance, database: Path
) -> None:
    match = await started(instance, "twelve-chips", SHORT)
    await someone_acts(instance, match)
    old = await instance.notary.checkpoint(match)
    saved = await receipts_of(instance, match, 0)
    rotated = beside_it(database).rotate()
    instance.signer.refresh()
    for purpose, key in zip((LOG, RECEIPTS), rotated, strict=True):
        ((_, before), last) = keys_of(instance, purpose)
        assert (before, last) == (False, (str(key), True))
    while await someone_acts(instance, match):
        pass
    await until(lambda: any(one.over for one in recorded(instance, match)))
    made = await instance.notary.bundle(match, MODERATOR)
    everything = VerifierInputs(published(instance).keys, [old.note], [saved[0].note])
    assert verify(made, everything).verdict == "PASS"
    newest = [
        verifier_key(key) for kind in (LOG, RECEIPTS) for key, _ in keys_of(instance, kind)[-1:]
    ]
    assert verify(made, VerifierInputs(newest)).verdict == "PASS"
    of_old_keys = {"checkpoints": ([old.note], []), "receipts": ([], [saved[0].note])}
    for claim, notes in of_old_keys.items():
        report = verify(made, VerifierInputs(newest, *notes))
        assert report.finding is not None and report.finding.claim == claim


@pytest.mark.parametrize("purpose", [LOG, RECEIPTS])
async def test_a_lost_private_key_is_not_silently_replaced(
    instance: Instance, database: Path, purpose: str
) -> None:
    match = await started(instance)
    before = await instance.notary.checkpoint(match)
    known = instance.signer.published()
    private = settings(database).key_folder / purpose / PRIVATE
    private.unlink()
    for _ in range(3):
        with pytest.raises(FileNotFoundError):
            instance.signer.refresh()
        await someone_acts(instance, match)
        after = await instance.notary.checkpoint(match)
        assert signed_for(LOG, published(instance).keys, read(after.note))
        assert after.checkpoint.size > before.checkpoint.size
    assert not private.exists()
    assert instance.signer.published() == known


# Signing keys: signatures that others can verify, safe files, and rotation that loses no public
# key.

GO_SECRET = b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
"""Go's example key, which signs the example note."""


@pytest.fixture
def keys(tmp_path: Path) -> SigningKeys:
    return SigningKeys(tmp_path / "keys" / "receipts", "arbiter/receipts")


def test_the_example_of_go_is_signed_byte_for_byte() -> None:
    signer = Signer("PeterNeumann", GO_SECRET)
    assert str(signer.verifier) == GO_KEY
    assert signer.sign(read(GO_NOTE).text) == GO_NOTE


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


def test_private_keys_are_for_their_owner_alone(keys: SigningKeys, tmp_path: Path) -> None:
    before = os.umask(0o000)
    try:
        keys.make()
    finally:
        os.umask(before)
    folder = tmp_path / "keys" / "receipts"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "signing.key").stat().st_mode & 0o777 == 0o600


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
