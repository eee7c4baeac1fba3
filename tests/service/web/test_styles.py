"""The styles of boards and of pages, which stand on the same page."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "service/web/pages"


@pytest.mark.parametrize(
    "board", sorted((PAGES / "boards").glob("*.css")), ids=lambda one: one.stem
)
def test_a_board_and_a_page_style_no_class_of_the_same_name(board: Path) -> None:
    for page in PAGES.glob("*.css"):
        assert not styled(board) & styled(page), page.name


def styled(style: Path) -> set[str]:
    """The classes with which selectors begin."""
    text = re.sub(r"/\*.*?\*/", "", style.read_text(), flags=re.DOTALL)
    selectors = [one for found in re.findall(r"([^{}]+)\{", text) for one in found.split(",")]
    return {name for one in selectors for name in re.findall(r"^\s*\.([a-z][\w-]*)", one)}
