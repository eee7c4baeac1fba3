"""Where a match that is shown comes from, and the errors of what comes from elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import rich_click as click

from projections.evidence.case import Wrong
from projections.plain_text import plain

Origin = Literal["store", "bundle", "notation", "service"]


@contextmanager
def origin_errors(origin: Origin) -> Iterator[None]:
    """Turns the errors of a match that is malformed, or that no service could have recorded, into
    an error message, unless it is from our own store."""
    try:
        yield
    except click.ClickException:
        raise
    except Exception as fault:
        # A bundle or an answer may be anybody's, so any error means only that it is not valid.
        if origin == "store":
            raise
        why = str(fault) if isinstance(fault, Wrong) else type(fault).__name__
        raise click.ClickException(f"this {origin} cannot be shown: {plain(why)}") from None
