"""Recorded matches, played again input by input by the present rules: what each audience is told.

The inputs are kept in a form of their own, which says nothing of how a record is stored. A draw
comes out as it did, and an earlier event is named by its kind, because numbers may change.
"""

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.chance.draws import Draw, Outcome
from domain.events import PUBLIC, Event, Record, stored_name
from domain.games import GAMES
from domain.match import commands
from domain.match.commands import Command, SettleDraw
from domain.match.events import MatchCreated
from domain.match.state import understood
from domain.rulings import commands as ruling_commands
from projections.audience.disclosure import Viewer, audiences, named
from projections.audience.lines import line
from projections.audience.view import AudienceState, see_all, view
from projections.evidence.timeline import shown_whole, timeline, timeline_for
from tests.oracle.stable import Lines, Names
from tests.support.tables.directing import DIRECTOR, pause, resume
from tests.support.tables.disclosed import disclosed
from tests.support.tables.match_table import MatchTable, secrets_of

INPUTS = Path(__file__).with_name("inputs.json.xz")
VIEWS = 6
"""In so many positions of a match, and at its end, its views are recorded."""

TIMED = ("type", "actor", "cause", "what", "code", "undone_by")

Records = list[Record[Event]]


class Input(Struct, frozen=True):
    """An input from outside: `kind` is the name of the command, `fields` are what was given."""

    at: int
    kind: str
    fields: dict[str, Any]


class Played(Struct, frozen=True):
    """A match as it was played. `outcomes` are those of the service's draws, by their ids."""

    name: str
    match: str
    created: dict[str, Any]
    at: int
    inputs: tuple[Input, ...]
    outcomes: dict[str, list[Any]]


def played() -> list[Played]:
    """All matches that are kept."""
    return msgspec.json.decode(lzma.decompress(INPUTS.read_bytes()), type=list[Played])


def history(match: Played) -> dict[str, Lines]:
    """What each audience is told of a match: at each step, by the time line, and by its view."""
    names, units = Names(), dict[str, Lines]()
    table, ends = again(match)
    created = table.match.created
    shown = set(range(0, len(ends), len(ends) // VIEWS + 1)) | {len(ends) - 1}
    steps = ["created", *(f"{one.kind} {_brief(one.fields)}" for one in match.inputs)]
    for viewer in audiences(created):
        told = list(numbered(viewer, table.records))
        for number, step in enumerate(steps):
            begin = ends[number - 1] if number else 0
            new = [one for position, one in told if begin < position <= ends[number]]
            unit = units.setdefault(f"step {number} {step}", [])
            unit += names.lines(new, named(viewer))
            if number in shown:
                seen = see_all(AudienceState(viewer), table.records[: ends[number]])
                now = msgspec.to_builtins(view(match.match, created.game, seen))
                unit += names.lines(now, f"view-of-{named(viewer)}")
        units[f"time line of {named(viewer)}"] = names.lines(timed(match, table.records, viewer))
    return units


def numbered(viewer: Viewer, records: Records) -> Iterator[tuple[int, Any]]:
    """The lines of an audience, with the positions of their events on the record."""
    reached = 0

    def read() -> Iterator[Record[Event]]:
        nonlocal reached
        for record in records:
            reached += 1
            yield record

    public = 0
    for seq, record in disclosed(viewer, read()):
        is_public = record.event.audience == PUBLIC
        public += is_public
        yield reached, msgspec.to_builtins(line(seq, public if is_public else None, record))


def timed(match: Played, records: Records, viewer: Viewer) -> list[dict[str, Any]]:
    """The time line of a reader: what it says of each event, where it says something."""
    entries = timeline_for(match.match, timeline(match.match, shown_whole(records)), viewer)
    said = ({name: getattr(entry, name) for name in TIMED} for entry in entries)
    return [{name: value for name, value in one.items() if value is not None} for one in said]


def again(match: Played) -> tuple[MatchTable, list[int]]:
    """The match that results when its inputs are judged again, and how long its record was after
    each of them."""
    rules = GAMES[match.created["game"]]
    names = match.created["seats"]
    given = {**match.created, "rules_version": rules.rules_version, "seats": len(names)}
    created = msgspec.convert(given, MatchCreated)
    # A secret for each epoch: the draws do not come from it.
    table = MatchTable(rules, created, match.at, secrets_of(created), match.match, names)
    left = {draw: list(outcomes) for draw, outcomes in match.outcomes.items()}

    def settle(draw: Draw) -> SettleDraw:
        return SettleDraw(msgspec.convert(left[draw.id].pop(0), Outcome), bytes(32))

    table.settle_draw = settle
    ends = [len(table.records)]
    for one in match.inputs:
        table.when(command_of(table, one), one.at)
        ends.append(len(table.records))
    return table, ends


PAUSES = {"Pause": pause, "Resume": resume}
"""Rulings that an older recording has as commands."""

ORDERS = ("Start", "EnterDraw", "ClosePhase")
"""Commands of people whom an older recording does not name."""


def command_of(table: MatchTable, given: Input) -> Command:
    """The command of an input."""
    if given.kind in PAUSES:
        return PAUSES[given.kind](f"{given.kind}-{len(table.records)}")
    modules = (commands, ruling_commands)
    kind = next(getattr(module, given.kind) for module in modules if hasattr(module, given.kind))
    fields = dict(given.fields)
    if given.kind == "Act":
        fields["action"] = None
        act: commands.Act = msgspec.convert(fields, kind)
        return replace(act, action=understood(table.game, act.sent))
    if given.kind in ORDERS:
        fields.setdefault("actor", DIRECTOR)
    if given.kind == "EnterDraw":
        fields["outcome"] = [tuple(o) if isinstance(o, list) else o for o in fields["outcome"]]
    if given.kind == "Rule":
        fields["ruling"] = _with_numbers(fields["ruling"], table.records)
    command: Command = msgspec.convert(fields, kind)
    return command


def _with_numbers(value: Any, records: Records) -> Any:
    """A ruling, with the numbers of the events that it names by their kind and how many of it were
    before."""
    if isinstance(value, dict) and value.keys() == {"event", "nth"}:
        kinds = [stored_name(type(record.event)) for record in records]
        return [n for n, kind in enumerate(kinds, 1) if kind == value["event"]][value["nth"]]
    if isinstance(value, dict):
        return {name: _with_numbers(one, records) for name, one in value.items()}
    return [_with_numbers(one, records) for one in value] if isinstance(value, list) else value


def _brief(fields: dict[str, Any]) -> str:
    return json.dumps(fields.get("sent", fields), sort_keys=True)[:60]
