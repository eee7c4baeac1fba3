"""Grouping Black & White: what each action, draw and deadline leads to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.chance.draws import Draw, Outcome
from domain.game import OVER, USUAL_CODES, Awaits, Game, Refused
from domain.games.grouping_bw.actions import Action, Call, Fold, Group, NameStarter, Peek, Raise
from domain.games.grouping_bw.events import (
    Called,
    Event,
    GroupsDrawn,
    GroupsSubmitted,
    NumberTold,
    OrderTold,
    Raised,
    StarterNamed,
    TilesLaid,
)
from domain.games.grouping_bw.grouping import (
    FIRST,
    SIZES,
    Grouping,
    deal_asked,
    grouping_asked,
    in_groups,
    is_partition,
    may_become,
    read_grouping,
    read_rows,
    some_regroupings,
)
from domain.games.grouping_bw.options import Item, Options, check, complete
from domain.games.grouping_bw.rounds import (
    evolve_all,
    fold,
    grouping_ended,
    may_call,
    most_to_raise,
    round_begun,
    set_begun,
    showdown,
)
from domain.games.grouping_bw.state import (
    INVARIANTS,
    Phase,
    State,
    evolve,
    initial,
    reopened,
    result,
)
from domain.match.deadlines import After, Deadline
from domain.match.submissions import Invalid
from domain.menu import NOTHING, Between, Field, ListOf, Menu, Nullable, Offer, OneOf
from domain.registry import text_beside

MOST_INCREASE = 10

GROUPING = "/grouping"
"""How the ids of the sealed phases end."""

CODES: Mapping[str, str] = USUAL_CODES | {
    "options_not_allowed": "The match cannot be played with these options or this many seats.",
    "not_your_turn": "It is the other seat's turn to act.",
    "no_such_seat": "There is no such seat in this match.",
    "raise_out_of_range": "A raise is by 1 chip at least and at most by what the cap, the own "
    "stack and the other's stack allow.",
    "nothing_to_call": "The bets are equal.",
    "not_a_partition": "Every number from 0 to 8 is in exactly one group, and the groups have "
    "2, 3 and 4 of them.",
    "too_many_moved": "More numbers leave a group than may.",
    "item_not_held": "You have never had this item.",
    "item_used": "You have used this item before.",
    "ante_increase_not_allowed": "In this match the ante is not raised by agreement.",
    "ante_increase_out_of_range": "The ante may be raised by 1 to 10 at a time.",
}


# What the game waits for.


def awaits(state: State) -> Awaits:
    if state.phase == "over":
        return OVER
    if state.phase == "deal":
        return Awaits(draw=_draw(state))
    return Awaits(_awaited(state), deadline=_deadline(state))


def _awaited(state: State) -> tuple[int, ...]:
    """The seats that can end the phase."""
    if state.phase == "name_starter":
        return (state.house.starter_chooser,)
    if state.phase == "grouping":
        return (0, 1)
    return () if state.to_act is None else (state.to_act,)


def _draw(state: State) -> Draw:
    """The groups that are still missing, seat by seat, then the deal."""
    groupings = [groups for groups in state.groups if groups is not None]
    if len(groupings) < len(state.groups):
        return grouping_asked(state.set, state.groups.index(None))
    return deal_asked(state.set, state.pass_, groupings)


def _deadline(state: State) -> Deadline:
    """One for the starter's name, one for each grouping, one for each turn to bet."""
    house = state.house
    if state.phase == "name_starter":
        return Deadline("starter", After(house.group_seconds))
    if state.phase == "grouping":
        return Deadline(f"set{state.set}{GROUPING}", After(house.group_seconds))
    turn = f"set{state.set}/pass{state.pass_}/round{state.round}/bet{state.bet}"
    return Deadline(turn, After(house.bet_seconds))


# What a seat may do.

