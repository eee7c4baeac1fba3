"""The keys with which logs and receipts are signed, rotated or lost while the service runs."""

from pathlib import Path

import pytest

from domain.notes import read, verifier_key
from projections.disclosure import MODERATOR
from projections.evidence.case import Brought
from projections.evidence.signatures import LOG, RECEIPTS, signed_for
from projections.evidence.verify import verify
from service.arbiter import Arbiter
from service.proof.signing import PRIVATE, Signing
from tests.service.cups import until
from tests.service.instance import settings, someone_acts, started
from tests.service.signatures import recorded

SHORT = {"tokens_to_win": 1}


def published(arbiter: Arbiter) -> Brought:
    return Brought([verifier_key(one.key) for one in arbiter.signing.published()])


def keys_of(arbiter: Arbiter, purpose: str) -> list[tuple[str, bool]]:
    found = arbiter.signing.published()
    return [(one.key, one.current) for one in found if one.purpose == purpose]


def beside_it(database: Path) -> Signing:
    """The same keys in the hands of another process."""
    return Signing(settings(database).key_folder, settings(database).name)


async def test_after_a_rotation_old_notes_still_hold(arbiter: Arbiter, database: Path) -> None:
    match = await started(arbiter)
    old = await arbiter.notary.checkpoint(match)
    ((first, _),) = keys_of(arbiter, LOG)
    rotated = beside_it(database).rotate(LOG)
    arbiter.signing.refresh()
    new = await arbiter.notary.checkpoint(match)
    assert new.checkpoint == old.checkpoint and new.note != old.note
    assert keys_of(arbiter, LOG) == [(first, False), (str(rotated), True)]
    assert signed_for(LOG, [rotated], read(new.note))
    assert not signed_for(LOG, [rotated], read(old.note))
    assert signed_for(LOG, published(arbiter).keys, read(old.note))
    assert len(recorded(arbiter, match)) == 1, "the tree is the same, whoever signs it"
    assert len(keys_of(arbiter, RECEIPTS)) == 1


@pytest.mark.parametrize("purpose", [LOG, RECEIPTS])
async def test_a_rotation_in_the_middle_of_a_match_proves_it_all_the_same(
    arbiter: Arbiter, database: Path, purpose: str
) -> None:
    match = await started(arbiter, "twelve-chips", SHORT)
    await someone_acts(arbiter, match)
    old = await arbiter.notary.checkpoint(match)
    kept, _ = await arbiter.receipts.listed(match, 0, 0, 1, sealed=False)
    beside_it(database).rotate(purpose)
    arbiter.signing.refresh()
    while await someone_acts(arbiter, match):
        pass
    await until(lambda: any(one.over for one in recorded(arbiter, match)))
    made = await arbiter.notary.bundle(match, MODERATOR)
    everything = Brought(published(arbiter).keys, [old.note], [kept[0].note])
    assert verify(made, everything).verdict == "PASS"
    newest = [
        verifier_key(key) for kind in (LOG, RECEIPTS) for key, _ in keys_of(arbiter, kind)[-1:]
    ]
    assert verify(made, Brought(newest)).verdict == "PASS"
    report = verify(made, Brought(newest, [old.note], [kept[0].note]))
    claim = {LOG: "checkpoints", RECEIPTS: "receipts"}[purpose]
    assert report.finding is not None and report.finding.claim == claim


@pytest.mark.parametrize("purpose", [LOG, RECEIPTS])
async def test_a_private_key_that_is_lost_is_not_made_anew_unheard(
    arbiter: Arbiter, database: Path, purpose: str
) -> None:
    match = await started(arbiter)
    before = await arbiter.notary.checkpoint(match)
    known = arbiter.signing.published()
    private = settings(database).key_folder / purpose / PRIVATE
    private.unlink()
    for _ in range(3):
        with pytest.raises(FileNotFoundError):
            arbiter.signing.refresh()
        await someone_acts(arbiter, match)
        after = await arbiter.notary.checkpoint(match)
        assert signed_for(LOG, published(arbiter).keys, read(after.note))
        assert after.checkpoint.size > before.checkpoint.size
    assert not private.exists()
    assert arbiter.signing.published() == known
