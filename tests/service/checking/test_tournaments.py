"""A check of a tournament follows its garnets and its corrections."""

from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Event, Record
from domain.game import Result
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import Correction
from domain.tournament.events import (
    GarnetsPosted,
    MatchCorrected,
    MatchSettled,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingOrdered,
)
from service.checking.findings import Finding
from service.checking.whole_store import check_streams
from service.instance import Instance
from tests.support.instance.damage import other_checkpoint, other_posting, rows_of
from tests.support.instance.service_instance import recorded, settings
from tests.support.instance.tournament_play import added, played, settled
from tests.support.tables.correction_tables import LOST, MO, OLGA, WHY

pytestmark = pytest.mark.usefixtures("garnets")


def found(database: Path, cup: UUID) -> list[Finding]:
    return check_streams(settings(database).store, [cup.hex]).findings


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


async def corrected(instance: Instance, cup: UUID, results: Sequence[Result | None]) -> None:
    """A match that was played and then corrected."""
    match = await played(instance, cup)
    await settled(instance, cup)
    for result in results:
        asked = Rule("", Correction(str(match), result), WHY, OLGA)
        ruling = (await instance.tournament_rulings.execute(cup, asked)).answer.ruling
        await instance.tournament_rulings.execute(cup, SecondRuling(ruling, MO))
    assert len(recorded(instance, cup, MatchSettled)) == 1


async def test_corrected_garnets_add_up(instance: Instance, cup: UUID, database: Path) -> None:
    await corrected(instance, cup, (None, LOST, None))
    assert found(database, cup) == []


def _other_amount(event: Event) -> Event | None:
    if isinstance(event, GarnetsPosted) and event.reason == "reversed":
        return replace(event, amount=event.amount + 1)
    return None


def _other_posting(event: Event) -> Event | None:
    if isinstance(event, GarnetsPosted) and event.reason == "reversed":
        return replace(event, reverses=1)
    return None


def _other_result(event: Event) -> Event | None:
    return replace(event, result=LOST) if isinstance(event, MatchCorrected) else None


def _other_number(event: Event) -> Event | None:
    return replace(event, n=7) if isinstance(event, TournamentRuled) else None


def _other_order(event: Event) -> Event | None:
    if isinstance(event, TournamentRulingOrdered):
        return replace(event, ruling=replace(event.ruling, result=LOST))
    return None


def _same_person(event: Event) -> Event | None:
    if isinstance(event, TournamentDirected) and event.by == "Mo":
        return TournamentDirected(OLGA.by, OLGA.key_id)
    return None


CHANGES: dict[Callable[[Event], Event | None], str] = {
    _other_amount: "tournament.garnets-posted.1 is due otherwise (amount)",
    _other_posting: "tournament.garnets-posted.1 is due otherwise (reverses)",
    _other_result: "tournament.match-corrected.1 is due otherwise (result)",
    _other_number: "tournament.ruled.1 is due otherwise (n)",
    _other_order: "tournament.ruling-ordered.1 is due otherwise (ruling)",
    _same_person: "it is refused: same_person",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
async def test_an_altered_correction_is_found(
    instance: Instance, cup: UUID, database: Path, change: Callable[[Event], Event | None]
) -> None:
    await corrected(instance, cup, (None,))
    with rows_of(database, cup) as rows:
        row, record, other = next(
            (row, record, other)
            for row in rows.all()
            if (other := change((record := decode(row.state)).event)) is not None
        )
        rows.put(row._replace(state=encode(Record(record.at, record.back, other))))
    assert any(CHANGES[change] in one.text for one in found(database, cup))