_STARTER: Menu = (Offer("name_starter", {"seat": OneOf((0, 1))}),)
_GROUPS: Mapping[str, Field] = {
    name: ListOf(Between(0, 8), size, size, unique=True)
    for name, size in zip(("a", "b", "c"), SIZES, strict=True)
}
_CALL, _FOLD, _PEEK = Offer("call"), Offer("fold"), Offer("peek")


def legal(state: State, seat: int) -> Menu:
    if state.phase == "grouping":
        return (_grouping_offer(state, seat),)
    if state.phase == "betting":
        peek = (_PEEK,) if "peek" in state.items[seat] else NOTHING
        return (*_bets(state, seat), *peek) if seat == state.to_act else peek
    if state.phase == "name_starter" and seat == state.house.starter_chooser:
        return _STARTER
    return NOTHING


def _bets(state: State, seat: int) -> Menu:
    most = most_to_raise(state, seat)
    raises = (Offer("raise", {"by": Between(1, most)}),) if most > 0 else NOTHING
    calls = (_CALL,) if may_call(state, seat) else NOTHING
    return (*raises, *calls, _FOLD)


def _grouping_offer(state: State, seat: int) -> Offer:
    """Rule 1: three lists that together are a partition, so it is not exact."""
    has_order = "order" in state.items[seat]
    allowed = state.house.ante_increase_allowed
    fields: dict[str, Field] = {
        **_GROUPS,
        "use_order": OneOf((False, True) if has_order else (False,)),
        "ante_increase": Nullable(Between(1, MOST_INCREASE)) if allowed else OneOf((None,)),
    }
    old = state.groups[seat]
    limits = None if old is None else state.house.regroup_limits
    examples = tuple(
        {
            "a": list(new.a),
            "b": list(new.b),
            "c": list(new.c),
            "use_order": has_order and number % 3 == 2,
            "ante_increase": 1 if allowed and number % 2 else None,
        }
        for number, new in enumerate(some_regroupings(old or FIRST, limits))
    )
    return Offer("group", fields, False, ("use_order", "ante_increase"), examples)


def standing(state: State, seat: int) -> Group | None:
    """The groups that count for the seat while groups are being made."""
    submission = state.standing.standing[seat] if state.phase == "grouping" else None
    if submission is None:
        return None
    groups = submission.groups
    return Group(groups.a, groups.b, groups.c, submission.use_order, submission.ante_increase)


# What follows from an action.


def decide(state: State, seat: int, action: Action) -> Sequence[Event]:
    """Raises Refused with one of `CODES`, and Invalid for groups that do not count."""
    if state.phase == "over":
        raise Refused("game_over")
    phase, answer = _ANSWERS[type(action)]
    if state.phase != phase:
        raise Refused("wrong_phase")
    return answer(state, seat, action)


def _name_starter(state: State, seat: int, action: NameStarter) -> Sequence[Event]:
    """Rule 0."""
    if seat != state.house.starter_chooser:
        raise Refused("not_your_turn")
    if action.seat not in (0, 1):
        raise Refused("no_such_seat")
    return [StarterNamed(seat, action.seat), set_begun(state, 1)]


def _group(state: State, seat: int, action: Group) -> Sequence[Event]:
    """Rule 1: the phase resolves once both seats have groups that count."""
    groups = _check_grouping(state, seat, action)
    submission = GroupsSubmitted(seat, groups, action.use_order, action.ante_increase)
    after = evolve(state, submission)
    return [submission, *grouping_ended(after)] if after.standing.all_in else [submission]


def _check_grouping(state: State, seat: int, action: Group) -> Grouping:
    """The groups, if the whole submission is valid."""
    if not is_partition(action.a, action.b, action.c):
        raise Invalid("not_a_partition")
    old, new = state.groups[seat], in_groups((*action.a, *action.b, *action.c))
    if old is not None and not may_become(old, new, state.house.regroup_limits):
        raise Invalid("too_many_moved")
    if action.use_order and (code := _lacking(state, seat, "order")):
        raise Invalid(code)
    if action.ante_increase is not None:
        if not state.house.ante_increase_allowed:
            raise Invalid("ante_increase_not_allowed")
        if not 1 <= action.ante_increase <= MOST_INCREASE:
            raise Invalid("ante_increase_out_of_range")
    return new


