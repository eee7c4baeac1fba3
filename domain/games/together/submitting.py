"""The rules of a submission, and the menu that shows them to a seat."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from domain.games.together.actions import Submit
from domain.games.together.groups import Seats
from domain.games.together.options import B_VOTES
from domain.games.together.state import State
from domain.menu import Field, ListOf, Nullable, Offer, OneOf

SHOWN = 4
"""Maximum number of examples of each kind."""

NOTHING_TO_SAY = OneOf((None,))


def past(state: State, number: int) -> bool:
    """Whether the round of this number is over."""
    last = state.round - 1 if state.phase == "submission" else state.round
    return 1 <= number <= last


def flaw(state: State, seat: int, submit: Submit) -> str | None:
    """The code of why the submission does not count; None if it does."""
    if submit.round != state.round:
        return "no_such_round"
    wrong_a = None if submit.a is None else _flaw_of_a(state, seat, submit.a)
    wrong_b = None if submit.b is None else _flaw_of_b(state, seat, submit.b)
    return wrong_a or wrong_b or _flaw_of_both(state, seat, submit)


def _flaw_of_a(state: State, seat: int, votes: tuple[int, ...]) -> str | None:
    if not votes:
        return "no_votes"
    if not set(votes) <= set(state.stage):
        return "not_on_stage"
    return "not_enough_tokens" if len(votes) > state.tokens[seat] else None


def _flaw_of_b(state: State, seat: int, votes: tuple[int, ...]) -> str | None:
    if len(votes) != B_VOTES:
        return "not_three_votes"
    if not set(votes) <= set(state.members.b):
        return "not_in_group_b"
    if seat in votes and not state.options.b_self:
        return "self_vote"
    has_repeats = len(set(votes)) < len(votes)
    return "repeated_vote" if has_repeats and not state.options.b_repeats else None


def _flaw_of_both(state: State, seat: int, submit: Submit) -> str | None:
    """Both types together cost a garnet; one of them alone costs nothing."""
    if submit.a is None or submit.b is None:
        return None
    if not submit.pay_garnet:
        return "garnet_not_offered"
    return None if state.garnets[seat] else "no_garnet"


def superseded(state: State, seat: int, submit: Submit) -> Literal["a", "b"] | UnsetType:
    """The type of the votes in the seat's standing submission that this one drops by having the
    other type alone; the seat may have meant both."""
    standing = state.submissions.standing[seat]
    if standing is None:
        return UNSET
    if submit.a is None and submit.b is not None and standing.a is not None:
        return "a"
    if submit.b is None and submit.a is not None and standing.b is not None:
        return "b"
    return UNSET


# The menu.


def submit_offer(state: State, seat: int) -> Offer:
    """The only entry of the menu while submissions are accepted."""
    most = state.tokens[seat]
    return Offer(
        "submit",
        {
            "a": Nullable(ListOf(OneOf(state.stage), 1, most)) if most else NOTHING_TO_SAY,
            "b": _b_votes(state, seat),
            "pay_garnet": OneOf((False, True)),
            "round": OneOf((state.round,)),
        },
        exact=False,
        optional=("a", "b", "pay_garnet"),
        examples=_examples(state, seat),
    )


def _b_votes(state: State, seat: int) -> Field:
    repeats = state.options.b_repeats
    receivers = _receivers(state, seat)
    if not receivers or (len(receivers) < B_VOTES and not repeats):
        return NOTHING_TO_SAY
    return Nullable(ListOf(OneOf(receivers), B_VOTES, B_VOTES, unique=not repeats))


def _receivers(state: State, seat: int) -> Seats:
    """The seats to which the seat may give type B votes."""
    if state.options.b_self:
        return state.members.b
    return tuple(receiver for receiver in state.members.b if receiver != seat)


def _examples(state: State, seat: int) -> tuple[Mapping[str, Any], ...]:
    """Several of each type, then both at once, and the withdrawal."""
    a, b = _a_examples(state, seat), _b_examples(state, seat)
    both: tuple[Mapping[str, Any], ...] = ()
    if a and b and state.garnets[seat]:
        both = tuple(
            {"a": votes, "b": threes, "pay_garnet": True, "round": state.round}
            for votes, threes in zip(a, b, strict=False)
        )
    return (
        *({"a": votes, "round": state.round} for votes in a),
        *({"b": threes, "round": state.round} for threes in b),
        *both,
        {"a": None, "b": None, "pay_garnet": False, "round": state.round},
    )


def _a_examples(state: State, seat: int) -> list[list[int]]:
    """A vote for each of some seats on stage, then as many votes as the tokens allow, but not one
    more than there are players on stage."""
    tokens = state.tokens[seat]
    if not tokens:
        return []
    stage = _from(state.stage, seat)
    most = min(tokens, len(stage))
    several = [stage[:most]] if most > 1 else []
    doubled = [[stage[-1]] * 2] if tokens > 1 else []
    return [*([receiver] for receiver in stage[:SHOWN]), *several, *doubled]


def _b_examples(state: State, seat: int) -> list[list[int]]:
    if _b_votes(state, seat) is NOTHING_TO_SAY:
        return []
    receivers = _from(_receivers(state, seat), seat)
    threes = [
        [receivers[(first + step) % len(receivers)] for step in range(B_VOTES)]
        for first in range(min(SHOWN, len(receivers)))
    ]
    return [*threes, [receivers[-1]] * B_VOTES] if state.options.b_repeats else threes


def _from(seats: Seats, seat: int) -> list[int]:
    """The same seats in their cyclic order, beginning at a different one for every seat."""
    start = seat % len(seats)
    return [*seats[start:], *seats[:start]]
