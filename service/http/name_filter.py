"""The filter by name of the public lists, which searches public names only."""

from litestar.params import QueryParameter

from domain.seats import LONGEST_NAME

MAX_FILTER_LENGTH = 4 * LONGEST_NAME
"""Longer than any name: a letter may consist of several characters."""


def name_filter(subject: str) -> QueryParameter:
    """The parameter `name` of a list."""
    return QueryParameter(
        max_length=MAX_FILTER_LENGTH,
        description=f"{subject}: the whole name, in whatever case it is written",
    )
