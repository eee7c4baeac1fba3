"""Links in what is sent and stored begin with an address of ours, whatever `Host` a request has."""

import pytest

from service.http.errors.problems import AnyRequest
from service.http.requests.context import base_url
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live

FORGED = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}


def test_no_link_begins_with_the_host_of_a_request(live: Live) -> None:
    spring = cup(live)
    match = spring.match(("Ann", "Ben"))
    announced = live.anyone.get(f"{spring.path}/rounds/1/announcement", FORGED)
    calendar = live.organiser.post("/v1/calendars", {"tournament": spring.id}, FORGED)
    path = calendar.json()["link"].removeprefix(live.url)
    feed = live.anyone.get(path, FORGED)
    coins = live.create("dollar-prize")
    invited = live.organiser.post(f"/v1/matches/{coins.id}/invitations", {"seat": 0}, FORGED)
    texts = [announced.text, calendar.text, feed.text, invited.text]
    assert [answer.status_code for answer in (announced, feed)] == [200, 200]
    assert not any("evil" in text for text in texts)
    assert f"{live.url}/m/{match.id}" in announced.text
    assert invited.json()["link"].startswith(f"{live.url}/play/")


@pytest.mark.parametrize(
    ("listening", "link"),
    [
        (("127.0.0.1", 8000), "http://127.0.0.1:8000"),
        (("192.0.2.7", 80), "http://192.0.2.7"),
        (("::1", 8000), "http://[::1]:8000"),
        (("::ffff:127.0.0.1", 8000), "http://127.0.0.1:8000"),
        (None, "http://127.0.0.1"),
    ],
)
def test_the_address_at_which_the_service_listens(
    listening: tuple[str, int] | None, link: str
) -> None:
    request = AnyRequest({"type": "http", "server": listening})  # type: ignore[arg-type]
    assert base_url(None, request) == link
    assert base_url("https://play.example", request) == "https://play.example"
