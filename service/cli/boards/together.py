"""Together We Survive in the terminal: the stage, the tokens, and the results so far."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

View = Mapping[str, Any]
Names = Sequence[str]

WIDTH = 80
DOING = {
    "submission": "submissions",
    "token_of_life": "tokens of life",
    "vote": "elimination candidates",
    "over": "over",
}
STATUS = {"valid": "green", "invalid": "red", "late": "yellow", "superseded": "dim"}
MOST_SUBMISSIONS = 6
"""Maximum of the seat's own submissions drawn, the latest ones."""
MOST_VOTED = 8
"""Maximum players named as receivers of votes."""


def draw(view: Mapping[str, Any], names: Sequence[str]) -> RenderableType:
    """The match as one audience sees it: both groups side by side, the rounds so far, the viewer's
    own tokens and submissions, and how it ended."""
    view = view or {}
    parts: list[RenderableType] = [_groups(view, names)]
    if view.get("kicked_out"):
        parts.append(_rounds(view, names))
    if "submissions" in view:
        parts.append(_own(view, names))
    if view.get("winners"):
        parts.append(_outcome(view, names))
    doing = DOING.get(view.get("phase") or "", "not begun")
    until = f"until {view['deadline']}" if view.get("deadline") else ""
    title = f"Together We Survive · round {view.get('round') or '?'} · {doing}"
    return Panel(Group(*parts), title=Text(title), subtitle=Text(until), box=ROUNDED, width=WIDTH)


# The groups, side by side.


def _groups(view: View, names: Names) -> Table:
    sides = Table.grid(expand=True)
    sides.add_column(ratio=1)
    sides.add_column(ratio=1)
    sides.add_row(
        _group(view, names, "A", "on stage"),
        _group(view, names, "B", "given tokens"),
    )
    return sides


