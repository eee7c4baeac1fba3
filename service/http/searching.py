"""Looking for a name in the public lists, in which only public names are found."""

from litestar.params import QueryParameter

from domain.seats import LONGEST_NAME

LONGEST_SOUGHT = 4 * LONGEST_NAME
"""More than any name has: a letter may be put together of several characters."""


def sought(who: str) -> QueryParameter:
    """The parameter `name` of a list."""
    return QueryParameter(
        max_length=LONGEST_SOUGHT,
        description=f"{who}: the whole name, in whatever case it is written",
    )
