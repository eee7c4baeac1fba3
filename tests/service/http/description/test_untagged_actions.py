"""An action is tagged by `type`, also in a game with only one kind of action."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from domain.match.state import AnyGame, understood
from service.http.actions import actions
from service.http.errors.problems import Failed
from tests.support.tables import toy_game as toy

ONE_KIND: AnyGame = replace(toy.GAME, Action=toy.Bid)


@pytest.mark.parametrize("game", [toy.GAME, ONE_KIND], ids=["several kinds", "one kind"])
def test_an_action_says_its_type(game: AnyGame) -> None:
    assert understood(game, {"type": "bid", "chips": 3}) == toy.Bid(3)
    wrong: list[dict[str, Any]] = [{"chips": 3}, {}, {"type": "bet", "chips": 3}, {"type": "bid"}]
    for sent in wrong:
        with pytest.raises(msgspec.ValidationError):
            understood(game, sent)


def test_the_api_requires_it_too() -> None:
    sent = b'{"type":"bid","chips":3}'
    assert actions._parsed(ONE_KIND, sent) == (
        toy.Bid(3),
        {"type": "bid", "chips": 3},
    )
    with pytest.raises(Failed, match="wrong_shape"):
        actions._parsed(ONE_KIND, b'{"chips":3}')
