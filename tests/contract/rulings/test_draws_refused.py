"""`POST /v1/matches/{id}/draws`: outcomes that do not answer the draw."""

from typing import Any

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import LiveMatch

DEAL = [[4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12]]


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [[4, 5, 6, 7, 8, 9]],
        [*DEAL, DEAL[0]],
        [[4, 5, 6, 7, 8], DEAL[1]],
        [[4, 4, 6, 7, 8, 9], DEAL[1]],
        [[1, 2, 3, 10, 11, 12], DEAL[0]],
        [["4", "5", "6", "7", "8", "9"], DEAL[1]],
        ["heads", DEAL[1]],
        [1],
        [4, 1],
        [[*DEAL[0], 10], DEAL[1]],
    ],
    ids=lambda wrong: str(wrong)[:30],
)
def test_an_outcome_that_does_not_answer_the_draw_is_422(dealing: LiveMatch, wrong: Any) -> None:
    public = dealing.anyone.view().content
    answer = dealing.moderator.draw("round1/deal", wrong)
    assert_problem(answer, 422, "outcome_does_not_fit")
    assert dealing.anyone.view().content == public
    assert dealing.moderator.draw("round1/deal", DEAL).status_code == 201


@pytest.mark.parametrize("wrong", [["heads"] * 4, ["edge"] * 5, [["heads"]] * 5, [1] * 5])
def test_coins_show_heads_or_tails(flipping: LiveMatch, wrong: Any) -> None:
    assert_problem(flipping.moderator.draw("setup", wrong), 422, "outcome_does_not_fit")
