"""Version 1 of the rules, by which older matches are still played and judged.

A submission need not name its round, a vote names no ballot, no submission says what it supersedes,
and votes received are published for both groups or for none.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, cast

from msgspec import UNSET, Meta, Struct
from msgspec.structs import asdict, replace

from domain.game import Game, Whole, nothing_misshapen
from domain.games.together import actions, options, rules
from domain.games.together.actions import GiveTokenOfLife
from domain.games.together.events import Event, SubmissionMade
from domain.games.together.state import State
from domain.games.together.state import initial as initial_state
from domain.games.together.text import TEXT as TODAY
from domain.menu import Field, ListOf, Menu, Nullable, Offer, OneOf, Value

MOST_VOTES = 1_000
"""Maximum votes of a type in a submission, however many tokens there are."""

Votes = Annotated[tuple[Whole, ...], Meta(max_length=MOST_VOTES)]


class Options(options.Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The house rules of this version."""

    reveal_vote_counts: bool = True  # type: ignore[assignment]  # wider since version 2


class Submit(Struct, frozen=True, kw_only=True, tag="submit", forbid_unknown_fields=True):
    """A submission; without `round` it is for the open one."""

    a: Votes | None = None
    b: Votes | None = None
    pay_garnet: bool = False
    round: Whole | None = None


class Vote(Struct, frozen=True, tag="vote", rename={"seat": "for"}, forbid_unknown_fields=True):
    """A vote in the open ballot."""

    seat: Whole


Action = Submit | GiveTokenOfLife | Vote

TEXT = f"""\
{TODAY}
## Version 1

By version 1 a submission without a round is for the open one, a vote does not name its ballot, a
list of votes has up to {MOST_VOTES} entries, and `reveal_vote_counts` is true for both groups or
false for none; usually true.
"""


def current(chosen: Options) -> options.Options:
    """The options with the same meaning in today's form."""
    shown = "both" if chosen.reveal_vote_counts else "none"
    fields = asdict(chosen) | {"reveal_vote_counts": shown}
    return options.Options(**fields)


def initial(chosen: Options, seats: int) -> State:
    return initial_state(current(chosen), seats)


def legal(state: State, seat: int) -> Menu:
    """Today's menu, with the fields of this version."""
    return tuple(_MENU.get(offer.type, _same)(offer) for offer in rules.legal(state, seat))


def _same(offer: Offer) -> Offer:
    return offer


def _submit_offer(offer: Offer) -> Offer:
    """A round may be left out, or null; a list of votes is shorter."""
    a = offer.fields["a"]
    if isinstance(a, Nullable) and isinstance(a.field, ListOf):
        a = Nullable(replace(a.field, high=min(a.field.high, MOST_VOTES)))
    (number,) = _values(offer.fields["round"])
    fields = {**offer.fields, "a": a, "round": OneOf((None, number))}
    return replace(offer, fields=fields, optional=(*offer.optional, "round"))


def _values(field: Field) -> tuple[Value, ...]:
    assert isinstance(field, OneOf)
    return field.values


def _vote_offer(offer: Offer) -> Offer:
    """Without the ballot."""
    return replace(offer, fields={"for": offer.fields["for"]})


_MENU: Mapping[str, Callable[[Offer], Offer]] = {"submit": _submit_offer, "vote": _vote_offer}


def decide(state: State, seat: int, action: Action) -> Sequence[Event]:
    """What follows from the action; raises Refused or Invalid."""
    decided = rules.decide(state, seat, _in_full(state, action))
    return [
        replace(event, supersedes=UNSET) if isinstance(event, SubmissionMade) else event
        for event in decided
    ]


def standing(state: State, seat: int) -> Submit | Vote | None:
    """Today's, with the fields of this version."""
    today = rules.standing(state, seat)
    if isinstance(today, actions.Submit):
        return Submit(**asdict(today))
    return None if today is None else Vote(today.seat)


def _in_full(state: State, action: Action) -> actions.Action:
    """The action with the open round or ballot. If none is open it is for the next one, which
    belongs to no phase."""
    if isinstance(action, Vote):
        ballot = state.ballot + (state.phase != "vote")
        return actions.Vote(cast(actions.Ballot, ballot), action.seat)
    if isinstance(action, GiveTokenOfLife):
        return action
    number = action.round
    if number is None:
        number = state.round + (state.phase != "submission")
    return actions.Submit(a=action.a, b=action.b, pay_garnet=action.pay_garnet, round=number)


_today: Game[Any, State, Any, Event] = rules.GAME

GAME: Game[Options, State, Action, Event] = dataclasses.replace(
    _today,
    rules_version=1,
    text=TEXT,
    Options=Options,
    Action=Action,
    complete=options.complete,
    initial=initial,
    legal=legal,
    decide=decide,
    misshapen=nothing_misshapen,
    standing=standing,
)
