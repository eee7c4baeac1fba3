"""What clients still have of a store from before an older backup of it was restored."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.support.cli.store_with_history import run
from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Answer, Player, serving

HEADS = {"type": "choose_side", "side": "heads"}
TAILS = {"type": "choose_side", "side": "tails"}
PENNY = {"type": "place", "coin": "penny"}


class Returned(NamedTuple):
    """A seat in the restored store, and its view and its events in the store before."""

    seat: Player
    view: Answer
    events: Answer


@pytest.fixture(scope="module")
def returned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Returned]:
    """The seat chose heads after the backup, and tails after that was restored."""
    folder = tmp_path_factory.mktemp("returned")
    before, backup, after = (folder / name for name in ("before", "backup", "after"))
    with serving(before) as live:
        match = live.started("dollar-prize")
        saved = run("backup", backup, "--with-signing-keys", "--data", before)
        assert saved.exit_code == 0, saved.output
        assert match.seats[0].act(HEADS).status_code == 201
        view, events = match.seats[0].view(), match.seats[0].events()
    restored = run("restore", backup, "--data", after)
    assert restored.exit_code == 0, restored.output
    with serving(after) as live:
        again = live.match(match.id, match.keys, match.moderator_key)
        assert again.seats[0].act(TAILS).status_code == 201
        yield Returned(again.seats[0], view, events)


@pytest.mark.parametrize("query", ["", "?at={seq}"])
def test_a_known_private_view_is_sent_again_because_it_is_another(
    returned: Returned, query: str
) -> None:
    seat, before, _ = returned
    path = f"{seat.path}/view{query.format(seq=before.json()['seq'])}"
    answer = seat.client.get(path, {"If-None-Match": before.headers["etag"]})
    assert answer.status_code == 200
    assert answer.json()["seq"] == before.json()["seq"]
    assert answer.content != before.content
    assert answer.headers["arbiter-incarnation"] != before.headers["arbiter-incarnation"]


def test_a_known_private_page_of_events_is_sent_again(returned: Returned) -> None:
    seat, _, before = returned
    answer = seat.client.get(f"{seat.path}/events", {"If-None-Match": before.headers["etag"]})
    assert answer.status_code == 200
    assert len(answer.json()["events"]) == len(before.json()["events"])


def test_an_action_meant_for_the_history_that_is_gone_is_stale(returned: Returned) -> None:
    """Though the number is that of the present view."""
    seat, before, _ = returned
    now = seat.view()
    assert now.json()["seq"] == before.json()["seq"]
    assert_problem(seat.act(PENNY, {"If-Match": before.headers["etag"]}), 412, "stale")
    assert seat.view().content == now.content
    short = f'"seat:0.{before.json()["seq"]}"'
    assert seat.act(PENNY, {"If-Match": short}).status_code == 201
