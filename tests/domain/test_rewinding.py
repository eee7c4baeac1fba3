"""Rulings, section 4: what a rewind gives, sentence by sentence, by one person who may rule alone.

Dollar Prize has public draws, Liar's Dice sealed ones and turns, Grouping Black & White and
Together We Survive have sealed phases.
"""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import (
    Act,
    ClosePhase,
    Command,
    EnterDraw,
    GiveClientSeed,
    IssueKey,
    PassDeadline,
    Start,
)
from domain.deadlines import HOUR, SECOND
from domain.draws import Outcome
from domain.events import OWN_SEAT, PUBLIC, Event
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.games.dollar_prize.events import CoinPlaced
from domain.games.grouping_bw.actions import NameStarter
from domain.games.grouping_bw.events import GroupingEnded, GroupsSubmitted, StarterNamed
from domain.games.liars_dice import Bid, BidPlaced, Challenge, RoundEnded
from domain.games.together.events import SubmissionMade
from domain.match_events import (
    ActionReceived,
    AwaitingChanged,
    Chance,
    ClockRule,
    DeadlinePassed,
    Directed,
    DrawAsked,
    DrawSettled,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
    SeedCommitted,
    SeedSealed,
)
from domain.rejudging import judged
from domain.rewind_events import (
    ActionAdmitted,
    ActionStruck,
    MatchRewound,
    PublicReapplied,
    RewindOrdered,
    SealedReapplied,
    SeatReapplied,
)
from domain.rewinding import Misfit, rewound
from domain.ruling_commands import ConsentToRuling, SecondRuling
from domain.ruling_events import (
    ConsentAsked,
    MatchRuled,
    RulingConsented,
    RulingOrdered,
    RulingProposed,
    SealedRuled,
    SeatRuled,
)
from domain.ruling_kinds import (
    Change,
    Extend,
    Note,
    PauseMatch,
    Reapply,
    Redraw,
    ResumeMatch,
    Rewind,
    RuleResult,
    VoidMatch,
)
from projections.disclosure import MODERATOR, may_see
from tests.support.instants import NOON
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, group
from tests.support.tables.match_table import MATCH, MatchTable, inputs, replayed, seated
from tests.support.tables.ruling_tables import EVE, FINN, REASON, a_result, rule
from tests.support.tables.together_tables import a

BY_EVE = Directed("Eve", "key-eve")


def started(
    name: str,
    seats: int = 2,
    options: Any = None,
    chance: Chance = "manual",
    clock: ClockRule = "rules",
) -> MatchTable:
    """A match that has begun, in which one person may rule alone."""
    created = seated(GAMES[name], seats, options, chance, clock).match.created
    table = MatchTable(
        GAMES[name], replace(created, rulings="single", record=GAMES[name].records[0])
    )
    if chance == "server":
        table.committed()
    return table.when(Start())


def by_two(table: MatchTable) -> MatchTable:
    """The same match, in which some rulings take two people."""
    created = replace(table.match.created, rulings="two")
    again = MatchTable(table.game, created)
    for at, command in inputs(table.game, table.records):
        again.when(command, at)
    return again


def coins(chance: Chance = "manual") -> MatchTable:
    """Dollar Prize behind the choice of sides: the setup pennies are flipped, by hand if chance
    is."""
    return started("dollar-prize", chance=chance).accepted(0, ChooseSide("heads"))


FLIPS: Outcome = ("heads", "tails", "heads", "tails", "tails")


def flipped() -> MatchTable:
    return coins().when(EnterDraw("setup", FLIPS))


def dice(*hands: tuple[int, ...], **options: Any) -> MatchTable:
    """The first turn of Liar's Dice, of 60 s, with these hands."""
    given = {"dice": len(hands[0]), "turn_seconds": 60, **options}
    table = started("liars-dice", len(hands), GAMES["liars-dice"].Options(**given))
    return rolled(table, *hands)


def rolled(table: MatchTable, *hands: tuple[int, ...]) -> MatchTable:
    for hand in hands:
        table.when(EnterDraw(table.draw.id, hand))  # type: ignore[union-attr]
    return table


def grouping() -> MatchTable:
    """The first grouping of Grouping Black & White: sealed, until both have grouped."""
    return started("grouping-bw").accepted(1, NameStarter(0))


