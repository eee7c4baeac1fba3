"""Pairings for two seats, compared with those of bbpPairings 6.0 (the rules of FIDE C.04.3 that are
in force from February 2026) for random tournaments with byes, withdrawals and forfeits."""

from pathlib import Path

import pytest

from domain.game import Refused
from domain.tournament.decide import standing_of
from domain.tournament.dutch import drafted
from domain.tournament.stage_decide import planned_history
from domain.tournament.stages import Stage, StageMatch
from tests.domain.tournament.reports import Report, history_before, read, round_of
from tests.domain.tournament.stage_play import Organiser

REPORTS = [read(text) for text in (Path(__file__).parent / "dutch.txt").read_text().split("\n\n")]
"""Reports as bbpPairings has written them, without what no pairing depends on."""


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: f"{len(report)} players")
def test_every_round_is_paired_as_by_the_reference(report: Report) -> None:
    rounds = max(map(len, report.values()))
    for number in range(1, rounds + 1):
        draft, wanted = drafted(history_before(report, number), rounds), round_of(report, number)
        assert {one.players for one in draft.pairings} == {one.players for one in wanted.pairings}
        free = {bye.player for bye in wanted.byes if bye.kind == "bye"}
        assert {bye.player for bye in draft.byes if bye.kind == "bye"} == free


def test_a_round_that_no_pairing_completes_is_refused() -> None:
    swiss = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3)
    organiser = Organiser(4, swiss)
    for _ in range(3):
        organiser.publish()
        organiser.play()
    history = planned_history(standing_of(organiser.state), 1)
    with pytest.raises(Refused, match="no_pairing"):
        drafted(history, 4)
