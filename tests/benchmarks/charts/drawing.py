"""Draws the charts of the measured figures, and writes the estimates for larger machines. Needs the
dependency group `charts`."""

import argparse
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FixedFormatter,
    FixedLocator,
    FuncFormatter,
    NullFormatter,
    NullLocator,
)

from tests.benchmarks.charts import estimates
from tests.benchmarks.charts.figures import FILE, LIBRARY, Figures, Over, Point, Where, digest, read
from tests.benchmarks.charts.panels import OVERS, PANELS, Panel, apart, lines, number

CHART = FILE.with_name("charts.svg")
ESTIMATES = FILE.with_name("estimates.md")

WIDE, HIGH = 12.5, 19.6
"""Inches of 72 points: 1200 pixels wide where 96 are an inch."""

TEXT, SMALL = 11, 10
"""Points: at least 13 pixels, readable when printed on a page."""

DARK, LIGHT, GREY = "#0b3c78", "#c76400", "#666666"
"""Far apart in hue, and in grey."""

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "arbiter",
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "figure.facecolor": "white",
}


def draw(figures: Figures, file: Path) -> None:
    """Draws every panel into one picture, in the format of the file's suffix."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDE, HIGH))
        grid = figure.subplots(
            len(PANELS),
            2,
            gridspec_kw={
                "left": 0.065, "right": 0.82, "top": 0.9, "bottom": 0.03,
                "hspace": 0.68, "wspace": 0.72,
            },
        )  # fmt: skip
        for row, panel in zip(grid, PANELS, strict=True):
            for axes, over in zip(row, OVERS, strict=True):
                _draw(axes, panel, over, figures)
        _head(figure, figures.measured)
        figure.savefig(file, metadata=_made_of(figures) if file.suffix == ".svg" else None)


def _made_of(figures: Figures) -> dict[str, str | None]:
    """The file's metadata. With a date the same figures would give another file."""
    return {"Date": None, "Creator": None, "Description": f"figures {digest(figures)}"}


def _head(figure: Any, measured: Where) -> None:
    figure.text(0.015, 0.985, "How fast Arbiter is, by size", fontsize=17, weight="bold", va="top")
    sizes = "quick figures of small sizes" if max(measured.plan.matches) < 1_000 else "figures"
    busy = f"; load {measured.load:g} before it began" if measured.load >= 0.5 else ""
    packages = ", ".join(f"{name} {version}" for name, version in measured.packages.items())
    caption = (
        f"{sizes.capitalize()} of {measured.date[:10]}: {measured.cores} cores, "
        f"{measured.machine}, Python {measured.python}, SQLite {measured.sqlite}{busy}\n"
        f"{packages}\n{measured.how} Bars reach from the least to the greatest."
    )
    figure.text(0.015, 0.970, caption, fontsize=SMALL, color="#333333", va="top", linespacing=1.5)


def _draw(axes: Axes, panel: Panel, over: Over, figures: Figures) -> None:
    drawn = lines(figures, panel, over)
    axes.set_xscale("log")
    if panel.logarithmic:
        axes.set_yscale("log")
    for line, points in drawn.items():
        _line(axes, line, points)
    _scales(axes, [point for points in drawn.values() for point in points], panel)
    axes.set_title(panel.title, loc="left", fontsize=TEXT + 1, weight="bold", pad=21)
    axes.annotate(
        panel.flat[over], (0, 1), (0, 5), xycoords="axes fraction",
        textcoords="offset points", fontsize=SMALL, color="#333333",
    )  # fmt: skip
    axes.set_xlabel(panel.over(over), fontsize=SMALL, labelpad=1)
    _label(axes, drawn, panel)


def _look(line: str) -> dict[str, Any]:
    """SQLite is dark, PostgreSQL light. Dashed and hollow are the library, and the 99th
    percentile."""
    dark, hollow = line.endswith("SQLite"), line.startswith((LIBRARY, "p99"))
    colour = DARK if dark else LIGHT
    return {
        "color": colour,
        "marker": "o" if dark else "s",
        "linestyle": "--" if hollow else "-",
        "markerfacecolor": "white" if hollow else colour,
    }


def _line(axes: Axes, line: str, points: list[Point]) -> None:
    look = _look(line)
    sizes = [point.size for point in points]
    axes.plot(sizes, [point.median for point in points], linewidth=1.8, markersize=5, **look)
    low, high = [point.low for point in points], [point.high for point in points]
    axes.vlines(sizes, low, high, color=look["color"], linewidth=1.0)


def _scales(axes: Axes, points: list[Point], panel: Panel) -> None:
    """x by the measured sizes; y from zero, unless it is logarithmic, with room above."""
    sizes = sorted({point.size for point in points})
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{size:,}" for size in sizes]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(sizes[0] / 1.4, sizes[-1] * 1.25)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    low, high = min(point.low for point in points), max(point.high for point in points)
    if panel.logarithmic:
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(low / 1.5, high * (high / low) ** 0.25)
    else:
        axes.set_ylim(0, high * 1.25)
    axes.tick_params(labelsize=SMALL, length=3)


def _label(axes: Axes, drawn: dict[str, list[Point]], panel: Panel) -> None:
    """Each line's name and last figure at its end."""
    ends = [points[-1] for points in drawn.values()]
    to_pixels, to_axes = axes.transData, axes.transAxes.inverted()
    heights = [to_axes.transform(to_pixels.transform((e.size, e.median)))[1] for e in ends]
    inches = axes.get_position().height * HIGH
    for end, height in zip(ends, apart(heights, SMALL * 1.35 / 72 / inches), strict=True):
        axes.text(
            1.02, height, f"{end.line} {number(end.median)}", transform=axes.transAxes,
            color=_look(end.line)["color"], fontsize=SMALL, va="center",
        )  # fmt: skip


def main() -> int:
    """Draws the charts and writes the estimates."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.charts.drawing", description=__doc__
    )
    parser.add_argument("--figures", type=Path, default=FILE, help="what was measured")
    parser.add_argument("--chart", type=Path, default=CHART, help="the picture: .svg or .png")
    parser.add_argument(
        "--estimates", type=Path, default=ESTIMATES, help="the estimates, as Markdown"
    )
    chosen = parser.parse_args()
    figures = read(chosen.figures)
    draw(figures, chosen.chart)
    chosen.estimates.write_text(estimates.text(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
