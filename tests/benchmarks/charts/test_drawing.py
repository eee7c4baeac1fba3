"""The stored chart and the stored words are made of the stored figures, and none is missing."""

from tests.benchmarks.charts import estimates
from tests.benchmarks.charts.figures import FILE, digest, read, wanted


def test_the_figures_are_complete() -> None:
    figures = read()
    found = sorted((p.panel, p.over, p.line, p.size) for p in figures.points)
    assert found == sorted(wanted(figures.measured.plan))


def test_the_chart_is_of_the_figures() -> None:
    assert digest(read()) in FILE.with_name("charts.svg").read_text()


def test_the_words_are_of_the_figures() -> None:
    assert FILE.with_name("estimates.md").read_text() == estimates.text(read())
