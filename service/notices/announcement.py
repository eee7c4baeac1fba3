"""A round of a tournament as a text to paste into a chat or a letter: public facts alone."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from domain.game import Result
from domain.games import GAMES
from projections.audience.matches import MatchRow, ScheduledMatch
from projections.fields import instant, rfc3339

UNBOUND = "@\u200b"
"""An @ with a space of no width after it, so that chats mention no one, as by `@everyone`."""


class AnnouncedRound(NamedTuple):
    """A round: of which tournament, its number from 1, its matches in the order in which they were
    added, and the players that have none in it."""

    tournament: str
    name: str
    number: int
    pairings: Sequence[ScheduledMatch]
    without: Sequence[str]


def announcement(announced: AnnouncedRound, base: str) -> str:
    """The text; links in it begin with `base`."""
    lines = [f"{announced.name}, round {announced.number}", ""]
    for number, pairing in enumerate(announced.pairings, 1):
        row = pairing.row
        seats = " against ".join(row.seats)
        when = "; ".join(_when(row, pairing.until))
        title = GAMES[row.game].title
        lines += [f"{number}. {seats} ({title}): {when}", f"   {base}/m/{row.id}"]
    if announced.without:
        lines += ["", f"Not in this round: {', '.join(announced.without)}"]
    lines += ["", f"The tournament: {base}/t/{announced.tournament}"]
    return "\n".join([*lines, ""]).replace("@", UNBOUND)


def _when(row: MatchRow, deadline: int | None) -> list[str]:
    """How it stands with a match, in words."""
    if row.status in ("created", "void") or row.started is None:
        return ["void" if row.status == "void" else "has not started", *_outcome(row)]
    phrases = [f"{'paused, ' if row.status == 'paused' else ''}started {_minute(row.started)}"]
    if row.ended is not None:
        phrases.append(f"ended {_minute(row.ended)}")
    phrases += _outcome(row)
    if deadline is not None:
        phrases.append(f"deadline {_minute(rfc3339(deadline))}")
    return phrases


def _outcome(row: MatchRow) -> Iterator[str]:
    """How a match counts, in words, if it does by now."""
    if row.corrected is not None:
        result = row.corrected.result
        yield f"{'does not count' if result is None else _won(row, result)} (by a ruling)"
    elif row.result is not None:
        provisional = " (provisional)" if row.result.final is False else ""
        yield _won(row, row.result) + provisional


def _won(row: MatchRow, result: Result) -> str:
    """Who has won a match, in words."""
    winners = " and ".join(row.seats[seat] for seat in result.winners) or "nobody"
    return f"{'shared' if result.shared else 'won'} by {winners}"


def _minute(text: str) -> str:
    """An instant in whole minutes, rounded down."""
    minutes = instant(text) // 60_000_000
    return rfc3339(minutes * 60_000_000).replace("T", " ").replace(":00Z", " UTC")
