"""Grouping Black & White in the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

INK = {"black": "bold white on grey15", "white": "bold black on grey93"}
UNKNOWN = "white on grey37"
DOING = {
    "name_starter": "naming the starter",
    "grouping": "grouping",
    "deal": "dealing",
    "betting": "betting",
    "over": "over",
}
ENDS = {"call": "called", "fold": "folded", "allin": "all in", "sudden_death": "sudden death"}
LAST_ROUNDS = 5
"""Number of finished rounds in the list."""
SHORT = 12
"""Maximum letters of a name in a sentence."""
LABEL = 10
View = Mapping[str, Any]


def draw(view: View, names: Sequence[str]) -> RenderableType:
    """The table as one audience sees it: stacks, bets and colours, what only it may see, and how
    the last rounds ended."""
    view = view or {}
    parts: list[RenderableType] = [_seats(view, names), *_own(view), *_hidden(view, names)]
    if view.get("history"):
        parts.append(_history(view["history"], names))
    if view.get("result"):
        parts.append(_result(view["result"], names))
    place = " · ".join(f"{what} {view.get(what) or '?'}" for what in ("set", "pass", "round"))
    doing = DOING.get(view.get("phase") or "", "not begun")
    title = Text(f"Grouping Black & White · {place} · {doing}")
    return Panel(Group(*parts), title=title, box=ROUNDED, width=80)


def _seats(view: View, names: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, expand=True, header_style="dim")
    table.add_column("", width=2)
    table.add_column(f"ante {view.get('ante') or '?'}", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("tile", width=6)
    table.add_column("bet", justify="right", width=8)
    table.add_column("stack", justify="right", width=8)
    for seat in (0, 1):
        acts, starts = view.get("to_act") == seat, view.get("starter") == seat
        bet = _of(view, "bets", seat)
        table.add_row(
            Text.assemble(("▶" if acts else " ", "bold green"), ("★" if starts else "", "yellow")),
            Text(_name(names, seat), style="bold" if acts else ""),
            _in_play(view, seat),
            Text(str(bet) if bet else "·", style="yellow" if bet else "dim"),
            Text(_shown(_of(view, "stacks", seat)), style="bold"),
        )
    table.add_row("", Text("pot", style="dim"), "", Text(_shown(view.get("pot")), "yellow"), "")
    return table


def _in_play(view: View, seat: int) -> Text:
    """The back of the tile: its colour, and for a moderator its number too."""
    colour = _of(view, "colours", seat)
    if colour is None:
        return Text("")
    row, place = _of(view, "tiles", seat), (view.get("round") or 1) - 1
    number = row[place] if row and place < len(row) else "?"
    return Text(f" {number} ", style=INK.get(colour, UNKNOWN))


def _own(view: View) -> list[RenderableType]:
    """What only this seat knows."""
    if "groups" not in view:
        return []
    lines: list[RenderableType] = [_line("Groups", _groups(view.get("groups")))]
    if view.get("order"):
        lines.append(_line("Order", Text(" → ".join(view["order"]).upper())))
    if view.get("own_tile") is not None:
        lines.append(_line("Own tile", _tile(view["own_tile"])))
    if view.get("items"):
        lines.append(_line("Items", Text(", ".join(view["items"]), style="cyan")))
    if view.get("told"):
        lines.append(_line("Seen", _revealed(view["told"])))
    return lines


def _revealed(revealed: Sequence[View]) -> Text:
    """The latest numbers of the other seat that this seat learned, each with its round."""
    shown = Text()
    for one in revealed[-LAST_ROUNDS:]:
        shown.append(" " if shown else "")
        shown.append(f"{one['set']}.{one['pass']}.{one['round']} ", style="dim")
        shown.append_text(_tile(one["number"]))
    return shown


def _hidden(view: View, names: Sequence[str]) -> list[RenderableType]:
    """Groups, items and rows of both seats, for a moderator."""
    if "groups_by_seat" not in view:
        return []
    lines: list[RenderableType] = []
    for seat in (0, 1):
        lines.append(Text(f"  {_short(names, seat)}", style="bold"))
        lines.append(_line("Groups", _groups(_of(view, "groups_by_seat", seat))))
        row, order = _of(view, "tiles", seat), _of(view, "orders", seat)
        if row:
            said = Text(f"  {''.join(order or ()).upper()}", style="dim")
            lines.append(_line("Row", _tiles(row) + said))
        items = _of(view, "items_by_seat", seat)
        if items:
            lines.append(_line("Items", Text(", ".join(items), style="cyan")))
    return lines


def _history(history: Sequence[View], names: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, expand=True, header_style="dim")
    table.add_column("round", width=8, no_wrap=True)
    table.add_column("ended", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("tiles", width=8)
    table.add_column("stacks", justify="right", width=15)
    for ended in history[-LAST_ROUNDS:]:
        numbers = ended.get("numbers")
        table.add_row(
            f"{ended['set']}.{ended['pass']}.{ended['round']}",
            _ended(ended, names),
            _tiles(numbers) if numbers else Text(""),
            " : ".join(map(str, ended["stacks"])),
        )
    return table


def _ended(ended: View, names: Sequence[str]) -> Text:
    said = ENDS[ended["end"]]
    if ended.get("folder") is None:
        return Text(said)
    what = " an 8" if ended.get("folded_8") else ""
    return Text(f"{_short(names, ended['folder'])} {said}{what}")


def _result(result: View, names: Sequence[str]) -> Text:
    winners = ", ".join(_name(names, seat) for seat in result.get("winners") or ())
    return Text(f"  Won by {winners or 'nobody'}", style="bold green")


def _groups(groups: View | None) -> Text:
    if not groups:
        return Text("none yet", style="dim")
    named = (Text(f"{name.upper()} ") + _tiles(groups[name]) for name in ("a", "b", "c"))
    return Text("   ").join(named)


def _line(label: str, said: Text) -> Text:
    return Text.assemble((f"  {label:<{LABEL}}", "bold"), said)


def _tiles(numbers: Iterable[int]) -> Text:
    return Text(" ").join(map(_tile, numbers))


def _tile(number: int) -> Text:
    return Text(f" {number} ", style=INK["white" if number % 2 else "black"])


def _shown(number: int | None) -> str:
    return "?" if number is None else str(number)


def _of(view: View, field: str, seat: int) -> Any:
    """A seat's value of a field, or None if the view does not have it."""
    per_seat = view.get(field)
    return per_seat[seat] if per_seat and seat < len(per_seat) else None


def _name(names: Sequence[str], seat: int) -> str:
    return names[seat] if seat < len(names) else f"seat {seat}"


def _short(names: Sequence[str], seat: int) -> str:
    name = _name(names, seat)
    return name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"
