"""12 Chips in the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

INK = {"red": "bold white on red", "blue": "bold white on blue"}
UNKNOWN = "white on grey37"
DOING = {"deal": "dealing", "play": "playing", "take": "taking", "over": "over"}
TOKENS_DRAWN = 5


def draw(view: Mapping[str, Any], names: Sequence[str]) -> RenderableType:
    """The table as one audience sees it: the centre, every seat, the seat's own hand if it has one,
    and how the last round ended."""
    view = view or {}
    parts: list[RenderableType] = [_centre(view, names), _seats(view, names)]
    if "hand" in view:
        parts.append(Text.assemble(("  Own hand  ", "bold"), _chips(view["hand"] or ())))
    if view.get("undealt"):
        parts.append(Text.assemble(("  Set aside ", "bold"), _chips(view["undealt"])))
    if view.get("last_round"):
        parts.append(_last_round(view["last_round"], names))
    if view.get("result"):
        parts.append(_result(view["result"], names))
    doing = DOING.get(view.get("phase") or "", "not begun")
    title = f"12 Chips · round {view.get('round') or '?'} · trick {view.get('trick') or '?'}"
    return Panel(Group(*parts), title=Text(f"{title} · {doing}"), box=ROUNDED, width=80)


def _centre(view: Mapping[str, Any], names: Sequence[str]) -> Table:
    """The chips not yet taken, in play order, each above the name of its seat."""
    centre = view.get("centre") or ()
    table = Table.grid(padding=(0, 2))
    table.add_column(width=9)
    for _ in centre:
        table.add_column(justify="center", no_wrap=True, overflow="ellipsis", max_width=13)
    label = Text("  Centre", style="bold")
    if not centre:
        table.add_column()
        table.add_row(label, Text("empty", style="dim"))
        return table
    table.add_row(label, *(_chip(played["chip"]) for played in centre))
    table.add_row("", *(Text(_name(names, played["seat"]), style="dim") for played in centre))
    return table


def _seats(view: Mapping[str, Any], names: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, expand=True, header_style="dim")
    table.add_column("", width=2)
    table.add_column("seat", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("in front", width=15)
    table.add_column("in hand", width=15)
    table.add_column("tokens", width=9)
    for seat, name in enumerate(names):
        acts = view.get("to_act") == seat
        starts = view.get("starter") == seat
        table.add_row(
            Text.assemble(("▶" if acts else " ", "bold green"), ("★" if starts else "", "yellow")),
            Text(name, style="bold" if acts else ""),
            _chips(_of(view, "fronts", seat) or ()),
            _hand(view, seat),
            _tokens(_of(view, "tokens", seat) or 0),
        )
    return table


def _hand(view: Mapping[str, Any], seat: int) -> Text:
    """The chips themselves for a moderator, backs for everybody else."""
    chips = _of(view, "hands", seat)
    if chips is not None:
        return _chips(chips)
    backs = _of(view, "hand_colours", seat)
    if backs is None:
        backs = ["unknown"] * (_of(view, "hand_sizes", seat) or 0)
    return _spaced(Text(" ? ", style=INK.get(back, UNKNOWN)) for back in backs)


def _last_round(last: Mapping[str, Any], names: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, expand=True, header_style="dim")
    table.add_column("", width=2)
    table.add_column("last round", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("chips", width=15)
    table.add_column("sum", justify="right", width=15)
    table.add_column("", width=9)
    for seat, (chips, total) in enumerate(zip(last["chips"], last["sums"], strict=True)):
        won = seat in last["winners"]
        table.add_row(
            "",
            Text(_name(names, seat), style="bold" if won else ""),
            _chips(chips),
            Text(str(total), style="dim red" if total > 21 else ""),
            Text("+ ●" if won else "", style="yellow"),
        )
    return table


def _result(result: Mapping[str, Any], names: Sequence[str]) -> Text:
    winners = ", ".join(_name(names, seat) for seat in result.get("winners") or ())
    said = f"  Shared by {winners}" if result.get("shared") else f"  Won by {winners or 'nobody'}"
    return Text(said, style="bold green")


def _tokens(tokens: int) -> Text:
    """Tokens are drawn side by side while they fit."""
    drawn = " ".join("●" * tokens) if tokens <= TOKENS_DRAWN else f"● x{tokens}"
    return Text(drawn, style="yellow")


def _chips(chips: Iterable[int]) -> Text:
    return _spaced(map(_chip, chips))


def _chip(chip: int) -> Text:
    return Text(f"{chip:^3}", style=INK["red" if 4 <= chip <= 9 else "blue"])


def _spaced(texts: Iterable[Text]) -> Text:
    return Text(" ").join(texts)


def _of(view: Mapping[str, Any], field: str, seat: int) -> Any:
    """A seat's value of a field, or None if the view does not have it."""
    per_seat = view.get(field)
    return per_seat[seat] if per_seat and seat < len(per_seat) else None


def _name(names: Sequence[str], seat: int) -> str:
    return names[seat] if seat < len(names) else f"seat {seat}"
