"""A fault while a view is brought forward leaves the reader as it was: wrong is never an answer."""

import pytest

from domain.games.dollar_prize.actions import ChooseSide
from projections.disclosure import PUBLIC_VIEWER
from service.arbiter import Arbiter
from tests.service.instance import on_record, seen, sends, started
from tests.service.test_door_faults import break_board


async def test_after_a_fault_in_a_board_its_view_fails_again_and_is_never_stale(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = await started(arbiter)
    before, _ = await arbiter.open_matches.view(match_id, PUBLIC_VIEWER, None)
    with monkeypatch.context() as faulty:
        break_board(faulty, PUBLIC_VIEWER)
        await arbiter.matches.enter(match_id, sends(0, ChooseSide("heads")), 0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await arbiter.open_matches.view(match_id, PUBLIC_VIEWER, None)

    seq, view = await arbiter.open_matches.view(match_id, PUBLIC_VIEWER, None)

    assert view == seen(on_record(arbiter, match_id), match_id, "dollar-prize", PUBLIC_VIEWER)
    lines, more = await arbiter.open_matches.lines(match_id, PUBLIC_VIEWER, 0, seq)
    assert before < seq == lines[-1][0] and not more
