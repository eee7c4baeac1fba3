"""The moderator's table, as it is sent: the same for every key, and only what everyone may see."""

from tests.support.servers.live_server import Live, LiveMatch

IMAGE = "<img src=x>"
ENGLISH = {"Accept-Language": "en"}


def test_what_people_write_is_text_at_the_table(live: Live, hidden: LiveMatch) -> None:
    text = live.anyone.get(f"/table/{hidden.id}", ENGLISH).text
    assert IMAGE not in text
    assert "&lt;img src=x&gt;" in text


def test_the_table_of_no_match_is_a_page_too(live: Live) -> None:
    answer = live.anyone.get("/table/01890000-0000-7000-8000-000000000000", ENGLISH)
    assert answer.status_code == 404
    assert "There is no such match" in answer.text
