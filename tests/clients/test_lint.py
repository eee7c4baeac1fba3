"""The descriptions are lint clean."""

from pathlib import Path

import pytest

from tests.clients.lint import lint

pytestmark = pytest.mark.slow(because="it runs two linters of others over the description")


def test_redocly_and_spectral_find_nothing(tmp_path: Path) -> None:
    assert "No results with a severity of" in lint(tmp_path)