def grouped() -> MatchTable:
    """Both have grouped, so it has ended, and the tiles are to be dealt."""
    table = grouping().accepted(0, group(ASCENDING), NOON + 10 * SECOND)
    return table.accepted(1, group(DESCENDING), NOON + 20 * SECOND)


def submitting() -> MatchTable:
    """The first round of Together We Survive, in which nobody has submitted."""
    return started("together", 6)


def last(table: MatchTable, kind: type[Event]) -> int:
    """The position of the last event of this kind."""
    return max(n for n, event in enumerate(table.events, 1) if isinstance(event, kind))


def first(table: MatchTable, kind: type[Event]) -> int:
    return min(n for n, event in enumerate(table.events, 1) if isinstance(event, kind))


def rewind(
    table: MatchTable, before: int | None, *changes: Change, reapply: Reapply = "none"
) -> MatchTable:
    """Eve rewinds the match to before the batch of this event. The record gives the match."""
    table.when(rule(f"at {len(table.events)}", Rewind(before, changes, reapply)))
    assert replayed(table.game, table.records) == table.match == judged(MATCH, table.records)
    return table


def resume(table: MatchTable, at: int | None = None) -> MatchTable:
    return table.when(rule(f"at {len(table.events)}", ResumeMatch()), at)


def no_rewind(table: MatchTable, code: str, before: int | None, *changes: Change) -> None:
    table.conflicts(rule("no", Rewind(before, changes)), code)


def misfit(table: MatchTable, before: int, *changes: Change) -> Misfit | None:
    """Where judging again what came later would end."""
    ruling = Rewind(before, changes, "while_legal")
    command = table.looking_back(rule("preview", ruling))
    past = command.past  # type: ignore[union-attr]
    assert past is not None
    return rewound(table.game, table.match, ruling, past, table.at).misfit


def kinds(table: MatchTable) -> list[type[Event]]:
    return [type(event) for event in table.new_events]


def sent(action: Any) -> dict[str, Any]:
    return msgspec.to_builtins(action)  # type: ignore[no-any-return]


# How many people it takes.


def test_rule_3_one_person_is_enough_for_a_public_draw_mistyped_and_nothing_since() -> None:
    table = by_two(flipped())
    ruling = Rewind(last(table, DrawSettled), (redraw(*("tails",) * 5),))
    assert isinstance(table.when(rule("r", ruling)).new_events[0], MatchRuled)


def test_rule_3_refusals_do_not_count_as_something_since() -> None:
    table = by_two(flipped()).act(0, ChooseSide("heads")).act(1, Place("penny"))
    table.when(rule("r", Rewind(last(table, DrawSettled))))
    assert isinstance(table.new_events[0], MatchRuled)


SINCE = (
    Act(0, Place("penny"), {"type": "place", "coin": "penny"}),
    IssueKey("k", 0, None, EVE),
    rule("note", Note("sealed", "as it stands", "uphold")),
    rule("pause", PauseMatch()),
    rule("pending", VoidMatch()),
)


@pytest.mark.parametrize("since", SINCE, ids=lambda one: type(one).__name__)
def test_rule_3_after_anything_else_it_takes_two(since: Command) -> None:
    table = by_two(flipped()).when(since)
    table.when(rule("r", Rewind(last(table, DrawSettled))))
    assert isinstance(table.new_events[0], RulingProposed)


def test_rule_3_what_told_one_seat_something_takes_two() -> None:
    table = by_two(dice((1,), (2,)))
    assert isinstance(table.new_events[0], SealedDrawSettled)
    table.when(rule("r", Rewind(last(table, AwaitingChanged))))
    assert isinstance(table.new_events[0], RulingProposed)


def test_rule_3_a_strike_in_an_open_sealed_phase_takes_two() -> None:
    table = by_two(submitting()).accepted(0, a(0))
    ruling = Rewind(None, (Change(strike=last(table, ActionReceived)),))
    table.when(rule("r", ruling))
    assert isinstance(table.new_events[0], RulingProposed)
    assert ActionStruck in kinds(table.when(SecondRuling("r", FINN)))


