"""What the tests know of Grouping Black & White."""

from tests.support.game_support import GameSupport, Recording
from tests.support.tables.grouping_bw_holdings import holdings
from tests.support.tables.grouping_bw_options import options
from tests.support.tables.match_table import MatchTable
from tests.support.worlds_grouping_bw import other_tiles


def chips_only_leave(table: MatchTable) -> None:
    """Every chip is where the house rules have sent it; in a pot game none leaves."""
    state = table.match.game
    stacks, bets, gone = holdings(state.house, table.events)
    assert (state.stacks, state.bets, state.discarded) == (stacks, bets, gone)
    assert sum(stacks) + sum(bets) + gone == sum(state.house.stacks)
    assert (
        gone == 0
        or state.house.fold_8_penalty
        or "return"
        in (
            state.house.on_fold,
            state.house.on_call,
        )
    )


SUPPORT = GameSupport(
    options=options,
    conserved=chips_only_leave,
    other_outcomes=other_tiles,
    short=("1", {"chips": [1, 1]}),
    other_luck="6",
    variety=[{}, {"chips": [90, 70]}, {"variant": "final-match-2", "raise_cap": 4}],
    refused=[{"type": "fold"}, {"type": "raise", "by": 3}],
    tried=[
        *({"type": "name_starter", "seat": seat} for seat in range(3)),
        *({"type": kind} for kind in ("call", "fold", "peek")),
        *({"type": "raise", "by": by} for by in (0, 1, 10, 11)),
        {"type": "group", "a": [0, 1], "b": [2, 3], "c": [4, 5, 6, 7, 8]},
        {"type": "group", "a": [0, 0], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        {"type": "group", "a": [0, 9], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "use_order": True},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "ante_increase": 1},
    ],
    recording=Recording(
        {
            "variant": "final-match-2",
            "own_tile_visible": True,
            "bet_seconds": 30,
            "passes_per_set": 2,
            "chips": (10, 20),
            "items": (("bonus", "peek", "order"), ("order", "peek")),
            "ante_every_sets": 1,
            "leader_check": True,
            "starter_chooser": 0,
        },
        lateness=0.25,
    ),
    bundles=(
        (2, {}),
        (2, {"variant": "final-match-2"}),
        (2, {"chips": [8, 12], "passes_per_set": 1, "ante_every_sets": 3, "raise_cap": 2}),
        (2, {"on_fold": "return", "on_call": "return", "chips": [10, 10]}),
        (2, {"regroup_limits": [1, 1, 2], "fold_8_penalty": 3, "short_ante": "lose",
             "chips": [9, 9]}),
        (2, {"items": [["bonus", "peek", "order"], ["order"]], "starter_chooser": 0,
             "chips": [12, 12], "own_tile_visible": True}),
        (2, {"variant": "final-match-2", "chips": [15, 15], "ante_increase_allowed": False,
             "leader_check": True, "bet_seconds": 20, "group_seconds": 45}),
    ),
)  # fmt: skip
