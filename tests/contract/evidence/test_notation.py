"""`/v1/matches/{id}/notation`: for whoever may read everything, and for no one else."""

from tests.support.http.evidence_client import looked
from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Answer, LiveMatch, Player


def notation(reader: Player, tag: str | None = None) -> Answer:
    headers = {} if tag is None else {"If-None-Match": tag}
    return reader.client.get(f"{reader.path}/notation", headers)


def test_an_opened_record_is_read_by_anybody(played: LiveMatch) -> None:
    answer = notation(played.anyone)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert {notation(seat).text for seat in played.seats} == {answer.text}
    winners = played.anyone.view().json()["result"]["winners"]
    assert f"\n[Result {{winners:{winners}," in answer.text


def test_to_read_the_moves_is_a_look_at_everything(chips: LiveMatch) -> None:
    assert notation(chips.moderator).status_code == 200
    assert looked(chips, "moderator") == len(all_events(chips.moderator))


def test_it_is_read_again_only_when_the_match_has_gone_on(chips: LiveMatch) -> None:
    first = notation(chips.moderator)
    tag, kept = first.headers["etag"], first.headers["cache-control"]
    assert kept == "private, no-cache"
    assert notation(chips.moderator, tag).status_code == 304
    example = chips.seats[0].menu().json()["actions"][0]["examples"][0]
    assert chips.seats[0].act(example).status_code == 201
    after = notation(chips.moderator, tag)
    assert after.status_code == 200 and "\n2. Ann: play " in after.text


def test_it_takes_no_parameters(chips: LiveMatch) -> None:
    asked = chips.moderator.client.get(f"{chips.moderator.path}/notation", as_="public")
    assert_problem(asked, 400, "bad_request")