def test_rule_3_the_seats_are_asked_with_before_and_the_last_consent_carries_it_out() -> None:
    table = by_two(dice((1,), (2,))).accepted(0, Bid(1, 3))
    before = last(table, ActionReceived)
    table.when(rule("r", Rewind(last(table, BidPlaced)), ask_seats=True))
    asked = [ConsentAsked(seat, "r", "rewind", REASON, before) for seat in (0, 1)]
    assert [e for e in table.new_events if isinstance(e, ConsentAsked)] == asked
    table.when(ConsentToRuling("r", 1))
    assert kinds(table) == [RulingConsented]
    table.when(ConsentToRuling("r", 0))
    assert MatchRewound(1, before) in table.new_events
    assert replayed(table.game, table.records) == table.match == judged(MATCH, table.records)


def test_rule_3_the_seats_are_not_asked_about_what_is_sealed() -> None:
    table = by_two(submitting()).accepted(0, a(0))
    ruling = Rewind(None, (Change(strike=last(table, ActionReceived)),))
    table.conflicts(rule("r", ruling, ask_seats=True), "not_public")


def test_rule_3_seconded_later_it_undoes_also_what_came_since() -> None:
    table = by_two(dice((1, 1), (2, 2))).accepted(0, Bid(1, 3))
    before = last(table, ActionReceived)
    table.when(rule("r", Rewind(before + 1)))
    table.accepted(1, Bid(1, 4)).when(SecondRuling("r", FINN))
    assert table.match.awaiting.seats == (0,) and table.match.game.bids == ()


def test_rule_3_what_was_undone_meanwhile_cannot_be_seconded() -> None:
    table = by_two(dice((1, 1), (2, 2))).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    table.when(rule("r", Rewind(last(table, BidPlaced))))
    table.when(rule("s", Rewind(first(table, BidPlaced)))).when(SecondRuling("s", FINN))
    table.conflicts(SecondRuling("r", FINN), "not_live")


# `before`.


def test_rule_4_before_names_a_public_event() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3))
    no_rewind(table, "not_public", last(table, SealedDrawSettled))
    no_rewind(table, "not_public", last(table, ActionReceived))
    no_rewind(table, "not_public", last(table, DrawAsked))


def test_rule_4_before_names_a_live_event() -> None:
    table = flipped()
    settled = last(table, DrawSettled)
    rewind(table, settled)
    no_rewind(table, "not_live", settled)
    no_rewind(table, "not_live", len(table.events) + 1)
    no_rewind(table, "not_live", 2**53)


@pytest.mark.parametrize("chance", ["server", "manual"])
def test_rule_4_nothing_is_rewound_to_before_the_start(chance: Chance) -> None:
    table = coins(chance)
    for position in range(1, last(table, MatchStarted) + 1):
        if table.events[position - 1].audience == PUBLIC:
            no_rewind(table, "not_live", position)
    no_rewind(table, "not_live", first(table, AwaitingChanged))


def test_rule_4_before_the_start_nothing_is_rewound() -> None:
    created = seated(GAMES["dollar-prize"])
    no_rewind(created, "not_live", 1)


def test_rule_4_a_final_result_is_not_rewound() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    table.when(rule("over", RuleResult(a_result(2), "forfeit")))
    no_rewind(table, "result_final", before)


def test_rule_4_any_public_event_names_its_whole_batch() -> None:
    settled = last(flipped(), DrawSettled)
    for position in range(settled, len(flipped().events) + 1):
        table = rewind(flipped(), position)
        assert MatchRewound(1, settled) in table.new_events


def test_rule_4_the_batch_of_an_action_begins_with_what_its_seat_sent() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3))
    before = last(table, ActionReceived)
    assert MatchRewound(1, before) in rewind(table, last(table, BidPlaced)).new_events


def test_rule_4_what_is_recorded() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    waits = table.events[before - 2]
    assert isinstance(waits, AwaitingChanged) and waits.draw is not None
    rewind(table, before).then(
        MatchRuled(1, "rewind", REASON, None, None),
        BY_EVE,
        RulingOrdered(f"at {len(table.events) - len(table.new)}", Rewind(before), None),
        MatchRewound(1, before),
        RewindOrdered((), "none"),
        MatchPaused(),
        replace(waits, draw=replace(waits.draw, id="b1/setup")),
    )


def test_rule_1_branches_count_all_rewinds_also_those_that_are_undone() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    rewind(table, before)
    rewind(table, last(table, MatchRewound))
    assert table.match.rulings.branch == 2
    assert MatchRewound(3, before) in rewind(table, before).new_events


