"""The drawings and words that are made of figures; the files here are made of the figures here."""

import re
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.charts import estimates
from tests.benchmarks.charts.engine import turn_of
from tests.benchmarks.charts.figures import (
    FILE,
    Figures,
    Point,
    digest,
    read,
    wanted,
    where,
    written,
)
from tests.benchmarks.charts.panels import OVERS, PANELS, apart, lines, number
from tests.benchmarks.charts.plan import QUICK
from tests.benchmarks.charts.rota import Playing
from tests.benchmarks.plain import Happened, PlainMatch
from tests.benchmarks.read_models import TOPICS

CHART = FILE.with_name("charts.svg")
ESTIMATES = FILE.with_name("estimates.md")
LEAST_PIXELS, PIXELS_A_POINT = 11, 96 / 72


def _figures(**of_postgres: float) -> Figures:
    """Of small sizes; those of 100 matches on PostgreSQL as they are given, all others 50."""
    points = []
    for panel, over, line, size in wanted(QUICK):
        given = (over, line, size) == ("matches", "PostgreSQL", 100)
        found = of_postgres.get(panel, 50.0) if given else 50.0
        points.append(Point(panel, over, line, size, found, found, found))
    return Figures(where(QUICK, "Somehow."), points)


# The stored figures.


def test_the_figures_are_complete() -> None:
    figures = read()
    found = sorted((p.panel, p.over, p.line, p.size) for p in figures.points)
    assert found == sorted(wanted(figures.measured.plan))


def test_the_chart_is_of_the_figures() -> None:
    _shows(CHART, read())


def test_the_words_are_of_the_figures() -> None:
    assert ESTIMATES.read_text() == estimates.text(read())


# What is made of figures.


def test_figures_come_back_as_they_were_written(tmp_path: Path) -> None:
    figures = _figures(acting=1234.5)
    (tmp_path / "figures.json").write_bytes(written(figures))
    assert read(tmp_path / "figures.json") == figures


def test_every_figure_is_drawn() -> None:
    figures = _figures()
    drawn = [
        point
        for panel in PANELS
        for over in OVERS
        for points in lines(figures, panel, over).values()
        for point in points
    ]
    assert sorted(drawn) == sorted(figures.points)


def test_a_chart_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="it is in the dependency group `charts`")
    from tests.benchmarks.charts.drawing import draw

    figures = _figures(acting=1234.5, engine=987_654_321)
    draw(figures, tmp_path / "chart.svg")
    _shows(tmp_path / "chart.svg", figures)
    draw(figures, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "chart.svg").read_bytes()


def _shows(chart: Path, figures: Figures) -> None:
    """It shows the digest of the figures; every panel with its explanation, and every line with its
    last figure, in readable letters."""
    svg = chart.read_text()
    assert digest(figures) in svg
    texts = [unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)]
    for panel in PANELS:
        assert texts.count(panel.title) == len(OVERS)
        for over in OVERS:
            assert panel.flat[over] in texts
            for line, points in lines(figures, panel, over).items():
                assert f"{line} {number(points[-1].median)}" in texts
    sizes = [float(size) for size in re.findall(r"font-size: ([0-9.]+)px", svg)]
    assert len(sizes) >= len(texts)
    assert min(sizes) * PIXELS_A_POINT >= LEAST_PIXELS


@given(st.lists(st.floats(0, 1), max_size=5), st.floats(0.01, 0.3))
def test_labels_are_apart_and_in_order(heights: list[float], least: float) -> None:
    placed = apart(heights, least)
    assert sum(placed) == pytest.approx(sum(heights))
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    assert all(placed[b] - placed[a] >= least * 0.999 for a, b in pairwise(order))


def test_labels_that_are_apart_stay_where_they_are() -> None:
    assert apart([0.9, 0.1, 0.5], 0.2) == [0.9, 0.1, 0.5]
    assert apart([0.5, 0.5, 0.0], 0.1) == pytest.approx([0.45, 0.55, 0.0])


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.4567, "0.457"), (12.34, "12.3"), (99.6, "99.6"), (1234.5, "1,234"), (17_022_362, "17 M")],
)
def test_numbers_have_their_significant_digits(value: float, shown: str) -> None:
    assert number(value) == shown


# Estimates.


def test_the_estimates_follow_from_the_figures() -> None:
    words = estimates.text(_figures(acting=2_000, engine=150, recording=20, following=40_000))
    said = " ".join(words.split())
    assert "With 100 open matches on PostgreSQL it acknowledges 2,000 actions a second" in said
    assert "the 500 µs that each takes, 150 are the engine's" in said
    assert "At 20.0 µs a row, 100 actions in a transaction, that is 50,000 rows a second" in said
    assert "50,000 / 3.7 = 13,514 actions a second" in said
    assert "13,514 / 2,000 = 6.8 workers" in said
    assert "A match of 60 events takes about 41 KiB. *Estimate*: that is 12,614 matches" in said
    assert "2 times 13,514 = 27,027 actions" in said
    assert "40,000 / 0.8 = 50,000 actions a second" in said
    assert "13,514 matches a second, 2.7 % of its interpreter" in said
    assert "10 times 50 = 500 µs an action, 1.0 times" in said
    assert "35 µs of an interpreter for each action, 7 % of a worker" in said


def test_an_action_leaves_the_stated_number_of_rows() -> None:
    match = PlainMatch(["Ann", "Ben"])
    match.start()
    before, acted = len(match.pending_events), 0
    while not (playing := Playing(match.id, [], turn_of(match.state))).over:
        match.act(playing.act)
        acted += 1
    left = [event for event in match.pending_events[before:] if isinstance(event, Happened)]
    read_of = [event for event in left if event.fields["type"] in TOPICS]
    assert round(len(left) / acted, 1) == estimates.ROWS
    assert round(len(read_of) / acted, 1) == estimates.READ
