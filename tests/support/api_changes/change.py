"""A change of the API."""

from typing import NamedTuple


class Change(NamedTuple):
    """What has changed at a place of the description, and whether it breaks clients."""

    where: str
    what: str
    breaking: bool

    def __str__(self) -> str:
        return f"`{self.where}`: {self.what}"
