"""How `arbiter rule` prints previews, rulings, and what has become of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from arbiter_client import Preview, Result, RulingRow, Standing
from projections.audience.event_numbers import Numbering, cited
from projections.texts.plain_text import Names, person, plain
from service.cli.audiences import called
from service.cli.auditing.audit_output import listing


def ruling_text(ruling: RulingRow, names: Names) -> Text:
    """What was ruled, what has become of it, by whom and why; its id, if that is shown."""
    number = "" if ruling.n is None else str(ruling.n)
    at = ruling.at.replace(tzinfo=None).isoformat(" ")
    to = "" if ruling.to == "public" else f" to {called(ruling.to, names)}"
    by = ", ".join("a key without a name" if name is None else plain(name) for name in ruling.by)
    status = plain(ruling.status.replace("_", " ")) + (f", by {by}" if by else "")
    text = Text(f"{number:>3}  {at}  ").append(f"{plain(ruling.kind)}{to}: ", style="bold")
    text.append(f"{status}\n     {plain(ruling.reason)}")
    return text.append(f"\n     {plain(ruling.ruling)}" if ruling.ruling else "", style="dim")


def ordered(ruling: RulingRow, names: Names) -> Text:
    """What a ruling orders, field by field; nothing if that is not shown."""
    return Text("\n".join(f"{plain(k)}: {_value(k, v, names)}" for k, v in ruling.ordered.items()))


def outcome_table(preview: Preview, names: Names) -> Table | Text:
    """Result and standings before and after."""
    rows = list(_outcomes(preview, names))
    if all(before == after for _, before, after in rows):
        return Text("The result and the standings stay as they are.")
    table = listing("", "before", "after")
    for what, before, after in rows:
        table.add_row(Text(what), Text(before), Text(after), style="" if before != after else "dim")
    return table


def consequences(preview: Preview, names: Names, known: Numbering) -> Iterator[Text]:
    """What would be undone, what does not fit any more, and what seats have learned and keep.
    Events are named by the public's numbers that are known, then as moderators count."""
    if preview.undone:
        undone = _numbers(preview.undone, known)
        yield Text(f"Undone: {undone}, as moderators count", style="bold")
    if preview.misfit is not None:
        number = cited(preview.misfit.seq, preview.misfit.public_seq)
        misfit = f"no {number}: {plain(preview.misfit.code)}"
        yield Text(f"The first later input that is not legal any more: {misfit}", style="yellow")
    for one in (one for one in preview.learnt if one.events):
        who = person(one.seat, names)
        learnt = _numbers(one.events, known)
        yield Text(f"What {who} alone has learnt, and keeps: {learnt}", style="yellow")


def result_text(result: Result | None, names: Names) -> str:
    """Who wins, and with which scores."""
    if result is None:
        return "none"
    who = ", ".join(person(seat, names) for seat in result.winners) or "nobody"
    how = "share the victory" if result.shared else "wins" if len(result.winners) < 2 else "win"
    scores = ", ".join(f"{person(seat, names)} {n}" for seat, n in enumerate(result.scores))
    return f"{who} {how}; {scores}"


def _outcomes(preview: Preview, names: Names) -> Iterator[tuple[str, str, str]]:
    before, after = preview.before, preview.after
    yield "result", result_text(before.result, names), result_text(after.result, names)
    earlier = {row.player: row for row in before.standings or ()}
    later = {row.player: row for row in after.standings or ()}
    for player in {**earlier, **later}:
        row = earlier.get(player) or later[player]
        yield plain(row.name), _tally(earlier.get(player)), _tally(later.get(player))


def _tally(row: Standing | None) -> str:
    if row is None:
        return "none"
    return f"{row.played} played: {row.won} won, {row.shared} shared, {row.lost} lost"


def _numbers(events: Sequence[int], known: Numbering) -> str:
    return f"no {', '.join(map(known.cited, events))}"


def _value(name: str, value: Any, names: Names) -> str:
    if name == "seat" and isinstance(value, int):
        return person(value, names)
    if name == "to" and isinstance(value, str):
        return called(value, names)
    if name == "result" and value is not None:
        return result_text(msgspec.convert(value, Result), names)
    return plain(value if isinstance(value, str) else msgspec.json.encode(value).decode())