def _group(view: View, names: Names, group: str, title: str) -> Table:
    """One row per seat: its status, its votes in the last round, what it has, and a heart for each
    token of life or else a tick for a submission that counts."""
    table = Table(
        box=SIMPLE_HEAD, expand=True, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0)
    )
    table.add_column("", width=1)
    table.add_column(title, ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("votes", justify="right", width=5)
    table.add_column("holds", justify="right", width=8, no_wrap=True)
    table.add_column("", width=2)
    for seat, own in enumerate(view.get("groups") or ()):
        if own == group:
            table.add_row(
                _mark(view, seat),
                Text(_name(names, seat), style="dim" if _left(view, seat) else "bold"),
                _latest(view, group.lower(), seat),
                _holdings(view, seat),
                _life(view, seat),
            )
    return table


def _mark(view: View, seat: int) -> Text:
    """On stage, kicked out, or in the group that has no stage."""
    status = _of(view, "stage", seat)
    if status == "on_stage":
        return Text("●", style="bold green")
    return Text("✕", style="red") if status == "kicked_out" else Text("◆", style="cyan")


def _latest(view: View, kind: str, seat: int) -> Text:
    """The votes of the last round that ended, if they were revealed."""
    rounds = view.get("votes") or ()
    counts = rounds[-1][kind] if rounds else None
    count = None if counts is None else counts[seat]
    return Text("" if count is None else str(count))


def _holdings(view: View, seat: int) -> Text:
    """Tokens and garnets, as far as the audience may know them."""
    tokens = _of(view, "tokens_by_seat", seat)
    if tokens is None:
        tokens = _of(view, "b_tokens", seat)
    garnets = _of(view, "garnets_by_seat", seat)
    holdings = Text("" if tokens is None else f"{tokens}●", style="yellow")
    return holdings.append(f" {garnets}◈", style="magenta") if garnets else holdings


def _life(view: View, seat: int) -> Text:
    lives = _of(view, "tokens_of_life", seat) or 0
    if lives:
        return Text("♥" * lives, style="bold red")
    return Text("✓" if _of(view, "standing_by_seat", seat) else "", style="green")


def _left(view: View, seat: int) -> int | None:
    """The round in which the seat was kicked out."""
    rounds = view.get("kicked_out") or ()
    return next((left["round"] for left in rounds if seat in left["seats"]), None)


# What has happened.


def _rounds(view: View, names: Names) -> Table:
    """Who left the stage in each round."""
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(width=9)
    table.add_column(ratio=1)
    for left in view["kicked_out"]:
        gone = _named(names, left["seats"]) or "nobody"
        table.add_row(Text(f" Round {left['round']}", style="dim"), Text(f"{gone} kicked out"))
    return table


def _own(view: View, names: Names) -> Group:
    """What the viewer has and has submitted; an arrow marks the submission that counts."""
    holdings = Text.assemble(
        ("\n Own ", "bold"),
        (_counted(view, "tokens"), "yellow"),
        ", ",
        (_counted(view, "garnets"), "magenta"),
    )
    submitted = view.get("submissions") or ()
    table = Table.grid(padding=(0, 1), expand=True)
    for width in (1, 16, 10):
        table.add_column(width=width, no_wrap=True)
    table.add_column(ratio=1)
    for one in submitted[-MOST_SUBMISSIONS:]:
        counts = one == view.get("standing")
        table.add_row(
            Text("▶" if counts else " ", style="bold green"),
            Text(one["at"][:16].replace("T", " "), style="dim"),
            Text(one["status"], style=STATUS.get(one["status"], "")),
            Text(_said(one["body"], names)).append(
                f" ({one['code']})" if one["code"] else "", style="red"
            ),
        )
    return Group(holdings, table)


def _said(body: View, names: Names) -> str:
    """A submission or vote in words."""
    if body.get("type") == "vote":
        return f"votes for {_name(names, body['for'])}"
    types = [(kind.upper(), body[kind]) for kind in ("a", "b") if body.get(kind) is not None]
    if not types:
        return "withdrawn"
    said = "; ".join(f"{kind} for {_voted(names, votes)}" for kind, votes in types)
    return f"{said}; pays a garnet" if body.get("pay_garnet") and len(types) > 1 else said


def _voted(names: Names, votes: Sequence[int]) -> str:
    """The receivers of the votes, and how many each gets if several."""
    counted = [
        _name(names, seat) + (f" x{number}" if number > 1 else "")
        for seat, number in Counter(votes).items()
    ]
    more = ["…"] if len(counted) > MOST_VOTED else []
    return ", ".join([*counted[:MOST_VOTED], *more]) or "nobody"


def _outcome(view: View, names: Names) -> Table:
    """Winners, losers and candidates of each group, and the garnets they earned."""
    table = Table(box=SIMPLE_HEAD, expand=True, header_style="dim")
    table.add_column("", width=10)
    for group in "AB":
        table.add_column(f"group {group}", ratio=1)
    for field, style in (("winners", "bold green"), ("losers", "red")):
        seats = view.get(field) or {}
        cells = (Text(_named(names, seats.get(group) or ()), style=style) for group in "AB")
        table.add_row(field, *cells)
    if view.get("candidates"):
        chosen = view["candidates"]
        cells = (_candidate(names, chosen.get(group)) for group in "AB")
        table.add_row("candidates", *cells)
    if view.get("garnets_awarded"):
        groups = view.get("groups") or ()
        cells = (_garnets(view, names, groups, group) for group in "AB")
        table.add_row("garnets", *cells)
    return table


def _candidate(names: Names, seat: int | None) -> Text:
    return Text("nobody" if seat is None else _name(names, seat), style="bold yellow")


def _garnets(view: View, names: Names, groups: Sequence[str], group: str) -> Text:
    awards = [
        f"{_name(names, seat)} {number}"
        for seat, number in enumerate(view["garnets_awarded"])
        if number and groups[seat] == group
    ]
    return Text(", ".join(awards), style="magenta")


def _counted(view: View, field: str) -> str:
    """The number and name of something that the seat has; `field` is its plural."""
    number = view.get(field)
    if number is None:
        return f"? {field}"
    return f"{number} {field if number != 1 else field[:-1]}"


def _of(view: View, field: str, seat: int) -> Any:
    """A seat's value of a field, or None if the view does not have it."""
    per_seat = view.get(field)
    return per_seat[seat] if per_seat and seat < len(per_seat) else None


def _named(names: Names, seats: Iterable[int]) -> str:
    return ", ".join(_name(names, seat) for seat in seats)


def _name(names: Names, seat: int) -> str:
    return names[seat] if 0 <= seat < len(names) else f"seat {seat}"
