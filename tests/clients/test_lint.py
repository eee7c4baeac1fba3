"""The descriptions are lint clean."""

from pathlib import Path

from tests.clients.lint import lint


def test_redocly_and_spectral_find_nothing(tmp_path: Path) -> None:
    assert "No results with a severity of" in lint(tmp_path)
