"""Bots, by game: they know their seat's view and menu, and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from service.cli.bots import dollar_prize, grouping_bw, together, twelve_chips

Choose = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]], int, Random], dict[str, Any]]

BOTS: dict[str, Choose] = {
    "dollar-prize": dollar_prize.choose,
    "twelve-chips": twelve_chips.choose,
    "together": together.choose,
    "grouping-bw": grouping_bw.choose,
}
