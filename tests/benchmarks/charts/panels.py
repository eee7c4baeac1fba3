"""The panels: each figure over open matches, and over the length of a match; in words, and with the
positions of the labels."""

from collections.abc import Sequence

from msgspec import Struct

from tests.benchmarks.charts.figures import Figures, Over, Point

MILLION = 1e6
OVERS: tuple[Over, ...] = ("matches", "length")


class Panel(Struct, frozen=True):
    """A figure: its name among the points, and its y axis, from zero unless it is `logarithmic`.
    `flat` explains a flat line, over matches and over length; `matches` which matches are
    counted."""

    name: str
    title: str
    flat: dict[Over, str]
    logarithmic: bool = False
    matches: str = "open matches"

    def over(self, over: Over) -> str:
        """The label of the x axis."""
        return self.matches if over == "matches" else "events in a match"


PANELS = (
    Panel(
        "acting",
        "Actions a second over HTTP",
        {
            "matches": "Rises with connections, up to 64; flat: more matches cost nothing",
            "length": "Flat: an action in a long match takes no longer than in a new one",
        },
    ),
    Panel(
        "share",
        "The same, as a share of an echo by the same server",
        {
            "matches": "Flat: other matches cost none of the machine's capacity",
            "length": "Flat: a long record costs none of the machine's capacity",
        },
    ),
    Panel(
        "engine",
        "Microseconds an action, without HTTP",
        {
            "matches": "Falls up to 64 matches, which share commits; flat: more cost nothing",
            "length": "Flat: each event is folded once; rising: all are, for every action",
        },
        logarithmic=True,
    ),
    Panel(
        "recording",
        "Microseconds a row on disk, 400 in a transaction",
        {
            "matches": "Flat: a full store inserts rows as fast as an empty one",
            "length": "Flat: a long stream grows as fast as a short one",
        },
        matches="matches in the store",
    ),
    Panel(
        "following",
        "Events a second into the read models",
        {
            "matches": "Flat: matches that are listed already cost nothing",
            "length": "Flat: an event costs the same in a match of any length",
        },
        matches="matches listed already",
    ),
    Panel(
        "delivery",
        "Milliseconds to a stream at another worker, with Redis",
        {
            "matches": "Flat: idle matches delay no delivery",
            "length": "Flat: only new events are read, not the whole match",
        },
    ),
    Panel(
        "opening",
        "Milliseconds to open a match that is not in memory",
        {
            "matches": "Flat: a match is found as fast among many as among few",
            "length": "Rises: the whole record is read",
        },
        matches="matches in the store",
    ),
)


def lines(figures: Figures, panel: Panel, over: Over) -> dict[str, list[Point]]:
    """The points of each line of a panel, by size."""
    drawn: dict[str, list[Point]] = {}
    for point in sorted(figures.points):
        if (point.panel, point.over) == (panel.name, over):
            drawn.setdefault(point.line, []).append(point)
    return drawn


def number(value: float) -> str:
    """The significant digits; from a million on with an M."""
    if value >= MILLION:
        return f"{value / MILLION:.3g} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def apart(heights: Sequence[float], least: float) -> list[float]:
    """Heights of labels that belong at these heights, so that no two are nearer than `least`: each
    group that is too close is spread around its middle."""
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    groups: list[tuple[float, list[int]]] = []
    for n in order:
        middle, members = heights[n], [n]
        while groups and _top(*groups[-1], least) > middle - least * (len(members) - 1) / 2 - least:
            below, others = groups.pop()
            middle = (below * len(others) + middle * len(members)) / (len(others) + len(members))
            members = others + members
        groups.append((middle, members))
    placed = [0.0] * len(heights)
    for middle, members in groups:
        for place, n in enumerate(members):
            placed[n] = middle + least * (place - (len(members) - 1) / 2)
    return placed


def _top(middle: float, members: Sequence[int], least: float) -> float:
    """The height of the highest label of a group."""
    return middle + least * (len(members) - 1) / 2
