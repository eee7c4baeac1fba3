"""The events of an input of a tournament, as far as they can be read."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from domain.events import Event, Instant
from domain.people import Actor
from domain.tournament.events import GarnetsPosted, TournamentDirected
from domain.tournament.stages import Named
from domain.tournament.state import Tournament

E = TypeVar("E")
NamedIn = Mapping[str, Named | None]
"""Whom the games of matches have named, by their ids."""

NO_NAMES: NamedIn = {}

Reason = Literal["entered", "brought", "kept", "earned"]


class Given(NamedTuple):
    """The events of an input that can be read, without the request for it. They happened `at` an
    instant, in a tournament as it was before. `namings` is whom the games of matches have named for
    a show, as far as it is known."""

    tournament: str
    state: Tournament
    events: Sequence[Event]
    at: Instant
    namings: NamedIn = NO_NAMES

    @property
    def first(self) -> Event:
        """What the input gave first."""
        return self.events[0]

    def of(self, kind: type[E]) -> list[E]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def actor(self) -> Actor | None:
        """Who directed the tournament by the input; None if that is not said."""
        return next(map(Actor.of, self.of(TournamentDirected)), None)


def garnets_in(events: Sequence[Event], players: Sequence[int], reason: Reason) -> tuple[int, ...]:
    """The garnets that were posted for a reason, of each of these players; 0 where that cannot be
    read."""
    amounts = {
        event.seat: event.amount
        for event in events
        if isinstance(event, GarnetsPosted) and event.reason == reason
    }
    return tuple(amounts.get(player, 0) for player in players)