def test_rule_1_undoing_a_rewind_gives_back_the_game_that_it_undid() -> None:
    table = flipped().accepted(0, Place("penny"))
    game = table.match.game
    rewind(table, last(table, DrawSettled))
    assert table.match.game != game
    rewind(table, last(table, MatchRewound))
    assert table.match.game == game and table.match.status == "paused"


# Paused, and what was left.


@pytest.mark.parametrize("chance", ["server", "manual"])
def test_rule_4_after_every_rewind_the_match_is_paused(chance: Chance) -> None:
    table = coins(chance)
    rewind(table, last(table, AwaitingChanged))
    assert table.match.status == "paused"
    table.conflicts(Act(0, ChooseSide("tails"), sent(ChooseSide("tails"))), "match_not_running")
    assert resume(table).match.status == "running"


def test_rule_4_what_was_left_of_the_deadline_at_the_point_counts_from_resume() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3), NOON + 20 * SECOND)
    table.accepted(1, Bid(1, 4), NOON + 50 * SECOND)
    rewind(table, first(table, BidPlaced))
    assert MatchPaused(40 * SECOND) in table.new_events
    assert table.due is None
    assert resume(table, NOON + HOUR).due == NOON + HOUR + 40 * SECOND


def test_rule_4_at_a_point_within_a_pause_that_is_what_was_left_then() -> None:
    table = dice((1,), (2,)).when(rule("p", PauseMatch()), NOON + 15 * SECOND)
    table.when(rule("e", Extend(seconds=5)), NOON + HOUR)
    resume(table, NOON + 2 * HOUR)
    rewind(table, last(table, MatchResumed))
    assert MatchPaused(50 * SECOND) in table.new_events
    rewind(table, first(table, MatchPaused))
    assert MatchPaused(45 * SECOND) in table.new_events


def test_rule_4_before_a_deadline_that_passed_nothing_is_left_and_time_can_be_added() -> None:
    table = dice((1,), (2,))
    table.when(PassDeadline(), table.due)
    rewind(table, last(table, DeadlinePassed))
    assert MatchPaused(0) in table.new_events
    table.when(rule("e", Extend(seconds=30)))
    assert resume(table, NOON + HOUR).due == NOON + HOUR + 30 * SECOND


def test_rule_4_pauses_and_deadlines_are_undone_like_all_else() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3), NOON + 20 * SECOND)
    table.when(rule("e", Extend(seconds=100))).when(rule("p", PauseMatch()))
    rewind(table, first(table, BidPlaced))
    assert MatchPaused(40 * SECOND) in table.new_events


# A sealed phase that is open again.


def reopened() -> MatchTable:
    """The grouping is open again, in which both have grouped."""
    table = grouped()
    return rewind(table, last(table, GroupingEnded))


def test_rule_4_a_reopened_sealed_phase_awaits_all_its_seats() -> None:
    table = reopened()
    assert table.match.awaiting.seats == (0, 1)
    standing = table.match.game.standing.standing
    assert [one.seat for one in standing] == [0, 1]


def test_rule_4_it_never_ends_because_all_are_in() -> None:
    table = resume(reopened())
    for seat in (0, 1, 0):
        table.accepted(seat, group(DESCENDING))
        assert kinds(table) == [ActionReceived, GroupsSubmitted]


@pytest.mark.parametrize("by_hand", [False, True])
def test_rule_4_it_ends_by_its_deadline_or_by_hand(by_hand: bool) -> None:
    table = resume(reopened())
    table.when(ClosePhase()) if by_hand else table.when(PassDeadline(), table.due)
    assert isinstance(table.new_events[0], PhaseClosed if by_hand else DeadlinePassed)
    assert GroupingEnded in kinds(table)


def test_rule_4_one_that_begins_behind_the_rewind_ends_as_ever() -> None:
    table = grouped()
    rewind(table, last(table, StarterNamed))
    resume(table).accepted(1, NameStarter(1))
    table.accepted(0, group(ASCENDING)).accepted(1, group(ASCENDING))
    assert GroupingEnded in kinds(table)


def test_rule_1_a_submission_in_the_phase_stands_until_replaced() -> None:
    table = resume(reopened())
    table.accepted(1, group(ASCENDING)).when(ClosePhase())
    groups = table.match.game.groups
    assert groups == (grouped_as(ASCENDING), grouped_as(ASCENDING))


