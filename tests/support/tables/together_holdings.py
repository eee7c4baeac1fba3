"""Everyone's tokens and garnets, counted again from nothing but the options and the
submissions."""

from collections.abc import Iterable

from domain.events import Event
from domain.games.together.events import RoundCounted, SubmissionMade
from domain.games.together.options import Options, complete, garnets_of, groups_of


def holdings(
    options: Options, seats: int, events: Iterable[Event]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Each seat's tokens and garnets after these events: the last submissions before the end of
    each round are paid for, and earn what they earn."""
    played = complete(options, seats)
    start = played.start_tokens
    tokens = [start.a if group == "A" else start.b for group in groups_of(played, seats)]
    garnets = list(garnets_of(played, seats))
    last: dict[int, SubmissionMade] = {}
    for event in events:
        if isinstance(event, SubmissionMade):
            last[event.seat] = event
        if isinstance(event, RoundCounted):
            for seat, said in last.items():
                tokens[seat] -= len(said.a or ())
                garnets[seat] -= said.a is not None and said.b is not None
                for receiver in said.b or ():
                    tokens[receiver] += 1
            last.clear()
    return tuple(tokens), tuple(garnets)
