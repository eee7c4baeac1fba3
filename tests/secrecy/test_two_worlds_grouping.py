"""What a seat of Grouping Black & White submits, uses or peeks at reaches no one else.

Two worlds differ only in what another seat did in secret: whether it has grouped, how, how often,
when and how well, what it said with it, and whether it has peeked. All that the public and the
viewer can get must be the same bytes.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

import pytest

from domain.chance.draws import Outcome
from domain.games.grouping_bw.actions import Action, Call, Fold, Group, NameStarter, Peek, Raise
from domain.games.grouping_bw.grouping import FIRST, NUMBERS, in_groups, some_regroupings
from domain.games.grouping_bw.options import Items, Options
from domain.games.grouping_bw.rules import GAME
from domain.match.commands import PassDeadline
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.support.instants import SECOND
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.grouping_bw_tables import ABC, group, said
from tests.support.tables.match_table import MatchTable, seated
from tests.support.worlds import differences, next_key, received_by

SEEDS = range(40)
HELD: Items = ("peek", "order")
OPTIONS = Options(variant="final-match-2", items=(HELD, HELD), starter_chooser=0)
VIEWERS: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, 1)
EVERY_VIEWER = pytest.mark.parametrize("viewer", VIEWERS)


class Sent(NamedTuple):
    """Seconds into the phase at which the seat sends this."""

    second: int
    seat: int
    action: Action


def begun() -> MatchTable:
    """A match in its first grouping, with the clock."""
    return seated(GAME, 2, OPTIONS, "manual", "rules").when(START).act(0, NameStarter(1))


def send(table: MatchTable, everything: Iterable[Sent]) -> MatchTable:
    begin = table.at
    for second, seat, action in sorted(everything, key=lambda sent: sent[:2]):
        table.act(seat, action, next_key(table, seat), begin + second * SECOND)
    return table


def same(one: MatchTable, other: MatchTable, viewer: Viewer) -> bool:
    """Fails if the viewer can distinguish them; returns whether a moderator can."""
    found = differences(received_by(one, viewer), received_by(other, viewer))
    assert found == [], f"{viewer} can tell the worlds apart by {found}"
    return received_by(one, MODERATOR).lines != received_by(other, MODERATOR).lines


def others(viewer: Viewer) -> list[int]:
    return [seat for seat in (0, 1) if seat != viewer]


# What a seat may send in secret.


def valid(rng: Random, increases: Sequence[int | None] = (None, 1, 5, 10)) -> Group:
    """Groups that count, with or without an order and an increase."""
    groups = rng.choice(some_regroupings(FIRST, None))
    return said(groups, use_order=rng.random() < 0.5, ante_increase=rng.choice(increases))


def wrong(rng: Random) -> Action:
    """Submissions that do not count, or do not belong there."""
    return rng.choice(
        (
            Group((0, 1), (2, 3, 4), (5, 6, 7)),
            Group((0, 0), (2, 3, 4), (5, 6, 7, 8)),
            said(FIRST, ante_increase=11),
            Peek(),
            Fold(),
            NameStarter(0),
        )
    )


def secretly(rng: Random, seat: int, *, counts: bool, until: int = 50) -> list[Sent]:
    """Nothing, once or five times, early or late; valid or not where that may be."""
    kinds = (valid, wrong) if counts else (wrong,)
    return [
        Sent(rng.randrange(1, until), seat, rng.choice(kinds)(rng))
        for _ in range(rng.choice((0, 1, 5)))
    ]


# While the phase is open.


@EVERY_VIEWER
@pytest.mark.parametrize("submitted", [False, True])
def test_submitted_or_not_once_or_five_times_valid_or_not_early_or_late(
    viewer: Viewer, submitted: bool
) -> None:
    """As long as not both have valid groups; the public cannot even see who has them."""
    apart = 0
    for seed in SEEDS:
        worlds = []
        for luck in (Random(f"{seed}/one"), Random(f"{seed}/other")):
            own = Sent(20, viewer, valid(Random(seed))) if isinstance(viewer, int) else None
            sent = [own] if own and submitted else []
            counting = luck.choice(others(viewer))
            for seat in others(viewer):
                may_count = seat == counting and not (submitted and own)
                sent += secretly(luck, seat, counts=may_count)
            worlds.append(send(begun(), sent))
            assert worlds[-1].match.game.phase == "grouping"
        apart += same(worlds[0], worlds[1], viewer)
    assert apart > len(SEEDS) / 2


# Once it has resolved.


def deal_of(table: MatchTable, rows: Sequence[Sequence[int]]) -> Outcome:
    """The outcome that lays these rows with the groups that were made for them."""
    parts: list[tuple[int | str, ...]] = []
    for row, groups in zip(rows, table.match.game.groups, strict=True):
        ascending = groups == in_groups(row)
        parts += _cut(row) if ascending else _cut_back(row)
        parts.append(ABC if ascending else ABC[::-1])
    return tuple(parts)


def _cut(row: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(row[:2]), tuple(row[2:5]), tuple(row[5:])]


def _cut_back(row: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(row[7:]), tuple(row[4:7]), tuple(row[:4])]


def grouped(rng: Random, row: Sequence[int], *, reverse: bool, increase: int | None) -> Group:
    a, b, c = _cut_back(row) if reverse else _cut(row)
    return Group(a, b, c, use_order=rng.random() < 0.5, ante_increase=increase)


def resolved(
    viewer: Viewer, rows: Sequence[Sequence[int]], own: Random, luck: Random
) -> MatchTable:
    """Both have grouped so that these rows can come, the last of them after a minute, and they
    come. No increase is agreed on."""
    last = viewer if isinstance(viewer, int) else luck.choice((0, 1))
    sent: list[Sent] = []
    for seat in (0, 1):
        rng = own if seat == viewer else luck
        increase = rng.choice((None, 2 + seat, 8 + seat))
        action = grouped(rng, rows[seat], reverse=rng.random() < 0.5, increase=increase)
        sent.append(Sent(60 if seat == last else 55, seat, action))
        if seat != viewer:
            sent += secretly(luck, seat, counts=seat != last)
    table = send(begun(), sent)
    return table.when(enter_draw("set1/pass1", deal_of(table, rows)))


def play_on(table: MatchTable, viewer: Viewer, own: Random, luck: Random, bets: int) -> None:
    """The same bets in both worlds, while others peek or do not, or send refused actions."""
    for _ in range(bets):
        table.at += SECOND
        for seat in others(viewer):
            if luck.random() < 0.2:
                table.act(seat, luck.choice((Peek(), NameStarter(0))), next_key(table, seat))
        state = table.match.game
        if state.phase != "betting":
            return
        actions: list[Action] = [Raise(1), Fold(), *([Call()] if state.to_call else [])]
        table.act(state.to_act, own.choice(actions))


@EVERY_VIEWER
def test_other_groups_an_order_and_an_increase_without_effect_change_nothing(
    viewer: Viewer,
) -> None:
    apart = 0
    for seed in SEEDS:
        rows = [Random(f"{seed}/{seat}").sample(NUMBERS, 9) for seat in (0, 1)]
        bets = Random(seed).randrange(30)
        worlds = []
        for luck in (Random(f"{seed}/one"), Random(f"{seed}/other")):
            own = Random(seed)
            table = resolved(viewer, rows, own, luck)
            play_on(table, viewer, Random(seed), luck, bets)
            worlds.append(table)
        apart += same(worlds[0], worlds[1], viewer)
    assert apart > len(SEEDS) / 2


@EVERY_VIEWER
def test_groups_made_by_the_seat_or_by_chance_look_the_same(viewer: Viewer) -> None:
    """At the deadline at least one seat has none. No one else can see which one."""
    apart = 0
    for seed in SEEDS:
        rows = [Random(f"{seed}/{seat}").sample(NUMBERS, 9) for seat in (0, 1)]
        worlds = []
        for luck in (Random(f"{seed}/one"), Random(f"{seed}/other")):
            late = viewer if isinstance(viewer, int) else luck.choice((0, 1))
            table = begun()
            for seat in (0, 1):
                if seat != late and luck.random() < 0.5:
                    send(table, [Sent(luck.randrange(30), seat, group(rows[seat]))])
            table.when(PassDeadline(), table.due)
            while (draw := table.draw) is not None and "grouping" in draw.id:
                table.when(enter_draw(draw.id, (tuple(rows[int(draw.id[-1])]),)))
            table.when(enter_draw("set1/pass1", deal_of(table, rows)))
            play_on(table, viewer, Random(seed), luck, 5)
            worlds.append(table)
        apart += same(worlds[0], worlds[1], viewer)
    assert apart > len(SEEDS) / 2


@EVERY_VIEWER
def test_an_increase_that_both_agreed_on_is_all_that_is_shown_of_it(viewer: Viewer) -> None:
    """In one world it was named at once, in the other after something else."""
    worlds = []
    for changes in (False, True):
        sent = []
        for seat in (0, 1):
            action = said(FIRST, ante_increase=4)
            if changes and seat == others(viewer)[0]:
                sent.append(Sent(5, seat, said(FIRST, ante_increase=9 - seat)))
            sent.append(Sent(30 if seat != viewer else 31, seat, action))
        worlds.append(send(begun(), sent))
        assert worlds[-1].match.game.ante == 5
    assert same(worlds[0], worlds[1], viewer)