def grouped_as(row: tuple[int, ...]) -> Any:
    action = group(row)
    table = grouping().accepted(0, action)
    return table.match.game.standing.standing[0].groups


def test_rule_4_a_submission_that_stands_is_not_judged_again() -> None:
    """It was never undone. Judged again it would be there twice, and to strike one would leave the
    other."""
    table = grouped()
    of = last(table, ActionReceived)
    rewind(table, last(table, GroupingEnded), reapply="while_legal")
    assert SeatReapplied not in kinds(table)
    rewind(table, None, Change(strike=of))
    assert table.match.game.standing.standing[1] is None


# Chance by hand.


def test_rule_4_by_hand_a_draw_of_a_branch_has_an_id_of_its_own() -> None:
    table = flipped()
    rewind(table, last(table, DrawSettled))
    resume(table).conflicts(EnterDraw("setup", FLIPS), "no_draw_awaited")
    table.when(EnterDraw("b1/setup", FLIPS[::-1]))
    assert table.new_events[0] == DrawSettled("b1/setup", FLIPS[::-1], "manual")
    rewind(table, last(table, DrawSettled))
    assert table.match.awaiting.draw.id == "b2/setup"  # type: ignore[union-attr]


def test_rule_4_a_sealed_draw_of_a_branch_is_asked_for_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(4, 6)).accepted(1, Challenge())
    rolled(table, (4,)).when(rule("p", PauseMatch()))
    rewind(table, last(table, MatchPaused))
    assert [e.id for e in table.new_events if isinstance(e, DrawAsked)] == ["b1/round2/roll/1"]


def redraw(*outcome: Any, of: str = "setup") -> Change:
    """The draw shall have had another outcome."""
    return Change(redraw=Redraw(of, outcome))


def test_rule_4_a_draw_has_another_outcome() -> None:
    table = flipped()
    other: Outcome = ("tails",) * 5
    rewind(table, last(table, DrawSettled), redraw(*other))
    assert DrawSettled("b1/setup", other, "ruling") in table.new_events
    expected = coins().when(EnterDraw("setup", other))
    assert table.match.game == expected.match.game
    assert table.match.status == "paused"
    assert table.match.awaiting.seats == expected.match.awaiting.seats


@pytest.mark.parametrize("outcome", [("heads",), ("heads",) * 4 + (1,), ()], ids=str)
def test_rule_4_an_outcome_fits_its_draw(outcome: tuple[Any, ...]) -> None:
    table = flipped()
    no_rewind(table, "outcome_does_not_fit", last(table, DrawSettled), redraw(*outcome))


def test_rule_4_only_a_draw_by_hand_that_is_awaited_there_has_another_outcome() -> None:
    table = flipped()
    before = last(table, DrawSettled)
    no_rewind(table, "no_such_draw", before, redraw(*FLIPS, of="another"))
    table.accepted(0, Place("penny"))
    no_rewind(table, "no_such_draw", last(table, AwaitingChanged), redraw(*FLIPS))
    served = coins("server")
    no_rewind(served, "no_such_draw", last(served, DrawSettled), redraw(*FLIPS))


def test_rule_4_it_can_be_drawn_otherwise_more_than_once() -> None:
    """The first redraw is undone; then the draw is live again, and can be named."""
    table = flipped()
    settled = last(table, DrawSettled)
    other: Outcome = ("heads",) * 5
    rewind(table, settled, redraw(*("tails",) * 5))
    no_rewind(table, "not_live", settled, redraw(*other))
    rewind(table, last(table, MatchRewound))
    rewind(table, settled, redraw(*other, of="b1/setup"))
    assert DrawSettled("b3/setup", other, "ruling") in table.new_events
    assert table.match.game == coins().when(EnterDraw("setup", other)).match.game


# Chance by the server.


