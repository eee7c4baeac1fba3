"""How `arbiter rule` reads the values of fields. All raise UsageError for what they cannot read."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
import rich_click as click

from domain.ruling_kinds import YEAR_SECONDS
from projections.event_numbers import public_number
from projections.timestamps import instant, rfc3339

LONGEST_TEXT = 2_000

T = TypeVar("T")


def any_text(text: str) -> str:
    """A reason, a note, or a name."""
    if not 1 <= len(text) <= LONGEST_TEXT:
        raise click.UsageError(f"a text has 1 to {LONGEST_TEXT:,} characters")
    return text


def whole(text: str) -> int:
    """A whole number from 0 on."""
    if not (text.isascii() and text.isdecimal()):
        raise click.UsageError(f"{text!r} is no whole number")
    return int(text)


def point(text: str) -> dict[str, int]:
    """The field that names a public event: `p6` in the public's count, `8` in the moderators'."""
    if (public := public_number(text)) is not None:
        return {"before_public": public}
    if not (text.isascii() and text.isdecimal()):
        raise click.UsageError(
            f"{text!r} is no number of an event: p6 in the public's count, or 8 in the moderators'"
        )
    return {"before": int(text)}


def own_number(text: str) -> int:
    """The moderators' number of what a seat has sent."""
    if public_number(text) is not None:
        raise click.UsageError(
            f"{text!r}: the public has not got what seats send; give the moderators' number"
        )
    return whole(text)


def choice(question: str, among: Sequence[str]) -> tuple[str, Callable[[str], str]]:
    """A question with its possible answers, and how to read one."""
    said = ", ".join(among)

    def read(text: str) -> str:
        if text not in among:
            raise click.UsageError(f"{text!r} is none of {said}")
        return text

    return f"{question}: {said}", read


def each(read: Callable[[str], T]) -> Callable[[str | Sequence[str]], list[T]]:
    """How to read several values: one option each, or with spaces between them."""

    def read_all(said: str | Sequence[str]) -> list[T]:
        return [read(one) for one in (said.split() if isinstance(said, str) else said)]

    return read_all


INSTANT = "with its offset from UTC, like 2026-11-22T20:15:00Z or 2026-11-22T21:15:00+01:00"


def more_time(text: str) -> dict[str, Any]:
    """Seconds to add, or the instant of a deadline."""
    if not text.isdecimal():
        return new_deadline(text)
    if not 1 <= (seconds := whole(text)) <= YEAR_SECONDS:
        raise click.UsageError("1 second to a year")
    return {"seconds": seconds}


def new_deadline(text: str) -> dict[str, Any]:
    """An instant, with its offset from UTC."""
    try:
        return {"deadline": rfc3339(instant(text))}
    except (ValueError, OverflowError):
        raise click.UsageError(f"{text!r} is no instant {INSTANT}") from None


def drawn(text: str) -> dict[str, Any]:
    """A draw that was entered by hand and how it came out: `setup=heads,tails`, or as
    JSON, `deal=[[2,1],[4,3]]`."""
    name, equals, said = text.partition("=")
    if not (name and equals and said):
        raise click.UsageError(f"--redraw ID=OUTCOME, not {text!r}")
    if not said.startswith("["):
        return {"id": name, "outcome": [int(p) if p.isdecimal() else p for p in said.split(",")]}
    try:
        return {"id": name, "outcome": msgspec.json.decode(said, type=list[Any])}
    except msgspec.DecodeError as error:
        raise click.UsageError(f"--redraw {name}: {error}") from None
