"""A check of a tournament follows its garnets: every posting of a settlement is the one that the
end of the match gives."""

from pathlib import Path
from uuid import UUID

import pytest

from service.checking.findings import Finding
from service.checking.pool import check_streams
from service.instance import Instance
from tests.support.instance.damage import other_checkpoint, other_posting, rows_of
from tests.support.instance.service_instance import settings
from tests.support.instance.tournament_play import added, played, settled

pytestmark = pytest.mark.usefixtures("garnets")


def found(database: Path, cup: UUID) -> list[Finding]:
    return check_streams(settings(database).store, [cup.hex]).findings


async def test_settled_garnets_add_up(instance: Instance, cup: UUID, database: Path) -> None:
    await played(instance, cup)
    await settled(instance, cup)
    assert found(database, cup) == []


@pytest.mark.parametrize("reason", ["brought", "kept", "spent", "earned"])
async def test_a_posting_of_another_amount_is_found(
    instance: Instance, cup: UUID, database: Path, reason: str
) -> None:
    await played(instance, cup)
    await settled(instance, cup)
    position = other_posting(database, cup, reason)
    findings = found(database, cup)
    assert {one.part for one in findings} == {"ledgers"}
    assert min(one.position or 0 for one in findings if one.position) >= position


async def test_a_missing_posting_at_the_end_is_found(
    instance: Instance, cup: UUID, database: Path
) -> None:
    await played(instance, cup)
    await settled(instance, cup)
    with rows_of(database, cup) as rows:
        rows.delete(rows.all()[-1].version)
    texts = [one.text for one in found(database, cup)]
    assert "what follows from its last settlement or ruling is missing" in texts


async def test_a_checkpoint_of_another_tournament_is_found(
    instance: Instance, cup: UUID, database: Path
) -> None:
    await instance.notary.checkpoint(cup)
    assert found(database, cup) == []
    other_checkpoint(database, cup)
    assert {one.part for one in found(database, cup)} == {"signatures"}


async def test_garnets_that_nobody_has_are_found(
    instance: Instance, cup: UUID, database: Path
) -> None:
    await added(instance, cup)
    with rows_of(database, cup) as rows:
        entered = next(row for row in rows.all() if row.topic.startswith("tournament.garnets"))
        rows.put(entered._replace(state=entered.state.replace(b"amount\x05", b"amount\x00")))
    texts = [one.text for one in found(database, cup)]
    assert "a posting moves something from one account to another" in texts
    assert "an account other than the house is negative" in texts