def test_rule_4_a_new_epoch_is_committed_to_while_paused_and_sealed_by_resume() -> None:
    table = coins("server")
    before = last(table, ActionReceived) + 1
    old = [event for event in table.events if isinstance(event, SeedCommitted)]
    rewind(table, before)
    committed = table.new_events[-1]
    assert isinstance(committed, SeedCommitted) and committed.epoch == 1
    assert committed.commit != old[0].commit
    assert table.match.epoch is not None and table.match.epoch.transcript is None
    table.when(GiveClientSeed(1, "ours"))
    resume(table)
    seals = [event for event in table.new_events if isinstance(event, SeedSealed)]
    assert [seal.epoch for seal in seals] == [1]
    table.conflicts(GiveClientSeed(0, "late"), "seed_sealed")


def test_rule_4_what_was_drawn_behind_the_point_is_drawn_anew() -> None:
    table = coins("server")
    drawn = table.events[last(table, DrawSettled) - 1]
    rewind(table, last(table, DrawSettled))
    resume(table).accepted(0, ChooseSide("heads"))
    again = table.events[last(table, DrawSettled) - 1]
    assert isinstance(drawn, DrawSettled) and isinstance(again, DrawSettled)
    assert drawn.id == again.id and drawn.key_commit != again.key_commit


def test_rule_4_what_was_drawn_before_the_point_stands() -> None:
    table = coins("server")
    game = table.match.game
    before = table.accepted(0, Place("penny"))
    rewind(before, last(before, AwaitingChanged))
    assert table.match.game == game


def test_rule_4_a_draw_awaited_at_the_point_is_answered_at_resume() -> None:
    """The rewind itself draws nothing."""
    table = started("dollar-prize", chance="server").accepted(0, ChooseSide("heads"))
    rewind(table, last(table, ActionReceived) + 1, reapply="while_legal")
    assert not {DrawSettled, SealedDrawSettled} & set(kinds(table))
    resume(table)
    assert DrawSettled in kinds(table)


def test_rule_4_by_hand_no_epoch_begins() -> None:
    table = flipped()
    assert SeedCommitted not in kinds(rewind(table, last(table, DrawSettled)))


# Strikes and admissions.


def test_rule_4_a_struck_action_is_not_judged_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    of = last(table, ActionReceived)
    rewind(table, first(table, BidPlaced), Change(strike=of), reapply="while_legal")
    assert ActionStruck(1, of) in table.new_events
    assert [e.of for e in table.new_events if isinstance(e, SeatReapplied)] == [of - 3]
    assert table.match.awaiting.seats == (1,)


def test_rule_4_only_an_action_that_is_undone_or_stands_sealed_is_struck() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    earlier, later = first(table, ActionReceived), last(table, ActionReceived)
    no_rewind(table, "not_live", later + 1, Change(strike=earlier))
    no_rewind(table, "not_live", later + 1, Change(strike=later + 1))
    no_rewind(table, "not_live", later + 1, Change(strike=2**53))
    no_rewind(table, "not_live", None, Change(strike=later))
    rewind(table, later + 1)
    no_rewind(table, "not_live", earlier + 1, Change(strike=later))


def test_rule_4_a_standing_submission_is_struck_in_the_phase_that_is_open_again() -> None:
    table = grouped()
    of = last(table, ActionReceived)
    rewind(table, last(table, GroupingEnded), Change(strike=of))
    assert ActionStruck(1, of) in table.new_events
    assert table.match.game.standing.standing[1] is None


def late() -> MatchTable:
    """A submission for the first round came just after its deadline."""
    table = submitting().accepted(0, a(0))
    table.when(PassDeadline(), table.due)
    return table.act(1, a(1))


def test_rule_4_a_late_action_counts() -> None:
    table = late()
    assert table.code == "late"
    of = last(table, ActionReceived)
    rewind(table, first(table, DeadlinePassed), Change(admit=of))
    assert kinds(table)[-2:] == [ActionAdmitted, SubmissionMade]
    assert table.match.game.submissions.standing[1].a == (1,)


def test_rule_4_only_an_action_that_did_not_count_is_admitted() -> None:
    table = late()
    counted, of = first(table, ActionReceived), last(table, ActionReceived)
    before = first(table, DeadlinePassed)
    for wrong in (counted, of + 1, before, 2**53):
        no_rewind(table, "not_live", before, Change(admit=wrong))
    no_rewind(table, "not_admissible", None, Change(admit=of))


def test_rule_4_an_action_is_admitted_once() -> None:
    table = late()
    of, before = last(table, ActionReceived), first(table, DeadlinePassed)
    no_rewind(table, "not_live", before, Change(admit=of), Change(admit=of))
    rewind(table, before, Change(admit=of))
    no_rewind(table, "not_live", None, Change(admit=of))


