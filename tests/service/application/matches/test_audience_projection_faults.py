"""A fault while a projection advances leaves it unchanged, and is never answered with a wrong
view."""

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from projections.audience.disclosure import PUBLIC_VIEWER
from service.instance import Instance
from tests.support.instance.broken_board import break_board
from tests.support.instance.service_instance import on_record, seen, sends, started


async def test_after_a_fault_in_a_board_its_view_fails_again_and_is_never_stale(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(instance)
    before, _ = await instance.sessions.view(match_id, PUBLIC_VIEWER, None)
    with monkeypatch.context() as faulty:
        break_board(faulty, PUBLIC_VIEWER)
        await instance.matches.execute(match_id, sends(0, ChooseSide("heads")), 0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await instance.sessions.view(match_id, PUBLIC_VIEWER, None)

    seq, view = await instance.sessions.view(match_id, PUBLIC_VIEWER, None)

    assert view == seen(on_record(instance, match_id), match_id, "dollar-prize", PUBLIC_VIEWER)
    lines, more = await instance.sessions.lines(match_id, PUBLIC_VIEWER, 0, seq)
    assert before < seq == len(lines) and not more
