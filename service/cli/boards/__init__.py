"""Boards for the terminal, by game: from the view as the wire shows it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from service.cli.boards import dollar_prize, grouping_bw, together, twelve_chips

DRAWINGS: dict[str, Callable[[Mapping[str, Any], Sequence[str]], RenderableType]] = {
    "dollar-prize": dollar_prize.draw,
    "twelve-chips": twelve_chips.draw,
    "together": together.draw,
    "grouping-bw": grouping_bw.draw,
}
