"""The fields of each kind of ruling (/docs/rulings#the-kinds): the options of `arbiter rule`, the
questions by which they are asked for, and the body that is sent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import rich_click as click
from click.types import convert_type

from projections.audience.disclosure import viewer
from projections.audience.event_numbers import public_number
from projections.fields import instant, rfc3339
from projections.texts.plain_text import Names
from service.cli.audiences import seat_called

Body = dict[str, Any]

INSTANT = "with its offset from UTC, like 2026-11-22T20:15:00Z or 2026-11-22T21:15:00+01:00"
ASK_SEATS = "Shall every seat be asked, too? Their consent will do instead of a second person"
OF_TWO = ("rewind", "replace-seat", "result", "void")
"""Kinds that need two people, or the consent of every seat."""


# How values are read. All raise UsageError for what they cannot read.


def number(text: str) -> int:
    """A whole number from 0 on."""
    if not (text.isascii() and text.isdecimal()):
        raise click.UsageError(f"{text!r} is no whole number")
    return int(text)


def event(text: str) -> Body:
    """The field that names a public event: `p6` in the public's count, `8` in the moderators'."""
    public = public_number(text)
    if public is not None:
        return {"before_public": public}
    if not (text.isascii() and text.isdecimal()):
        raise click.UsageError(
            f"{text!r} is no number of an event: p6 in the public's count, or 8 in the moderators'"
        )
    return {"before": int(text)}


def deadline(text: str) -> Body:
    """An instant, with its offset from UTC."""
    try:
        return {"deadline": rfc3339(instant(text))}
    except (ValueError, OverflowError):
        raise click.UsageError(f"{text!r} is no instant {INSTANT}") from None


def more_time(text: str) -> Body:
    """Seconds to add, or the instant of a deadline."""
    return {"seconds": int(text)} if text.strip("0").isdecimal() else deadline(text)


def draw(text: str) -> Body:
    """A draw that was entered by hand and how it came out: `setup=heads,tails`, or as
    JSON, `deal=[[2,1],[4,3]]`."""
    name, _, outcome = text.partition("=")
    if not (name and outcome):
        raise click.UsageError(f"--redraw ID=OUTCOME, not {text!r}")
    if not outcome.startswith("["):
        return {"id": name, "outcome": [int(p) if p.isdecimal() else p for p in outcome.split(",")]}
    try:
        return {"id": name, "outcome": msgspec.json.decode(outcome, type=list[Any])}
    except msgspec.DecodeError as error:
        raise click.UsageError(f"--redraw {name}: {error}") from None


# The table of fields.


class Field(NamedTuple):
    """What is asked for, of the only `kind` that has it, and how it is read. Of a field with
    several values the answer has them with `between` in between."""

    question: str
    kind: str = ""
    type: Any = str
    between: str | None = None

    def reader(self, read: Any) -> Callable[[str], Any]:
        """How an answer is read, by another type than its own if there is one."""
        convert: Callable[[str], Any] = convert_type(read or self.type)
        if self.between is None:
            return convert
        return lambda text: [
            convert(part.strip()) for part in text.split(self.between) if part.strip()
        ]


FIELDS = {
    "reason": Field("The reason, for all who see the ruling"),
    "rule": Field("The rule of the game or of the event by which it is made"),
    "appeals": Field("The id of the ruling about which it decides"),
    "case": Field("The id of the case that it closes"),
    "ask_seats": Field("Every seat is asked; their consent will do", type=bool),
    "deadline": Field("The new deadline, like 2026-11-22T20:15:00Z", "extend", deadline),
    "seconds": Field(
        "Seconds to add, or a deadline like 2026-11-22T20:15Z", "extend", click.IntRange(1)
    ),
    "to": Field("For whom: public, sealed (moderators), or a seat", "note"),
    "text": Field("What the note says", "note"),
    "severity": Field(
        "Its severity: clarification, warning, uphold",
        "note",
        click.Choice(("clarification", "warning", "uphold")),
    ),
    "winner": Field("Who wins: names, with commas", "result", between=","),
    "loser": Field("Who loses, if not all others", "result", between=","),
    "shared": Field("The winners share the victory", "result", bool),
    "score": Field("The score of a seat, NAME=N", "result", between=","),
    "because": Field(
        "Because of what: forfeit, adjudicated", "result", click.Choice(("forfeit", "adjudicated"))
    ),
    "replaced_by": Field("The id of the match that is played instead", "void"),
    "before": Field(
        "The public event before which to rewind: p6 in the public's count, or 8 in the"
        " moderators'",
        "rewind",
        event,
    ),
    "redraw": Field("Draws to enter again, ID=OUTCOME", "rewind", draw, " "),
    "strike": Field("Moderators' numbers of actions to strike", "rewind", number, " "),
    "admit": Field("Moderators' numbers of late actions to count", "rewind", number, " "),
    "reapply": Field(
        "What becomes of later inputs: none, while-legal",
        "rewind",
        click.Choice(("none", "while-legal")),
    ),
    "seat": Field("Whose seat: a name, or seat:N", "replace-seat"),
    "name": Field("Who takes it over", "replace-seat"),
    "has_looked_reason": Field("Why someone who has looked may play", "replace-seat, --second"),
}


def option(name: str) -> str:
    """The option of a field, as it is typed."""
    return f"--{name.replace('_', '-')}"


def field_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of all fields."""
    for name, (question, kind, kind_of_option, between) in reversed(FIELDS.items()):
        command = click.option(
            option(name),
            type=kind_of_option,
            is_flag=kind_of_option is bool,
            multiple=between is not None,
            help=f"{kind}: {question}." if kind else f"{question}.",
        )(command)
    return command


