"""A player of Together We Survive: on stage it votes others off, and it makes others rich.

In group B the richest lose and the next richest win, so tokens are a gift that nobody should want.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

View = Mapping[str, Any]
Field = Mapping[str, Any]
Action = dict[str, Any]

TABLES = (16, 8, 32, 4, 24, 12)
"""The sizes of the demo's tables, in turn: there are too many to play all."""

VOTES_OFF = 0.6
"""Probability that a player who could vote somebody off the stage does."""
PAYS = 0.5
"""Probability of paying a garnet to send both types of votes."""
ABSTAINS = 0.03
"""Probability that a player sends nothing, or withdraws what was sent."""


def choose(view: View, menu: Sequence[Mapping[str, Any]], seat: int, rng: Random) -> Action:
    """One action of the menu, which must not be empty."""
    offer = menu[0]
    fields = offer["schema"]["properties"]
    if offer["type"] == "submit":
        return _submission(view, fields, seat, rng)
    if offer["type"] == "vote":
        others = [one for one in fields["for"]["enum"] if one != seat]
        up = rng.choice(others or fields["for"]["enum"])
        return {"type": "vote", "ballot": fields["ballot"]["enum"][0], "for": up}
    return {"type": "give_token_of_life", "to": _friend(view, fields["to"]["enum"], seat, rng)}


def _submission(view: View, fields: Mapping[str, Field], seat: int, rng: Random) -> Action:
    """Votes of one type, or of both if that is worth a garnet."""
    a = _votes_off(view, fields["a"], seat, rng)
    b = _gifts(view, fields["b"], seat, rng)
    both = a is not None and b is not None
    pays = both and bool(view.get("garnets")) and rng.random() < PAYS
    if both and not pays:
        a, b = (a, None) if rng.random() < VOTES_OFF else (None, b)
    if rng.random() < ABSTAINS:
        a, b, pays = None, None, False
    return {"type": "submit", "a": a, "b": b, "pay_garnet": pays, "round": view["round"]}


def _votes_off(view: View, field: Field, seat: int, rng: Random) -> list[int] | None:
    """Votes for one rival on stage, the more the fewer rivals are left. Where the fewest votes are
    bad, the votes are for the seat itself or a friend."""
    votes = _list(field)
    if votes is None:
        return None
    stage, most = votes["items"]["enum"], votes["maxItems"]
    spent = min(most, 1 + most // len(stage))
    if _fewest_leave(view):
        return [seat if seat in stage else rng.choice(stage)] * spent
    rivals = [one for one in stage if one != seat]
    return [_disliked(view, rivals, rng)] * spent if rivals else None


def _disliked(view: View, rivals: list[int], rng: Random) -> int:
    """A random rival; one with votes from earlier rounds is more likely, as a few more may do."""
    had: Counter[int] = Counter()
    for counted in view.get("votes") or ():
        if counted["a"] is None:
            continue
        had.update({one: counted["a"][one] or 0 for one in rivals})
    return rng.choices(rivals, [1 + had[one] for one in rivals])[0]


def _fewest_leave(view: View) -> bool:
    """Whether some round has shown that the fewest votes are bad. The rules say it, but the bot
    only sees who left."""
    for counted, left in zip(view.get("votes") or (), view.get("kicked_out") or (), strict=False):
        on_stage = [votes for votes in counted["a"] or () if votes is not None]
        if on_stage and left["seats"] and counted["a"][left["seats"][0]] < max(on_stage):
            return True
    return False


def _gifts(view: View, field: Field, seat: int, rng: Random) -> list[int] | None:
    """Three tokens: all for one other player, or one each for three."""
    votes = _list(field)
    if votes is None:
        return None
    receivers, three = votes["items"]["enum"], votes["minItems"]
    others = [one for one in receivers if one != seat] or receivers
    if not votes.get("uniqueItems"):
        return [rng.choice(others)] * three
    return rng.sample(others if len(others) >= three else receivers, three)


def _friend(view: View, without: Sequence[int], seat: int, rng: Random) -> int:
    """Somebody of the seat's own group, if one has no token of life."""
    group = view["groups"][seat]
    return rng.choice([one for one in without if view["groups"][one] == group] or list(without))


def _list(field: Field) -> Field | None:
    """The schema of a list that may also be null; None if it can only be null."""
    lists: list[Field] = [one for one in field.get("anyOf", ()) if one.get("type") == "array"]
    return lists[0] if lists else None
