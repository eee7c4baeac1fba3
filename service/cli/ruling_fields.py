"""The body of each kind of ruling (/docs/rulings#the-kinds), from options or by asking for each
field."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import rich_click as click

from projections.disclosure import viewer
from projections.plain_text import Names
from service.cli.audiences import seat_called
from service.cli.ruling_values import (
    any_text,
    choice,
    drawn,
    each,
    more_time,
    new_deadline,
    own_number,
    point,
    whole,
)

SEVERITIES = ("clarification", "warning", "uphold")
REASONS_OF_RESULTS = ("forfeit", "adjudicated")
REAPPLIED = ("none", "while-legal")
BEFORE = (
    "The public event before which to rewind: p6 in the public's count, or 8 in the moderators'"
)

Body = dict[str, Any]
T = TypeVar("T")


class Fields:
    """What was given as options, by their names. `id_of` finds the id of another match; `asks`:
    somebody can be asked for what is missing; `asks_all`: also for what may be left out."""

    def __init__(
        self,
        given: Mapping[str, Any],
        names: Names,
        id_of: Callable[[str], str],
        *,
        asks: bool,
        asks_all: bool = False,
    ) -> None:
        self.names, self.id_of, self.asks, self._asks_all = names, id_of, asks, asks_all
        self._left = {name: one for name, one in given.items() if one not in (None, (), False)}

    def given(self, name: str, default: Any = None) -> Any:
        """The value of an option that may be left out."""
        return self._left.pop(name, default)

    def needed(self, name: str, question: str, read: Callable[[str], T]) -> T:
        """The value of an option that is asked for if it was left out. Raises UsageError if nobody
        can be asked."""
        if name in self._left:
            return read(self._left.pop(name))
        if not self.asks:
            raise click.UsageError(f"{option(name)} is needed: {question}")
        answer: T = click.prompt(question, value_proc=read, default="", show_default=False)
        return answer

    def wanted(self, name: str, question: str, read: Callable[[str], T]) -> T | None:
        """The value of an option that may be left out, and is asked for where all are; None
        without one."""
        if name not in self._left and not self._asks_all:
            return None
        return self.needed(
            name, f"{question} (may be empty)", lambda said: read(said) if said else None
        )

    def agreed(self, applies: bool, question: str) -> bool:
        """Whether the answer is yes, where all fields are asked for."""
        return applies and self._asks_all and click.confirm(question)

    def check_all_used(self, kind: str) -> None:
        """Raises UsageError if there are options that this kind does not have."""
        if self._left:
            raise click.UsageError(f"{option(min(self._left))} is not for {kind}")

    def seat(self, name: str) -> int:
        """The seat of this name, however spelt, or `seat:N`. Raises UsageError."""
        found = viewer(name)
        if isinstance(found, int) and found < len(self.names):
            return found
        seat = seat_called(name, self.names)
        if seat is None:
            known = ", ".join(self.names)
            raise click.UsageError(f"no seat is called {name!r}; there are {known}, or seat:N")
        return seat

    def seats(self, names: Sequence[str]) -> list[int]:
        """The seats of these names, in order."""
        return sorted(self.seat(name) for name in names)


def body_of(kind: str, fields: Fields) -> Body:
    """What is sent for a ruling of this kind. Raises UsageError."""
    body: Body = {"kind": kind.replace("-", "_"), **_KINDS[kind](fields)}
    body["reason"] = fields.needed("reason", "The reason, for all who see the ruling", any_text)
    for name, question in _MORE.items():
        if (said := fields.wanted(name, question, str)) is not None:
            body[name] = said
    if fields.given("ask_seats", default=False) or fields.agreed(kind in _OF_TWO, ASK_SEATS):
        body["ask_seats"] = True
    fields.check_all_used(kind)
    return body


_MORE = {
    "rule": "The rule of the game or of the event by which it is made",
    "appeals": "The id of the ruling about which it decides",
    "case": "The id of the case that it closes",
}
"""What every kind may have."""

_OF_TWO = ("rewind", "replace-seat", "result", "void")
"""Kinds that need two people, or the consent of every seat."""

ASK_SEATS = "Shall every seat be asked, too? Their consent will do instead of a second person"


def _nothing(fields: Fields) -> Body:
    return {}


def _extend(fields: Fields) -> Body:
    deadline, seconds = fields.given("deadline"), fields.given("seconds")
    if deadline is not None and seconds is not None:
        raise click.UsageError("--deadline or --seconds, not both")
    if deadline is None and seconds is None:
        return fields.needed(
            "seconds", "Seconds to add, or a deadline like 2026-11-22T20:15Z", more_time
        )
    return {"seconds": seconds} if deadline is None else new_deadline(deadline)


def _note(fields: Fields) -> Body:
    def audience(text: str) -> str:
        return text if text in ("public", "sealed") else f"seat:{fields.seat(text)}"

    return {
        "to": fields.needed("to", "For whom: public, sealed (moderators), or a seat", audience),
        "text": fields.needed("text", "What the note says", any_text),
        "severity": fields.needed("severity", *choice("Its severity", SEVERITIES)),
    }


def _result(fields: Fields) -> Body:
    winners = fields.needed("winner", "Who wins: names, with commas", _listed(fields))
    shared = bool(fields.given("shared", default=False))
    if not shared and len(winners) > 1 and fields.asks:
        shared = click.confirm("Do they share the victory with one another alone?")
    rest = [seat for seat in range(len(fields.names)) if seat not in winners]
    losers = fields.seats(fields.given("loser", ())) or ([] if shared else rest)
    scores = fields.given("score", ())
    result = {
        "winners": winners,
        "losers": losers,
        "shared": shared,
        "scores": _scores(fields, scores),
    }
    because = fields.needed("because", *choice("Because of what", REASONS_OF_RESULTS))
    return {"result": result, "because": because}


def _void(fields: Fields) -> Body:
    other = fields.wanted("replaced_by", "The id of the match that is played instead", fields.id_of)
    return {} if other is None else {"replaced_by": other}


def _rewind(fields: Fields) -> Body:
    redraw = fields.wanted("redraw", "Draws to enter again, ID=OUTCOME", each(drawn))
    strike = fields.wanted(
        "strike", "Moderators' numbers of actions that shall not have been", each(own_number)
    )
    admit = fields.wanted(
        "admit", "Moderators' numbers of late actions that shall count", each(own_number)
    )
    body: Body = {}
    # In a sealed phase that is open a submission is struck or admitted, and nothing else undone.
    if redraw or not (strike or admit):
        body |= fields.needed("before", BEFORE, point)
    elif (before := fields.wanted("before", BEFORE, point)) is not None:
        body |= before
    changes = [
        *({"redraw": one} for one in redraw or ()),
        *({"strike": seq} for seq in strike or ()),
        *({"admit": seq} for seq in admit or ()),
    ]
    if changes:
        body["changes"] = changes
    question, read = choice("What becomes of later inputs", REAPPLIED)
    if (reapply := fields.wanted("reapply", question, read)) is not None:
        body["reapply"] = reapply.replace("-", "_")
    return body


def _replace_seat(fields: Fields) -> Body:
    body: Body = {
        "seat": fields.needed("seat", "Whose seat: a name, or seat:N", fields.seat),
        "name": fields.needed("name", "Who takes it over", any_text),
    }
    reason = fields.given("has_looked_reason")
    return body if reason is None else {**body, "has_looked_reason": reason}


_KINDS: Mapping[str, Callable[[Fields], Body]] = {
    "pause": _nothing,
    "resume": _nothing,
    "extend": _extend,
    "note": _note,
    "result": _result,
    "void": _void,
    "rewind": _rewind,
    "replace-seat": _replace_seat,
    "confirm": _nothing,
}
KINDS = tuple(_KINDS)
"""The kinds of ruling, as they are typed."""


# Values.


def option(name: str) -> str:
    """The option of a field, as it is typed."""
    return f"--{name.replace('_', '-')}"


def _listed(fields: Fields) -> Callable[[str | Sequence[str]], list[int]]:
    """How to read seats: names with commas, or one option each."""

    def read(names: str | Sequence[str]) -> list[int]:
        parts = names.split(",") if isinstance(names, str) else names
        return fields.seats([part.strip() for part in parts if part.strip()])

    return read


def _scores(fields: Fields, given: Sequence[str]) -> list[int]:
    """A score for each seat, from options like `Ann=3`, or asked one by one."""
    scores: dict[int, int] = {}
    for one in given:
        name, equals, score = one.rpartition("=")
        if not equals:
            raise click.UsageError(f"--score NAME=N, not {one!r}")
        scores[fields.seat(name)] = whole(score)
    for seat, name in enumerate(fields.names):
        if seat not in scores:
            scores[seat] = fields.needed("score", f"The score of {name}", whole)
    return [scores[seat] for seat in range(len(fields.names))]
