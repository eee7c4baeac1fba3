"""Leaks that are planted in several games, and whether they are found."""

from collections.abc import Callable, Sequence
from dataclasses import replace as game_with
from typing import Any

import pytest

from domain.events import Event
from domain.games import GAMES
from domain.match.state import AnyGame
from projections.audience import disclosure
from projections.audience.disclosure import Viewer
from tests.support.tables import own_events as counting

Planted = Callable[[pytest.MonkeyPatch], AnyGame]


def seen_too(patch: pytest.MonkeyPatch, shown: Callable[[Viewer, Event], bool]) -> None:
    """Audiences read events among their own that are `shown` to them by mistake."""
    honest = disclosure.may_see
    patch.setattr(counting, "may_see", lambda v, e: shown(v, e) or honest(v, e))


def numbers_skip_hidden_events(patch: pytest.MonkeyPatch) -> None:
    """An audience's numbers skip what it may not see, and so reveal that something happened."""

    def disclosed(viewer: Viewer, records: Any, seq: int = 0) -> Any:
        for number, record in enumerate(records, seq + 1):
            if disclosure.may_see(viewer, record.event):
                yield number, record

    patch.setattr(counting, "disclosed", disclosed)


def with_each_action(game: AnyGame, told: type[Event]) -> AnyGame:
    """The game, in which every submission or action is followed by one more event."""

    def decide(state: Any, seat: int, action: Any) -> Sequence[Any]:
        return [*game.decide(state, seat, action), told()]

    return game_with(game, decide=decide, Event=game.Event | told)


def assert_found(
    plant: Planted, where: str, found: Callable[[AnyGame], set[str]], patch: pytest.MonkeyPatch
) -> None:
    """Plants the leak, and asserts that the comparison of worlds finds it `where` it shows."""
    game = plant(patch)
    patch.setitem(GAMES, game.id, game)
    assert where in found(game)
