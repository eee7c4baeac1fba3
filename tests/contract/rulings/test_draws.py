"""`POST /v1/matches/{id}/draws`: chance entered by hand."""

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Json, LiveMatch

HIDDEN = {"id": None, "parts": None}
DEAL = [[4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12]]


def test_a_sealed_draw_is_shown_to_moderators_alone(dealing: LiveMatch) -> None:
    shown = {name: p.view().json()["awaiting"]["draw"] for name, p in dealing.audiences().items()}
    assert shown.pop("moderator") == {
        "id": "round1/deal",
        "parts": [{"kind": "shuffle", "items": sorted(items)} for items in DEAL],
    }
    assert all(draw == HIDDEN for draw in shown.values())


def test_an_outcome_is_201_with_the_moderators_view(dealing: LiveMatch) -> None:
    answer = dealing.moderator.draw("round1/deal", DEAL)
    assert answer.status_code == 201
    assert answer.json()["receipt"]["valid"] is True
    assert answer.json()["view"] == dealing.moderator.view().json()
    assert dealing.seats[0].view().json()["view"]["hand"] == [1, 2, 4, 5]
    assert dealing.seats[1].view().json()["view"]["hand"] == [3, 6, 7, 10]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": "round1/deal"},
        {"outcome": DEAL},
        {"id": 1, "outcome": DEAL},
        {"id": "round1/deal", "outcome": "heads"},
        {"id": "round1/deal", "outcome": [1.5]},
        {"id": "round1/deal", "outcome": [True]},
        {"id": "round1/deal", "outcome": [None]},
        {"id": "round1/deal", "outcome": [[None]]},
        {"id": "round1/deal", "outcome": DEAL, "by": "me"},
        {"id": "round1/deal", "outcome": [[[4]]]},
    ],
    ids=lambda body: str(body)[:40],
)
def test_a_body_of_another_shape_is_400_and_changes_nothing(dealing: LiveMatch, body: Json) -> None:
    before = dealing.moderator.view().content
    answer = dealing.moderator.client.post(f"{dealing.moderator.path}/draws", body)
    assert_problem(answer, 400, "wrong_shape")
    assert dealing.moderator.view().content == before


def test_an_outcome_that_does_not_answer_the_draw_is_422(dealing: LiveMatch) -> None:
    """All that does not answer one is in the domain's table."""
    public = dealing.anyone.view().content
    for wrong in (["heads", DEAL[1]], [[*DEAL[0], 10], DEAL[1]]):
        answer = dealing.moderator.draw("round1/deal", wrong)
        assert_problem(answer, 422, "outcome_does_not_fit")
    assert dealing.anyone.view().content == public
    assert dealing.moderator.draw("round1/deal", DEAL).status_code == 201
