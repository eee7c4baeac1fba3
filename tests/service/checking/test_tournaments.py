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


OTHERWISE = "tournament.garnets-posted.1 is due otherwise (amount)"


@pytest.mark.parametrize(
    ("reason", "wrong"),
    [
        ("brought", "it is refused: not_enough_garnets"),
        ("kept", OTHERWISE),
        ("spent", OTHERWISE),
        ("earned", OTHERWISE),
    ],
)
async def test_a_posting_of_another_amount_is_found(
    instance: Instance, cup: UUID, database: Path, reason: str, wrong: str
) -> None:
    await played(instance, cup)
    await settled(instance, cup)
    other_posting(database, cup, reason)
    first = found(database, cup)[0]
    assert first.part == "ledgers"
    assert first.text.endswith(wrong)


async def test_a_missing_posting_at_the_end_is_found(
    instance: Instance, cup: UUID, database: Path
) -> None:
    await played(instance, cup)
    await settled(instance, cup)
    with rows_of(database, cup) as rows:
        rows.delete(rows.all()[-1].version)
    (only,) = found(database, cup)
    assert only.text.endswith("tournament.garnets-posted.1 should follow, and nothing does")


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
    assert "it is refused: not_enough_garnets" in found(database, cup)[-1].text
