"""Several instances on one store: what one has acknowledged, every other one shows."""

import asyncio
from uuid import UUID

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import MatchCreated
from projections.audience.disclosure import Viewer, may_see
from projections.audience.own_lines import RECENT_LINES
from service.application.matches.command_queue import AlreadyExists, CreateMatch
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    created,
    lines_of,
    on_record,
    sends,
    started,
)
from tests.support.tables.directing import START
from tests.support.tables.own_events import lines_start

HEADS, TAILS = ChooseSide("heads"), ChooseSide("tails")
VIEWERS: tuple[Viewer, ...] = (0, 1, "public", "moderator")


async def known_to(other: Instance, match_id: UUID) -> None:
    """Loads the match, as it is now, into the other instance's memory."""
    for viewer in VIEWERS:
        await other.sessions.projection(match_id, viewer)


async def lines_are_right(other: Instance, match_id: UUID) -> None:
    """Every audience has the lines of its records, each once and in order."""
    records = on_record(other, match_id)
    for viewer in VIEWERS:
        visible = [record for record in records if may_see(viewer, record.event)]
        assert await other.sessions.lines(match_id, viewer, 0, len(records)) == (
            lines_of(visible),
            False,
        )


async def test_a_followed_match_equals_a_freshly_read_one(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    for n, action in enumerate((HEADS, NOT_NOW, TAILS)):
        await instance.matches.execute(match_id, sends(0, action, f"key {n}"), 0)
        await other.sessions.current(match_id)
    followed = await other.sessions.current(match_id)
    answered = [followed.find_answer(0, f"key {n}") for n in range(4)]
    followed_state = (followed.match, followed.drawn, followed.length, followed.at)
    other.sessions.session(match_id).forget()
    fresh = await other.sessions.current(match_id)
    assert (fresh.match, fresh.drawn, fresh.length, fresh.at) == followed_state
    assert [fresh.find_answer(0, f"key {n}") for n in range(4)] == answered
    assert answered[1] is not None and answered[1].refused and answered[3] is None


async def test_after_a_catch_up_with_very_many_records_all_lines_are_right(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    await asyncio.gather(
        *(
            instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
            for _ in range(RECENT_LINES + 10)
        )
    )
    loaded = await other.sessions.current(match_id)
    assert loaded.length == len(on_record(instance, match_id)) > 2 * RECENT_LINES
    in_memory = [each.seq - lines_start(each) for each in loaded.projections]
    assert all(lines <= 2 * RECENT_LINES for lines in in_memory)
    assert max(in_memory) == RECENT_LINES
    await lines_are_right(other, match_id)


async def test_a_view_has_what_another_instance_has_recorded(
    instance: Instance, other: Instance
) -> None:
    match_id = await started(instance)
    await known_to(other, match_id)
    await instance.matches.execute(match_id, sends(0, HEADS), 0)
    for viewer in VIEWERS:
        _, there = await instance.sessions.projection(match_id, viewer)
        _, here = await other.sessions.projection(match_id, viewer)
        assert here.seq == there.seq


async def test_a_refusal_relies_on_nothing_that_another_instance_has_changed(
    instance: Instance, other: Instance
) -> None:
    """Nothing is recorded then that another record could be in the way of."""
    match_id = await created(instance)
    await known_to(other, match_id)
    await instance.matches.execute(match_id, START, "public")
    answer = await other.matches.execute(match_id, sends(0, HEADS), 0)
    assert answer.result.code is None


async def test_creation_under_a_used_id_finds_the_existing_match(
    instance: Instance, other: Instance
) -> None:
    match_id = await created(instance)
    first = on_record(instance, match_id)[0].event
    assert isinstance(first, MatchCreated)
    create = CreateMatch(first, ("Ann", "Ben"), other.secret_store.read(match_id))
    with pytest.raises(AlreadyExists):
        await other.matches.execute(match_id, create, "public")