def test_rule_4_once_it_is_struck_it_can_be_admitted_in_the_open_phase() -> None:
    table = late()
    of = last(table, ActionReceived)
    rewind(table, first(table, DeadlinePassed), Change(admit=of))
    rewind(table, None, Change(strike=last(table, ActionAdmitted)))
    assert table.match.game.submissions.standing[1] is None
    rewind(table, None, Change(admit=of))
    assert kinds(table)[-2:] == [ActionAdmitted, SubmissionMade]
    assert not any(may_see(viewer, e) for e in table.new_events for viewer in ("public", 0, 2))


# In a sealed phase that is open.


def test_rule_4_in_an_open_sealed_phase_a_strike_undoes_nothing_else() -> None:
    table = submitting().accepted(0, a(0)).accepted(1, a(1)).accepted(1, a(0))
    of, awaiting = last(table, ActionReceived), table.match.awaiting
    rewind(table, None, Change(strike=of))
    table.then(
        SealedRuled("rewind", REASON, None, None),
        BY_EVE,
        RulingOrdered(f"at {of + 1}", Rewind(None, (Change(strike=of),)), None),
        SeatRuled(1, "rewind", REASON, None, None),
        RewindOrdered((Change(strike=of),), "none"),
        ActionStruck(1, of),
    )
    assert [one and one.a for one in table.match.game.submissions.standing] == [
        (0,), (1,), None, None, None, None
    ]  # fmt: skip
    assert (table.match.status, table.match.awaiting) == ("running", awaiting)


def test_rule_4_what_the_rules_still_refuse_is_not_admitted() -> None:
    table = grouping().act(0, group((0, 1, 2, 3, 4, 5, 6, 7, 7)))
    no_rewind(table, "not_admissible", None, Change(admit=last(table, ActionReceived)))


def test_rule_4_nothing_public_is_recorded_of_it() -> None:
    table = grouping().accepted(0, group(ASCENDING))
    rewind(table, None, Change(strike=last(table, ActionReceived)))
    seen = [e for e in table.new_events if may_see(1, e) or may_see("public", e)]
    assert seen == []
    assert table.match.rulings.branch == 0 and table.match.rulings.n == 0


def test_rule_4_a_phase_that_is_not_sealed_has_no_such_ruling() -> None:
    table = dice((1,), (2,)).accepted(0, Bid(1, 3))
    no_rewind(table, "not_live", None, Change(strike=last(table, ActionReceived)))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"changes": []},
        {"changes": [{"redraw": {"id": "x", "outcome": []}}]},
        {"changes": [{"strike": 3}], "reapply": "while_legal"},
        {"changes": [{"strike": 3, "admit": 4}]},
        {"before": 0},
    ],
    ids=str,
)
def test_rule_4_without_before_only_submissions_change(
    fields: dict[str, Any],
) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"kind": "rewind", **fields}, Rewind)


# Later inputs.


def test_rule_4_without_reapply_no_later_input_is_judged_again() -> None:
    table = flipped().accepted(0, Place("penny"))
    assert not REAPPLIED & set(kinds(rewind(table, last(table, DrawSettled))))


REAPPLIED = {PublicReapplied, SeatReapplied, SealedReapplied}


def test_rule_4_later_inputs_are_judged_again_each_for_its_audience() -> None:
    table = flipped().accepted(0, Place("penny"))
    game, drawn, placed = table.match.game, last(table, DrawSettled), last(table, ActionReceived)
    rewind(table, drawn, reapply="while_legal")
    assert [e for e in table.new_events if type(e) in REAPPLIED] == [
        PublicReapplied(drawn),
        SeatReapplied(0, placed),
    ]
    assert table.match.game == game and table.match.status == "paused"


def test_rule_4_a_sealed_draw_is_judged_again_for_moderators() -> None:
    table = dice((1, 2), (2, 3)).accepted(0, Bid(4, 6)).accepted(1, Challenge())
    rolled(table, (4,), (5, 6))
    game, before = table.match.game, last(table, RoundEnded)
    rewind(table, before, reapply="while_legal")
    assert kinds(table).count(SealedReapplied) == 2
    assert table.match.game == game


