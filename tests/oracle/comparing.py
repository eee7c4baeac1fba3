"""The differences between two recordings, and which of them are allowed."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from tests.oracle.recording import Recording
from tests.oracle.stable import Lines

ALLOWED = Path(__file__).with_name("allowed.toml")
EXAMPLES = 3
NUMBER = re.compile(r"-?\d+")
OF_EVENT = re.compile(r"(?<=seq )\d+$|(?<=cause )\d+$")
WHOLE = "(all of it)"


class Difference(NamedTuple):
    """A line that is another one now; `before` or `after` is None if there is none."""

    unit: str
    before: str | None
    after: str | None

    @property
    def text(self) -> str:
        """The difference as patterns see it: `unit: before -> after`."""
        return f"{self.unit}: {self.before or ''} -> {self.after or ''}"

    @property
    def kind(self) -> str:
        """What differences that are alike have in common: their area, the place, and how."""
        area = self.unit.partition(" | ")[0].partition("/")[0]
        line = self.before if self.after is None else self.after
        sign = "~" if self.before and self.after else "-" if self.after is None else "+"
        return f"{area} {sign} {WHOLE if line == WHOLE else place(line or '')}"

    @property
    def shift(self) -> int | None:
        """By how much all numbers that differ are greater now; None if something else differs."""
        old, new = self.before or "", self.after or ""
        if NUMBER.sub("N", old) != NUMBER.sub("N", new):
            return None
        pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
        shifts = {int(after) - int(before) for before, after in pairs} - {0}
        return shifts.pop() if len(shifts) == 1 else None


class Allowed(Struct, frozen=True, forbid_unknown_fields=True):
    """Differences that are allowed, `why` in the words of the issue. `pattern` is searched for in
    `unit: before -> after`; with `shift` numbers alone differ, all by one of these."""

    pattern: str
    why: str
    shift: tuple[int, ...] = ()

    def covers(self, difference: Difference) -> bool:
        if self.shift and difference.shift not in self.shift:
            return False
        return re.search(self.pattern, difference.text) is not None


class Added(Struct, frozen=True, forbid_unknown_fields=True):
    """What the new recording alone has: lines whose place ends with `line`, or the elements of
    lists that have a line that ends with `element`."""

    why: str
    line: str | None = None
    element: str | None = None


def allowed(source: Path = ALLOWED) -> list[Allowed]:
    given = tomllib.loads(source.read_text()).get("allowed", [])
    return msgspec.convert(given, list[Allowed])


def added(source: Path = ALLOWED) -> list[Added]:
    given = tomllib.loads(source.read_text()).get("added", [])
    return msgspec.convert(given, list[Added])


def left_out(recording: Recording, rules: Sequence[Added]) -> Recording:
    """The recording without what was added to it."""
    return {
        area: {title: list(_without(lines, rules)) for title, lines in units.items()}
        for area, units in recording.items()
    }


def _without(lines: Lines, rules: Sequence[Added]) -> Iterator[str]:
    gone = tuple(rule.line for rule in rules if rule.line is not None)
    elements = tuple(rule.element for rule in rules if rule.element is not None)
    index = 0
    while index < len(lines):
        line = lines[index]
        end = _end_of_element(lines, index) if line.endswith("[]") else index
        if any(own.endswith(elements) for own in lines[index:end] if own.startswith(f"{line}.")):
            index = end
            continue
        if place(line).rpartition(".")[2] not in gone:
            yield line
        index += 1


def _end_of_element(lines: Lines, index: int) -> int:
    """Where the element of a list ends that begins at an index."""
    begun, end = lines[index], index + 1
    while end < len(lines) and lines[end] != begun and lines[end].startswith(f"{begun}."):
        end += 1
    return end


def differences(before: Recording, after: Recording) -> Iterator[Difference]:
    """All differences, in order."""
    for area in sorted(before.keys() | after.keys()):
        old, new = before.get(area, {}), after.get(area, {})
        for title in dict.fromkeys((*old, *new)):
            unit = f"{area} | {title}"
            if title in old and title in new:
                yield from changed(unit, old[title], new[title])
            else:
                yield Difference(unit, *((WHOLE, None) if title in old else (None, WHOLE)))


def changed(unit: str, old: Lines, new: Lines) -> Iterator[Difference]:
    """The lines that differ; in a stretch of them those at the same place are one difference."""
    if old == new:
        return
    aligned = SequenceMatcher(None, _without_numbers(old), _without_numbers(new), autojunk=False)
    for how, a, b, c, d in aligned.get_opcodes():
        pairs = (
            zip(old[a:b], new[c:d], strict=True) if how == "equal" else paired(old[a:b], new[c:d])
        )
        yield from (Difference(unit, *pair) for pair in pairs if pair[0] != pair[1])


def _without_numbers(lines: Lines) -> Lines:
    """The lines by which two recordings are aligned: the number of an event is no part of them."""
    return [OF_EVENT.sub("", line) for line in lines]


def paired(old: Lines, new: Lines) -> Iterator[tuple[str | None, str | None]]:
    """Lines at the same place, in their order."""
    by_place: dict[str, tuple[Lines, Lines]] = defaultdict(lambda: ([], []))
    for side, lines in enumerate((old, new)):
        for line in lines:
            by_place[place(line)][side].append(line)
    for before, after in by_place.values():
        yield from zip_longest(before, after)


def place(line: str) -> str:
    """Where a line stands: all before its value."""
    return line.partition(" ")[0]


def report(
    found: Sequence[Difference], rules: Sequence[Allowed], *, whole: bool = True
) -> tuple[list[str], bool]:
    """What to tell, and whether every difference is allowed and, if the `whole` was compared, every
    rule explains one."""
    used = dict.fromkeys(rules, 0)
    unexplained: dict[str, list[Difference]] = defaultdict(list)
    for one in found:
        rule = next((rule for rule in rules if rule.covers(one)), None)
        if rule is None:
            unexplained[one.kind].append(one)
        else:
            used[rule] += 1
    lines = [line for kind, those in sorted(unexplained.items()) for line in _told(kind, those)]
    lines += [f"allowed {count} times: {rule.why}" for rule, count in used.items() if count]
    idle = [f"explains nothing: {r.pattern}" for r, count in used.items() if whole and not count]
    total = sum(map(len, unexplained.values()))
    lines += [*idle, f"{len(found)} differences, {total} of them not allowed"]
    return lines, not unexplained and not idle


def _told(kind: str, those: Sequence[Difference]) -> Iterator[str]:
    """Differences of a kind: how many, and some of them."""
    yield f"{kind}: {len(those)} times"
    unit = None
    for one in those[:EXAMPLES]:
        if one.unit != unit:
            unit = one.unit
            yield f"    {unit}"
        yield from (f"      {s}{t}" for s, t in (("-", one.before), ("+", one.after)) if t)
