"""What the tests know of Together We Survive, Together We Prosper."""

from collections.abc import Iterable

from domain.events import Event
from domain.games.together.events import RoundCounted, SubmissionMade
from domain.games.together.options import Options, complete, garnets_of, groups_of
from tests.support.game_support import GameSupport, Recording, Shown
from tests.support.tables.match_table import MatchTable
from tests.support.tables.together_options import options


def holdings(
    options: Options, seats: int, events: Iterable[Event]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Each seat's tokens and garnets after these events: the last submissions before the end of
    each round are paid for, and earn what they earn."""
    played = complete(options, seats)
    start = played.start_tokens
    tokens = [start.a if group == "A" else start.b for group in groups_of(played, seats)]
    garnets = list(garnets_of(played, seats))
    last: dict[int, SubmissionMade] = {}
    for event in events:
        if isinstance(event, SubmissionMade):
            last[event.seat] = event
        if isinstance(event, RoundCounted):
            for seat, said in last.items():
                tokens[seat] -= len(said.a or ())
                garnets[seat] -= said.a is not None and said.b is not None
                for receiver in said.b or ():
                    tokens[receiver] += 1
            last.clear()
    return tuple(tokens), tuple(garnets)


def tokens_and_garnets_are_conserved(table: MatchTable) -> None:
    """Votes cost and earn the stated amounts; a round ends or someone stays for the last time."""
    state, events = table.match.game, table.events
    totals = holdings(table.options, len(table.seats), events)
    assert (state.tokens, state.garnets) == totals
    assert min(map(min, totals)) >= 0
    assert state.round <= 2 * len(state.members.a)


FIELDS = (
    "round phase deadline groups stage kicked_out votes b_tokens winners losers tokens_of_life"
    " candidates garnets_awarded"
)
OWN = "tokens garnets submissions standing"
OF_SEATS = "tokens_by_seat garnets_by_seat standing_by_seat"

SUPPORT = GameSupport(
    limits={
        "b_winner_rank": (1, 32),
        "b_loser_rank": (1, 32),
        "garnet_per_tokens": (1, 1_000),
        "first_round_hours": (0, 1_000),
        "round_hours": (1, 1_000),
        "vote_hours": (1, 1_000),
    },
    shown=[Shown({}, FIELDS, OWN, OF_SEATS)],
    options=options,
    conserved=tokens_and_garnets_are_conserved,
    seats=6,
    short=("13", {}),
    other_luck="27",
    variety=[{}, {"garnets": [0, 1, 2, 3, 4, 5], "b_self": True}, {"start_tokens": {"A": 9}}],
    refused=[{"type": "vote", "ballot": 1, "for": 0}, {"type": "submit", "round": 1}],
    tried=[
        *({"type": "vote", "ballot": n, "for": seat} for n in (1, 2) for seat in range(5)),
        *({"type": "give_token_of_life", "to": seat} for seat in range(5)),
        *({"type": "submit", "round": 1, "a": a} for a in ([], [2], [9], [0] * 9)),
        *({"type": "submit", "round": 1, "b": b} for b in ([], [2, 3], [0, 2, 3], [2] * 4)),
        *({"type": "submit", "round": number} for number in (0, -1, 7)),
    ],
    sealed=True,
    draws=False,
    recording=Recording(
        {
            "garnets": (1, 0, 2, 1, 0, 1, 1, 1),
            "all_tied": "none_out",
            "start_tokens": {"A": 2, "B": 1},
            "garnet_per_tokens": 6,
        },
        seats=8,
        luck="together.v2",
    ),
    bundles=(
        (4, {}),
        (6, {"groups": ["A", "B", "A", "B", "A", "B"], "kick_rule": "fewest"}),
        (5, {"start_tokens": {"A": 2, "B": 3}, "all_tied": "none_out", "b_self": True}),
        (8, {"garnets": [1, 0, 2, 1, 0, 1, 1, 1], "garnet_per_tokens": 3, "b_repeats": False}),
        (6, {"reveal_vote_counts": "none", "b_winner_rank": 1, "b_loser_rank": 2}),
        (7, {"ec_voters": "winners", "deadline_utc": "06:30", "first_round_hours": 0}),
        (12, {"round_hours": 5, "vote_hours": 3, "reveal_vote_counts": "both"}),
    ),
)