class Fields:
    """What was given as options, by their names. `asks`: someone can be asked for what is missing;
    `asks_all`: also for what may be left out."""

    def __init__(
        self, options: Mapping[str, Any], names: Names, *, asks: bool, asks_all: bool = False
    ) -> None:
        self.names, self.asks, self.asks_all = names, asks, asks_all
        self.rest = {
            name: value for name, value in options.items() if value not in (None, (), False)
        }

    def require(self, name: str, convert: Any = None) -> Any:
        """The value of an option, which is asked for if it was left out."""
        field = FIELDS[name]
        if name not in self.rest:
            return self.ask(name, field.question, field.reader(convert))
        value = self.rest.pop(name)
        if convert is None:
            return value
        return convert(value) if field.between is None else [convert(item) for item in value]

    def ask(self, name: str, question: str, convert: Callable[[str], Any]) -> Any:
        """The answer to a question. Raises UsageError if no one can be asked."""
        if not self.asks:
            raise click.UsageError(f"{option(name)} is needed: {question}")
        return click.prompt(question, value_proc=convert)

    def find(self, name: str, convert: Any = None) -> Any:
        """The value of an option that may be left out, and is asked for where all are; None
        without one."""
        if name in self.rest or not self.asks_all:
            return self.require(name, convert) if name in self.rest else None
        field = FIELDS[name]
        return click.prompt(
            f"{field.question} (may be empty)",
            default="",
            show_default=False,
            value_proc=lambda text: field.reader(convert)(text) if text else None,
        )

    def seat(self, name: str) -> int:
        """The seat of this name, however spelt, or `seat:N`. Raises UsageError."""
        audience = viewer(name)
        if isinstance(audience, int) and audience < len(self.names):
            return audience
        seat = seat_called(name, self.names)
        if seat is None:
            names = ", ".join(self.names)
            raise click.UsageError(f"no seat is called {name!r}; there are {names}, or seat:N")
        return seat


# The body of each kind.


def body_of(kind: str, fields: Fields) -> Body:
    """What is sent for a ruling of this kind. Raises UsageError."""
    body: Body = {"kind": kind.replace("-", "_"), **_KINDS[kind](fields)}
    body["reason"] = fields.require("reason")
    body |= {name: fields.find(name) for name in ("rule", "appeals", "case")}
    asks_seats = fields.rest.pop("ask_seats", False)
    body["ask_seats"] = asks_seats or (
        kind in OF_TWO and fields.asks_all and click.confirm(ASK_SEATS)
    )
    if fields.rest:
        raise click.UsageError(f"{option(min(fields.rest))} is not for {kind}")
    return {name: value for name, value in body.items() if value is not None and value is not False}


def _extend(fields: Fields) -> Body:
    seconds, deadline = fields.rest.pop("seconds", None), fields.rest.pop("deadline", None)
    if seconds and deadline:
        raise click.UsageError("--deadline or --seconds, not both")
    more: Body = {"seconds": seconds} if seconds else deadline
    return more or fields.ask("seconds", FIELDS["seconds"].question, more_time)


def _note(fields: Fields) -> Body:
    def audience(text: str) -> str:
        return text if text in ("public", "sealed") else f"seat:{fields.seat(text)}"

    return {
        "to": fields.require("to", audience),
        "text": fields.require("text"),
        "severity": fields.require("severity"),
    }


def _result(fields: Fields) -> Body:
    winners = sorted(fields.require("winner", fields.seat))
    shared = fields.rest.pop("shared", False)
    if not shared and len(winners) > 1 and fields.asks:
        shared = click.confirm("Do they share the victory with one another alone?")
    losers = sorted(map(fields.seat, fields.rest.pop("loser", ())))
    if not (losers or shared):
        losers = [seat for seat in range(len(fields.names)) if seat not in winners]
    scores = _scores(fields, fields.rest.pop("score", ()))
    result = {"winners": winners, "losers": losers, "shared": shared, "scores": scores}
    return {"result": result, "because": fields.require("because")}


def _scores(fields: Fields, entries: Sequence[str]) -> list[int]:
    """A score for each seat, from options like `Ann=3`, or asked one by one."""
    scores: dict[int, int] = {}
    for entry in entries:
        name, equals, score = entry.rpartition("=")
        if not equals:
            raise click.UsageError(f"--score NAME=N, not {entry!r}")
        scores[fields.seat(name)] = number(score)
    return [
        scores[seat] if seat in scores else fields.ask("score", f"The score of {name}", number)
        for seat, name in enumerate(fields.names)
    ]


def _rewind(fields: Fields) -> Body:
    changed = {name: fields.find(name) or () for name in ("redraw", "strike", "admit")}
    # In a sealed phase that is open a submission is struck or admitted, and nothing else undone.
    in_phase = not changed["redraw"] and any(changed.values())
    before = fields.find("before") if in_phase else fields.require("before")
    changes = [{name: value} for name, values in changed.items() for value in values]
    reapply = fields.find("reapply")
    return {
        **(before or {}),
        "changes": changes or None,
        "reapply": reapply and reapply.replace("-", "_"),
    }


def _replace_seat(fields: Fields) -> Body:
    return {
        "seat": fields.require("seat", fields.seat),
        "name": fields.require("name"),
        "has_looked_reason": fields.rest.pop("has_looked_reason", None),
    }


_KINDS: Mapping[str, Callable[[Fields], Body]] = {
    "pause": lambda _: {},
    "resume": lambda _: {},
    "extend": _extend,
    "note": _note,
    "result": _result,
    "void": lambda fields: {"replaced_by": fields.find("replaced_by")},
    "rewind": _rewind,
    "replace-seat": _replace_seat,
    "confirm": lambda _: {},
}
KINDS = tuple(_KINDS)
"""The kinds of ruling, as they are typed."""
