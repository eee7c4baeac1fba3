"""Mutants that mean the same as the code: no test can kill them, so they do not count.

`equivalents.toml` lists them by hand, each with the reason. An entry that describes no mutant any
more is an error: the code has changed, and its reason has to be thought about again.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.mutants.mutants import Mutant

LISTED = Path(__file__).with_name("equivalents.toml")


class Equivalent(Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant that means the same, by the lines before and after it, and why."""

    file: str
    function: str
    before: str
    after: str
    why: str

    def describes(self, mutant: Mutant) -> bool:
        listed = self.file, self.function, self.before, self.after
        return listed == (mutant.file, mutant.function, mutant.before, mutant.after)


class List(Struct, frozen=True, forbid_unknown_fields=True):
    equivalent: tuple[Equivalent, ...] = ()


class Outdated(Exception):
    """An entry of the list describes no mutant, or several."""


def listed(path: Path = LISTED) -> tuple[Equivalent, ...]:
    """The equivalents that were found by hand."""
    return msgspec.toml.decode(path.read_bytes(), type=List).equivalent


def without_equivalents(file: str, made: list[Mutant], known: Iterable[Equivalent]) -> list[Mutant]:
    """The mutants of a file that a test can kill. Raises Outdated."""
    left = made
    for one in (one for one in known if one.file == file):
        kept = [mutant for mutant in left if not one.describes(mutant)]
        if len(left) - len(kept) != 1:
            raise Outdated(f"{len(left) - len(kept)} mutants are like\n  {one}")
        left = kept
    return left
