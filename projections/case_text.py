"""Cases on a match's record, in a few words for people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.case_events import MatchCaseClosed, MatchCaseOpened
from domain.events import Event
from projections.plain_text import plain

Names = Sequence[str]

ACTORS: Mapping[type[Event], str] = {
    MatchCaseOpened: "moderator",
    MatchCaseClosed: "moderator",
}
"""Who did it, where no seat did."""


def _closed(event: MatchCaseClosed, names: Names) -> str:
    by = "a note in it" if event.ruling is None else f"ruling {plain(event.ruling)}"
    return f"closed case {plain(event.case)} by {by}"


SENTENCES: Mapping[type[Event], Callable[[Any, Names], str]] = {
    MatchCaseOpened: lambda event, _: f"opened case {plain(event.case)}",
    MatchCaseClosed: _closed,
}
