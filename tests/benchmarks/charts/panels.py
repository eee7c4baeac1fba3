"""What is drawn: a panel a figure over open matches, and one over the length of a match; in words,
and where its labels go."""

from collections.abc import Sequence

from msgspec import Struct

from tests.benchmarks.charts.figures import Figures, Over, Point

MILLION = 1e6
OVERS: tuple[Over, ...] = ("matches", "length")


class Panel(Struct, frozen=True):
    """A figure: its name among the points, and what the y axis has, from zero unless it is
    `logarithmic`. `flat` says what it means where a line is flat, over matches and over length;
    `matches` which matches are counted."""

    name: str
    title: str
    flat: dict[Over, str]
    logarithmic: bool = False
    matches: str = "open matches"

    def over(self, over: Over) -> str:
        """What the x axis has."""
        return self.matches if over == "matches" else "events in a match"


PANELS = (
    Panel(
        "acting",
        "Actions a second over HTTP",
        {
            "matches": "Rises with connections, 64 at most; flat: more matches cost nothing",
            "length": "Flat: acting in a long match takes no longer than in a new one",
        },
    ),
    Panel(
        "share",
        "The same, as a share of an echo by the same server",
        {
            "matches": "Flat: of what the machine can do, other matches take nothing",
            "length": "Flat: of what the machine can do, a match's past takes nothing",
        },
    ),
    Panel(
        "engine",
        "Microseconds an action, without HTTP",
        {
            "matches": "Falls up to 64 matches, which share commits; flat: more cost nothing",
            "length": "Flat: nothing is folded twice; rising: everything is, each time",
        },
        logarithmic=True,
    ),
    Panel(
        "recording",
        "Microseconds a row on disk, 400 in a transaction",
        {
            "matches": "Flat: a full store takes rows as fast as an empty one",
            "length": "Flat: a long stream takes rows as fast as a short one",
        },
        matches="matches in the store",
    ),
    Panel(
        "following",
        "Events a second into the read models",
        {
            "matches": "Flat: what is listed already costs nothing",
            "length": "Flat: an event costs the same, however many a match has",
        },
        matches="matches listed already",
    ),
    Panel(
        "delivery",
        "Milliseconds to a stream at another worker, with Redis",
        {
            "matches": "Flat: matches in which nobody acts delay nobody",
            "length": "Flat: only what is new is read, not the match",
        },
    ),
    Panel(
        "opening",
        "Milliseconds to open a match that is not in memory",
        {
            "matches": "Flat: a match is found among many as among few",
            "length": "From 1,000 events on its snapshot is read, and what came since",
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
    """As many digits as tell something; from a million on with an M."""
    if value >= MILLION:
        return f"{value / MILLION:.3g} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def apart(heights: Sequence[float], least: float) -> list[float]:
    """Where labels go that belong at these heights, so that no two are nearer than `least`: each
    group that is too near is spread around its middle."""
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
    """Where the highest label of a group is."""
    return middle + least * (len(members) - 1) / 2