def test_rule_4_a_passed_deadline_counts_as_a_closed_phase() -> None:
    table = dice((1,), (2,))
    table.when(PassDeadline(), table.due).accepted(1, Bid(2, 6))
    game = table.match.game
    rewind(table, last(table, DeadlinePassed), reapply="while_legal")
    assert [type(e) for e in table.new_events if type(e) in REAPPLIED] == [
        PublicReapplied,
        SeatReapplied,
    ]
    assert table.match.game == game and MatchPaused(60 * SECOND) in table.new_events


def test_rule_4_they_are_judged_until_one_is_refused() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    table.accepted(0, Bid(2, 5))
    before, struck = first(table, BidPlaced), first(table, ActionReceived)
    assert misfit(table, before) is None
    assert misfit(table, before, Change(strike=struck)) == Misfit(struck + 3, "not_your_turn")
    rewind(table, before, Change(strike=struck), reapply="while_legal")
    assert not REAPPLIED & set(kinds(table))


def test_rule_4_they_are_judged_until_the_parts_of_a_draw_differ() -> None:
    """By the hand drawn otherwise the other seat loses a die, so others are rolled next."""
    table = dice((1, 1), (2, 2)).accepted(0, Bid(3, 2)).accepted(1, Challenge())
    challenged = last(table, ActionReceived)
    rolled(table, (4, 4), (5,))
    roll = last(table, RoundEnded) + 3
    assert isinstance(table.events[roll - 1], SealedDrawSettled)
    before, hand = first(table, BidPlaced) - 2, redraw(4, 4, of="round1/roll/1")
    assert misfit(table, before) is None
    assert misfit(table, before, hand) == Misfit(roll, "draw_differs")
    rewind(table, before, hand, reapply="while_legal")
    again = [e.of for e in table.new_events if isinstance(e, SeatReapplied)]
    assert again[-1] == challenged


def test_rule_4_they_are_judged_until_server_chance_is_asked() -> None:
    table = coins("server").act(0, Place("penny"))
    later = last(table, ActionReceived)
    assert misfit(table, first(table, ActionReceived) + 1) == Misfit(later, "draw_awaited")


def test_rule_4_an_action_that_was_refused_is_not_judged_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).act(0, Bid(1, 4)).accepted(1, Bid(1, 4))
    rewind(table, first(table, BidPlaced), reapply="while_legal")
    assert kinds(table).count(SeatReapplied) == 2


def test_rule_4_what_was_judged_again_is_judged_again_from_what_was_sent() -> None:
    table = flipped()
    for seat in (0, 1):
        table.accepted(seat, Place("penny"))
    of, game = last(table, ActionReceived), table.match.game
    rewind(table, last(table, CoinPlaced), reapply="while_legal")
    rewind(table, first(table, DrawSettled), reapply="while_legal")
    again = [e for e in table.new_events if isinstance(e, SeatReapplied)]
    assert again == [SeatReapplied(0, first(table, CoinPlaced) - 1), SeatReapplied(1, of)]
    assert table.match.game == game


def test_rule_4_a_match_that_is_judged_to_its_end_again_is_over() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(3, 2)).accepted(1, Challenge())
    rolled(table, (5, 5), (5,))
    before = last(table, AwaitingChanged)
    table.accepted(1, Bid(3, 5)).accepted(0, Challenge())
    rewind(table, before, redraw(3, of="round2/roll/1"), reapply="while_legal")
    assert isinstance(table.new_events[-1], MatchEnded)
    assert table.match.status == "ended" and table.match.awaiting == AwaitingChanged()


# What everybody keeps.


def test_rule_4_knowledge_is_not_unlearnt() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3))
    before = list(table.records)
    rewind(table, last(table, BidPlaced), reapply="while_legal")
    assert table.records[: len(before)] == before


def test_rule_4_what_was_ordered_is_for_moderators() -> None:
    table = flipped()
    rewind(table, last(table, DrawSettled), redraw(*FLIPS))
    ordered = [e for e in table.new_events if isinstance(e, RewindOrdered | RulingOrdered)]
    assert len(ordered) == 2
    assert not any(may_see(viewer, e) for e in ordered for viewer in (0, 1, "public"))
    assert all(may_see(MODERATOR, e) for e in ordered)
    assert all(e.audience != OWN_SEAT for e in table.new_events)
