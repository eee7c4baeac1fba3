"""A position of Dollar Prize in a terminal: two lines of coins that grow away from the prize."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

DOLLAR = 100
BAR = 20
"""Width of a dollar: one character for five cents."""
SPREAD = 4
"""Maximum equal coins drawn side by side; more are counted."""

FACES = {"penny": "1¢", "nickel": "5¢", "dime": "10¢", "quarter": "25¢"}
COLOURS = {"penny": "dark_orange3", "nickel": "grey70", "dime": "cyan", "quarter": "bold yellow"}


def draw(view: Mapping[str, Any], names: Sequence[str]) -> RenderableType:
    """The view as a panel; any of its fields may be missing."""
    people = [names[seat] if seat < len(names) else f"Seat {seat}" for seat in (0, 1)]
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for column in ("mark", "name", "side"):
        table.add_column(column, no_wrap=True, max_width=18, overflow="ellipsis")
    table.add_column("coins")
    table.add_row(*_seat(view, people[0], 0))
    table.add_row()
    table.add_row(*_seat(view, people[1], 1))
    round_number = view.get("round") or 0
    return Panel(
        Group(_headline(view, people), Text(), table, Text(), _flips(view)),
        title=f"Dollar Prize, round {round_number}" if round_number else "Dollar Prize",
        title_align="left",
        box=box.ROUNDED,
        padding=(0, 2),
    )


def _seat(view: Mapping[str, Any], name: str, seat: int) -> tuple[RenderableType, ...]:
    """The seat to act has an arrow, the winner a star."""
    acts, wins = view.get("to_act") == seat, seat in _winners(view)
    mark = Text("★" if wins else "▶" if acts else " ", style="bold green")
    side = Text(_of(view, "sides", seat) or "", style="italic")
    total = _of(view, "totals", seat) or 0
    coins = Group(_line(_of(view, "lines", seat) or ()), _progress(total))
    return mark, Text(name, style="bold" if acts or wins else ""), side, coins


def _line(coins: Sequence[str]) -> Text:
    line = Text("◆", style="magenta")
    for coin, equal in groupby(coins):
        count = len(list(equal))
        face = Text(f"({FACES.get(coin, coin)})", style=COLOURS.get(coin, ""))
        if count > SPREAD:
            line.append(" ").append_text(face).append(f" x{count}")
        else:
            for _ in range(count):
                line.append(" ").append_text(face)
    return line


def _progress(total: int) -> Text:
    """How far each seat is from a dollar."""
    full = min(BAR, total * BAR // DOLLAR)
    bar = Text("━" * full, style="green" if total >= DOLLAR else "yellow")
    bar.append("·" * (BAR - full), style="dim")
    return bar.append(f" {total}¢", style="bold green" if total >= DOLLAR else "bold")


def _flips(view: Mapping[str, Any]) -> Text:
    """The coins of the last flips, heads emphasised."""
    flips = view.get("last_flips") or ()
    shown = Text("Last flips: " if flips else "No coin has been flipped.", style="dim")
    for number, (coin, face) in enumerate(flips):
        shown.append(", " if number else "")
        shown.append(f"{coin} {face}", style="bold green" if face == "heads" else "not bold")
    return shown


def _headline(view: Mapping[str, Any], people: Sequence[str]) -> Text:
    seat = view.get("to_act")
    who = people[seat] if seat in (0, 1) else "Nobody"
    match view.get("phase"):
        case "choose_side":
            return Text(f"{who} picks heads or tails.")
        case "setup":
            return Text("Five pennies are in the air.")
        case "turn":
            return Text(f"{who} {_still_to_do(view)}.")
        case "steal":
            return Text("The coins of the steal are in the air.")
        case "exchange":
            return Text(f"{who} keeps the stolen coin or exchanges it.")
        case "over":
            return Text(_outcome(view, people), style="bold green")
        case _:
            return Text("The game has not begun.")


def _still_to_do(view: Mapping[str, Any]) -> str:
    if view.get("placed"):
        return "has placed a coin and may convert or end the turn"
    if view.get("converted"):
        return "has converted and is to place a coin"
    return "is to place a coin and may convert before or after"


def _outcome(view: Mapping[str, Any], people: Sequence[str]) -> str:
    winners = _winners(view)
    if len(winners) == 1:
        return f"{people[winners[0]]} takes the prize."
    return " and ".join(people) + " share the prize." if winners else "The game is over."


def _winners(view: Mapping[str, Any]) -> Sequence[int]:
    winners: Sequence[int] = (view.get("result") or {}).get("winners") or ()
    return winners


def _of(view: Mapping[str, Any], field: str, seat: int) -> Any:
    """A seat's value of a field, or None if it is missing."""
    parts = view.get(field) or ()
    return parts[seat] if seat < len(parts) else None
