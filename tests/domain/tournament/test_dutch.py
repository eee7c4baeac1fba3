"""Pairings for two seats, compared with those of bbpPairings 6.0 (the rules of FIDE C.04.3 that are
in force from February 2026) for random tournaments with byes, withdrawals and forfeits."""

from itertools import combinations
from pathlib import Path
from random import Random

import networkx
import pytest

from domain.game import Refused
from domain.tournament.dutch import draft_round
from domain.tournament.matching import matched_again
from domain.tournament.stage_decide import planned_history
from domain.tournament.stages import Stage, StageMatch
from domain.tournament.state import standing_of
from tests.domain.tournament.reports import Report, history_before, read, round_of
from tests.domain.tournament.stage_play import Organiser

REPORTS = [read(text) for text in (Path(__file__).parent / "dutch.txt").read_text().split("\n\n")]
"""Reports as bbpPairings has written them, without what no pairing depends on."""


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: f"{len(report)} players")
def test_every_round_is_paired_as_by_the_reference(report: Report) -> None:
    rounds = max(map(len, report.values()))
    for number in range(1, rounds + 1):
        draft, wanted = (
            draft_round(history_before(report, number), rounds),
            round_of(report, number),
        )
        assert {one.players for one in draft.pairings} == {one.players for one in wanted.pairings}
        free = {bye.player for bye in wanted.byes if bye.kind == "bye"}
        assert {bye.player for bye in draft.byes if bye.kind == "bye"} == free


def test_a_round_that_no_pairing_completes_is_refused() -> None:
    swiss = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3)
    organiser = Organiser(4, swiss)
    organiser.rounds(3)
    history = planned_history(standing_of(organiser.state), 1)
    with pytest.raises(Refused, match="no_pairing"):
        draft_round(history, 4)


@pytest.mark.parametrize("report", [one for one in REPORTS if len(one) < 16][:3], ids=len)
def test_rounds_are_the_same_where_networkx_itself_matches(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = max(map(len, report.values()))
    histories = [history_before(report, number) for number in range(1, rounds + 1)]
    fast = [draft_round(history, rounds) for history in histories]
    monkeypatch.setattr("domain.tournament.matching.find_spec", lambda _: None)
    assert [draft_round(history, rounds) for history in histories] == fast


def test_a_matching_that_follows_another_is_as_heavy_as_one_from_the_start() -> None:
    rng = Random(0)
    edges: dict[tuple[int, int], int] = {}
    with matched_again():
        for _ in range(60):
            for edge in rng.sample(list(combinations(range(9), 2)), rng.randint(0, 12)):
                edges[edge] = rng.choice((0, 1, rng.randrange(1, 5), rng.getrandbits(90)))
            again, anew = (_weighed(edges, backend) for backend in ("arbiter", "networkx"))
            assert again == anew


def _weighed(edges: dict[tuple[int, int], int], backend: str) -> tuple[int, int]:
    """How many pairs there are in the best matching of nine nodes, and how much they weigh."""
    graph = networkx.Graph(backend=backend)
    for node in range(9):
        graph.add_node(node)
    for edge, weight in edges.items():
        if weight:
            graph.add_edge(*edge, weight=weight)
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    return len(pairs), sum(edges[min(pair), max(pair)] for pair in pairs)