def _lacking(state: State, seat: int, item: Item) -> str | None:
    """Why the seat cannot use the item, if it cannot."""
    if item in state.items[seat]:
        return None
    return "item_used" if item in state.house.items[seat] else "item_not_held"


def _raise(state: State, seat: int, action: Raise) -> Sequence[Event]:
    _check_turn(state, seat)
    if not 1 <= action.by <= most_to_raise(state, seat):
        raise Refused("raise_out_of_range")
    return [Raised(seat, action.by)]


def _call(state: State, seat: int, _action: Call) -> Sequence[Event]:
    _check_turn(state, seat)
    if not may_call(state, seat):
        raise Refused("nothing_to_call")
    called = Called(seat)
    return [called, *showdown(evolve(state, called), "call")]


def _fold(state: State, seat: int, _action: Fold) -> Sequence[Event]:
    _check_turn(state, seat)
    return fold(state, seat)


def _check_turn(state: State, seat: int) -> None:
    if seat != state.to_act:
        raise Refused("not_your_turn")


def _peek(state: State, seat: int, _action: Peek) -> Sequence[Event]:
    """Once in a match, on any turn; neither the other seat nor the public sees it."""
    if code := _lacking(state, seat, "peek"):
        raise Refused(code)
    return [NumberTold(seat, state.numbers[1 - seat], "peek")]


_ANSWERS: dict[type[Action], tuple[Phase, Callable[[State, int, Any], Sequence[Event]]]] = {
    NameStarter: ("name_starter", _name_starter),
    Group: ("grouping", _group),
    Raise: ("betting", _raise),
    Call: ("betting", _call),
    Fold: ("betting", _fold),
    Peek: ("betting", _peek),
}


# What follows from chance and time.


def settle(state: State, draw: Draw, outcome: Outcome) -> Sequence[Event]:
    """Groups for a seat without any, or rule 2: the tiles are laid, and the first round begins."""
    if None in state.groups:
        return [GroupsDrawn(state.groups.index(None), read_grouping(outcome))]
    rows = read_rows(outcome)
    events: list[Event] = [
        TilesLaid(tuple(row.tiles for row in rows), tuple(row.order for row in rows)),
        *(OrderTold(seat, rows[seat].order) for seat in (0, 1) if state.ordered[seat]),
    ]
    return [*events, *round_begun(evolve_all(state, events), 1)]


def expire(state: State, deadline: Deadline) -> Sequence[Event]:
    """The chooser starts, the groups stay as they are, the seat to act folds."""
    if state.phase == "name_starter":
        chooser = state.house.starter_chooser
        return [StarterNamed(chooser, chooser), set_begun(state, 1)]
    if state.phase == "grouping":
        return grouping_ended(state)
    (folder,) = _awaited(state)
    return fold(state, folder)


GAME: Game[Options, State, Action, Event] = Game(
    id="grouping-bw",
    title="Grouping Black & White",
    rules_version=1,
    text=text_beside(__name__, "rules.md"),
    seats=range(2, 3),
    Options=Options,
    Action=Action,
    Event=Event,
    codes=CODES,
    check=check,
    complete=complete,
    initial=initial,
    awaits=awaits,
    legal=legal,
    decide=decide,
    settle=settle,
    expire=expire,
    evolve=evolve,
    result=result,
    variants=({"variant": "death-match"}, {"variant": "final-match-2"}),
    invariants=INVARIANTS,
    public_result=True,
    chosen=lambda seat: {"starter_chooser": seat},
    bluff=True,
    sealed_phase=lambda phase: phase.endswith(GROUPING),
    reopened=reopened,
    standing=standing,
)
