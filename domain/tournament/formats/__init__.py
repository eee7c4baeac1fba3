"""The formats of a stage, by their ids. A format is a module of this package that defines `FORMAT`;
nothing else names it."""

from domain.registry import modules
from domain.tournament.format import Format

FORMATS: dict[str, Format] = {
    name.replace("-", "_"): module.FORMAT for name, module in modules(__name__, __path__).items()
}
"""The formats, in alphabetical order of their ids."""
