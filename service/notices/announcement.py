"""A round of a tournament as a text to paste into a chat or a letter: public facts alone."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from domain.games import GAMES
from projections.audience.matches import MatchRow, ScheduledMatch
from projections.texts.timestamps import instant, rfc3339

UNBOUND = "@\u200b"
"""An @ with a space of no width after: chats take it for no mention, as of `@everyone`."""

PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
"""What may have a meaning in Markdown (CommonMark, 2.4)."""


class AnnouncedRound(NamedTuple):
    """A round: of which tournament, its number from 1, its matches in the order in which they were
    added, and the players that have none in it."""

    tournament: str
    name: str
    number: int
    pairings: Sequence[ScheduledMatch]
    without: Sequence[str]


def unbound(text: str) -> str:
    """The text, with no @ in it that calls anyone in a chat."""
    return text.replace("@", UNBOUND)


def announcement(announced: AnnouncedRound, base: str, *, markdown: bool) -> str:
    """The text; links in it begin with `base`. With `markdown`, names mean nothing but
    themselves."""

    def named(text: str) -> str:
        safe = PUNCTUATION.sub(r"\\\1", text) if markdown else text
        return unbound(safe)

    def link(path: str) -> str:
        return f"<{base}/{path}>" if markdown else f"{base}/{path}"

    title = f"{named(announced.name)}, round {announced.number}"
    lines = [f"## {title}" if markdown else title, ""]
    for number, pairing in enumerate(announced.pairings, 1):
        row = pairing.row
        seats = " against ".join(map(named, row.seats))
        when = "; ".join(_when(row, pairing.until, [named(seat) for seat in row.seats]))
        lines += [
            f"{number}. {seats} ({named(GAMES[row.game].title)}): {when}",
            f"   {link(f'm/{row.id}')}",
        ]
    if announced.without:
        lines += ["", f"Not in this round: {', '.join(map(named, announced.without))}"]
    lines += ["", f"The tournament: {link(f't/{announced.tournament}')}"]
    return "\n".join(lines) + "\n"


def _when(row: MatchRow, deadline: int | None, seats: Sequence[str]) -> list[str]:
    """How it stands with a match, in words."""
    if row.status == "created" or row.started is None:
        return ["void" if row.status == "void" else "has not started"]
    if row.status == "void":
        return ["void"]
    said = [f"{'paused, ' if row.status == 'paused' else ''}started {_minute(row.started)}"]
    if row.ended is not None:
        said.append(f"ended {_minute(row.ended)}")
    if row.result is not None:
        winners = " and ".join(seats[seat] for seat in row.result.winners) or "nobody"
        shared = "shared by" if row.result.shared else "won by"
        provisional = " (provisional)" if row.result.final is False else ""
        said.append(f"{shared} {winners}{provisional}")
    if deadline is not None:
        said.append(f"deadline {_minute(rfc3339(deadline))}")
    return said


def _minute(text: str) -> str:
    """An instant to the minute; what is left of a minute is not promised."""
    minutes = instant(text) // 60_000_000
    return rfc3339(minutes * 60_000_000).replace("T", " ").replace(":00Z", " UTC")
