"""Given, when, then: a game played at a table without a match, a server or a clock around it."""

from collections.abc import Iterable
from random import Random
from typing import Any, Self, cast

from domain.chance.draws import Draw, Outcome, fits
from domain.events import Event
from domain.game import Awaits, Game, Refused, Result
from domain.menu import Menu
from tests.support.tables.game_strategies import instances, outcome, received


class Table:
    """One game in progress. `new` holds the events of the last step, `events` all of them."""

    def __init__(self, game: Game[Any, Any, Any, Any], seats: int, options: Any = None) -> None:
        self.game = game
        self.options = options if options is not None else game.Options()
        game.check(self.options, seats)
        self.state = game.initial(self.options, seats)
        self.events: list[Event] = []
        self.new: list[Event] = []
        self._record(game.open(self.options, seats))

    def given(self, *events: Event) -> Self:
        """Applies events as history, without the rules."""
        self._record(events)
        return self

    def act(self, seat: int, *actions: Any) -> Self:
        """The seat sends these actions, one after another; each must be accepted."""
        for action in actions:
            self._record(self.game.decide(self.state, seat, action))
        return self

    when = act

    def refused(self, seat: int, action: Any, code: str) -> Self:
        """The seat sends an action that must be refused with `code` and change nothing."""
        assert self.code(seat, action) == code
        assert code in self.game.codes
        return self

    def code(self, seat: int, action: Any) -> str | None:
        """The code with which the seat's action would be refused; None if it would be accepted."""
        try:
            self.game.decide(self.state, seat, action)
        except Refused as refused:
            return refused.code
        return None

    def drawn(self, *outcome: Any) -> Self:
        """Chance answers the draw that is awaited, part by part."""
        draw = self.draw
        parts = (part if isinstance(part, str | int) else tuple(part) for part in outcome)
        answer = cast(Outcome, tuple(parts))
        assert fits(draw, answer), f"{answer} does not answer {draw}"
        self._record(self.game.settle(self.state, draw, answer))
        return self

    def expired(self) -> Self:
        """The deadline of what is awaited passes, as the rules set it."""
        deadline = self.awaits.deadline
        assert deadline is not None, "no deadline here"
        self._record(self.game.expire(self.state, deadline))
        return self

    def move(self, rng: Random, lateness: float = 0.0) -> Self:
        """One random step: a draw's outcome, an action on a menu or, with the probability
        `lateness`, the end of the phase."""
        if self.awaits.draw is not None:
            return self.drawn(*outcome(self.draw, rng))
        if rng.random() < lateness:
            return self.expired()
        offers = [(seat, offer) for seat in self.awaits.seats for offer in self.menu(seat)]
        seat, offer = rng.choice(offers)
        return self.act(seat, received(self.game, rng.choice(instances(offer))))

    def play_out(self, rng: Random) -> Self:
        """Plays at random until the game is over."""
        while self.result is None:
            self.move(rng)
        return self

    def then(self, *events: Event) -> Self:
        """The last step gave exactly these events."""
        assert self.new == list(events)
        return self

    @property
    def awaits(self) -> Awaits:
        return self.game.awaits(self.state)

    @property
    def draw(self) -> Draw:
        draw = self.awaits.draw
        assert draw is not None, "no draw is awaited"
        return draw

    @property
    def result(self) -> Result | None:
        return self.game.result(self.state)

    def menu(self, seat: int) -> Menu:
        return self.game.legal(self.state, seat)

    def offered(self, seat: int) -> set[str]:
        """The kinds of action on the seat's menu."""
        return {offer.type for offer in self.menu(seat)}

    def _record(self, events: Iterable[Event]) -> None:
        self.new = list(events)
        self.events += self.new
        for event in self.new:
            self.state = self.game.evolve(self.state, event)
