"""Grouping Black & White in JavaScript gives the same results as the Python rules, to the byte."""

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Any, get_args

import msgspec
import pytest

from domain.commands import EnterDraw, PassDeadline, Start
from domain.events import stored_name
from domain.game import Result
from domain.games.grouping_bw.actions import Call, Group, NameStarter, Peek, Raise
from domain.games.grouping_bw.events import PassBegan, RoundEnded
from domain.games.grouping_bw.grouping import NUMBERS, Grouping, in_groups
from domain.games.grouping_bw.options import Options
from domain.games.grouping_bw.rules import GAME
from service.cli.simulation import SimulatedMatch
from tests.support.tables.game_strategies import as_sent, judgement, step
from tests.support.tables.grouping_bw_tables import ASCENDING, group, parts_for
from tests.support.tables.match_table import MatchTable, seated
from tests.support.web.javascript_rules import MATCHES, agreed, codes, judged, kinds
from tests.support.web.match_descriptions import Described, Step, Try, as_text, described

ENOUGH = 40
"""With this many matches nothing that can happen is left out."""

OF_NO_ACTION = {"options_not_allowed"}
"""A code with which no action is refused."""


@pytest.mark.parametrize("variant", ["death-match", "final-match-2"])
def test_both_variants_as_they_are_are_judged_alike(variant: str) -> None:
    played = []
    for number in range(max(1, MATCHES // 20)):
        match = SimulatedMatch(GAME, 2, {"variant": variant}, f"{variant}/{number}")
        match.play()
        played.append(described(GAME, f"{variant}/{number}", match.records))
    agreed(GAME, played)


# Groupings: random play seldom breaks the limits or agrees on an ante.

EVERY_GROUPING = [
    in_groups((*a, *b, *(number for number in NUMBERS if number not in (*a, *b))))
    for a in combinations(NUMBERS, 2)
    for b in combinations([number for number in NUMBERS if number not in a], 3)
]
BLIND = (NameStarter(0), NameStarter(2), Call(), Call(), Peek(), Raise(1), Raise(10), Raise(11))


def anyhow(rng: Random) -> Group:
    """Tiles in any order, sometimes cut at wrong places, and the fields that may be sent along."""
    row = rng.sample(NUMBERS, 9)
    first, second = rng.choice(((2, 5),) * 20 + ((2, 6), (3, 5), (1, 4)))
    groups = (tuple(row[:first]), tuple(row[first:second]), tuple(row[second:]))
    return Group(*groups, rng.random() < 0.3, rng.choice((None, 1, 3, 3, 3, 3, 10, 0, 11)))


def grouped_anyhow(rng: Random, **chosen: Any) -> MatchTable:
    """A match in which the seats group as they like, or too late, and sometimes act without regard
    to the table; the rest is random."""
    table = seated(GAME, 2, Options(**chosen), clock="rules").when(Start())
    while table.match.status == "running":
        if rng.random() < 0.1:
            table.act(rng.choice((0, 1)), rng.choice(BLIND))
        elif table.match.game.phase == "grouping" and rng.random() < 0.9:
            table.act(rng.choice((0, 1)), anyhow(rng))
        else:
            step(table, rng)
    return table


DEFAULTS: tuple[dict[str, Any], ...] = ({}, {"variant": "death-match"}) + (
    {"variant": "final-match-2"},
) * 3
"""Options that leave everything to the variant, as early records have them."""

POOR: dict[str, Any] = {"variant": "final-match-2", "chips": (3, 3), "items": ((), ())}
"""With these options both seats are soon short at once."""


def luckily(rng: Random) -> dict[str, Any]:
    """Options with few chips, limits that can be met and broken, and items for both seats."""
    return {
        "variant": rng.choice(("death-match", "final-match-2")),
        "chips": rng.choice(((3, 3), (2, 3), (12, 12), (30, 20))),
        "raise_cap": rng.choice((1, 5)),
        "regroup_limits": rng.choice((None, (2, 2, 3), (1, 3, 4), (2, 3, 2), (2, 2, 4))),
        "ante_increase_allowed": rng.random() < 0.8,
        "short_ante": rng.choice(("all_in", "lose")),
        "items": rng.choice(((("order",), ("order", "peek")), ((), ("bonus", "order")))),
        "own_tile_visible": rng.random() < 0.3,
        "leader_check": rng.random() < 0.5,
    }


def test_groupings_of_every_kind_are_judged_alike() -> None:
    """Together they contain every event and every refusal."""
    rng = Random("groupings")
    count = max(MATCHES, ENOUGH)
    chosen = [*DEFAULTS, *(POOR,) * 8, *(luckily(rng) for _ in range(count))]
    played = [grouped_anyhow(rng, **options) for options in chosen]
    matches = [described(GAME, str(number), table.records) for number, table in enumerate(played)]
    agreed(GAME, matches)
    assert kinds(matches) == {stored_name(kind) for kind in get_args(GAME.Event)}
    assert codes(matches) == set(GAME.codes) - OF_NO_ACTION


def test_exactly_147_groupings_may_follow_one_under_the_limits_of_the_final_match() -> None:
    """All 1,260 are tried from one of them, in the second set."""
    table = in_the_second_set()
    tried = [_tried(table, groups) for groups in EVERY_GROUPING]
    assert len(tried) == 1_260
    assert sum(said.answer.startswith('{"events"') for said in tried) == 147
    match = described(GAME, "limits", table.records, tries=0)
    last = msgspec.structs.replace(match.steps[-1], tries=tried)
    verdict = agreed(GAME, [msgspec.structs.replace(match, steps=[*match.steps[:-1], last])])
    assert verdict.counts.tries == 1_260


def in_the_second_set() -> MatchTable:
    """A final match whose first set is over: every bet was a fold that came too late."""
    rng = Random("limits")
    chosen = Options(variant="final-match-2")
    table = seated(GAME, 2, chosen, "server", "rules").when(Start())
    while table.match.game.set == 1:
        if table.match.game.phase == "grouping":
            table.accepted(rng.choice((0, 1)), group(rng.sample(NUMBERS, 9)))
        else:
            assert table.due is not None
            table.when(PassDeadline(), table.due)
    return table


def _tried(table: MatchTable, groups: Grouping) -> Try:
    action = Group(groups.a, groups.b, groups.c)
    code = judgement(table, 1, action)
    events = () if code else GAME.decide(table.match.game, 1, action)
    said = as_text({"invalid": code} if code else {"events": events})
    return Try({"kind": "act", "seat": 1, "action": as_sent(action)}, said)


def test_a_group_of_the_wrong_size_is_judged_alike_as_long_as_it_can_be() -> None:
    table = seated(GAME).when(Start()).accepted(1, NameStarter(0))
    for size in (0, 1, 3, 32):
        table.act(0, Group((0,) * size, (2, 3, 4), (5, 6, 7, 8)))
        assert table.code == "not_a_partition"
    agreed(GAME, [described(GAME, "sizes", table.records)])


# Rare in random play: antes that are too high, and nine equal pairs in a row.


def short(first: int, second: int, *rows: Sequence[int]) -> MatchTable:
    """A match with this many chips, in which the seats agree on an ante of 10 at once."""
    options = Options(variant="final-match-2", chips=(first, second), items=((), ()))
    table = seated(GAME, 2, options).when(Start()).accepted(1, NameStarter(0))
    for seat in (0, 1):
        table.accepted(seat, group(ASCENDING, ante_increase=9))
    return lay_rows(table, *rows)


def lay_rows(table: MatchTable, *rows: Sequence[int]) -> MatchTable:
    """Chance lays these rows."""
    assert table.draw is not None
    return table.when(EnterDraw(table.draw.id, parts_for(*rows)))


def test_sudden_death_that_outlasts_its_pass_is_judged_alike() -> None:
    """Both are short alike, and every pair of tiles is equal until a third pass differs."""
    table = short(4, 4, ASCENDING, ASCENDING)
    lay_rows(table, ASCENDING, ASCENDING)
    lay_rows(table, ASCENDING, (1, 0, *ASCENDING[2:]))
    assert [e for e in table.events if isinstance(e, PassBegan)] == [PassBegan(2), PassBegan(3)]
    assert sum(isinstance(event, RoundEnded) for event in table.events) == 19
    assert table.match.result == Result((1,), (0,), False, (4, 4))
    agreed(GAME, [described(GAME, "sudden death", table.records)])


def test_of_two_short_seats_the_one_with_more_chips_is_judged_to_win() -> None:
    tables = [short(*chips, ASCENDING, ASCENDING) for chips in ((3, 4), (4, 3), (10, 9), (9, 10))]
    winners = [table.match.result.winners for table in tables if table.match.result]
    assert winners == [(1,), (0,), (0,), (1,)]
    agreed(
        GAME, [described(GAME, str(number), table.records) for number, table in enumerate(tables)]
    )


def test_returned_equal_bets_are_judged_alike() -> None:
    """They are returned if nobody would have a chip left; if one seat has, they leave the game."""
    both, one = (short(*chips, ASCENDING, ASCENDING) for chips in ((10, 10), (10, 12)))
    assert both.match.game.stacks == (10, 10) and both.match.game.set == 2
    assert one.match.result == Result((1,), (0,), False, (0, 2))
    agreed(GAME, [described(GAME, "both", both.records), described(GAME, "one", one.records)])


# Malformed actions.

MALFORMED: tuple[dict[str, Any], ...] = (
    {"type": "raise"},
    {"type": "raise", "by": "1"},
    {"type": "raise", "by": 1.5},
    {"type": "raise", "by": None},
    {"type": "raise", "by": 1, "seat": 0},
    {"type": "name_starter", "seat": True},
    {"type": "call", "by": 1},
    {"type": "constructor"},
    {"by": 1},
    {"type": "group", "a": [0, 1], "b": [2, 3, 4]},
    {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": "5678"},
    {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, None]},
    {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5] * 33},
    {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "use_order": None},
    {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "ante_increase": "1"},
)


def test_a_malformed_action_is_not_judged_at_all() -> None:
    """It is neither allowed nor refused: no service could have recorded it."""
    for sent in MALFORMED:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(sent, GAME.Action)
    begun = described(GAME, "malformed", seated(GAME).when(Start()).records, tries=0)
    verdict = judged(GAME, [_with(begun, sent) for sent in MALFORMED])
    whats = [one["what"].split("\n")[0] for one in verdict.differences]
    assert whats == ["TypeError: This is no action of Grouping Black & White."] * len(MALFORMED)


def _with(match: Described, sent: dict[str, Any]) -> Described:
    """The match, in which somebody sends this too."""
    sending = Step({"kind": "act", "seat": 1, "action": sent}, "", "", "", [])
    return msgspec.structs.replace(match, steps=[*match.steps, sending])
