"""Pages and their files are compressed for those who accept it; answers of the API never are."""

import gzip

import httpx
import pytest

from service.http.people.pages import accepts_gzip
from tests.support.servers.live_server import Live, LiveMatch

SAME_FOR_ALL = [
    "/", "/m/{}", "/m/{}/audit", "/play/{}", "/table/{}", "/embed/{}", "/organise", "/docs",
    "/docs/bot.py", "/schema", "/schema/openapi.json", "/assets/style.css",
]  # fmt: skip

PLAIN = {"Accept-Encoding": "identity", "Accept-Language": "en"}
ZIPPED = {"Accept-Encoding": "gzip, deflate, br", "Accept-Language": "en"}


@pytest.fixture(scope="module")
def match(live: Live) -> LiveMatch:
    return live.started("liars-dice")


def sent(
    live: Live, method: str, path: str, headers: dict[str, str]
) -> tuple[httpx.Response, bytes]:
    """The answer, and its body as it was sent."""
    with live.anyone.http.stream(method, path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", SAME_FOR_ALL)
def test_a_page_is_compressed_for_those_who_accept_it(
    live: Live, match: LiveMatch, path: str
) -> None:
    path = path.format(match.id)
    plain, content = sent(live, "GET", path, PLAIN)
    answer, body = sent(live, "GET", path, ZIPPED)
    assert (plain.status_code, answer.status_code) == (200, 200)
    assert "content-encoding" not in plain.headers
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == content
    assert int(answer.headers["content-length"]) == len(body) < len(content) * 0.7
    for one in (plain, answer):
        assert "Accept-Encoding" in one.headers["vary"]
        assert one.headers["content-type"] == plain.headers["content-type"]
    assert answer.headers["etag"] == f"W/{plain.headers['etag']}"


@pytest.mark.parametrize("path", ["/", "/docs", "/assets/style.css"])
@pytest.mark.parametrize("headers", [PLAIN, ZIPPED])
def test_what_a_client_has_is_not_sent_again(
    live: Live, path: str, headers: dict[str, str]
) -> None:
    first, _ = sent(live, "GET", path, headers)
    again, body = sent(live, "GET", path, headers | {"If-None-Match": first.headers["etag"]})
    assert (again.status_code, body) == (304, b"")
    for name in ("etag", "vary", "cache-control"):
        assert again.headers[name] == first.headers[name]
    assert "content-encoding" not in again.headers


def test_what_is_compressed_by_its_format_is_sent_as_it_is(live: Live) -> None:
    answer, body = sent(live, "GET", "/favicon.ico", ZIPPED)
    assert "content-encoding" not in answer.headers
    assert body.startswith(b"\x89PNG")


def test_a_language_is_still_part_of_what_varies(live: Live) -> None:
    answer, _ = sent(live, "GET", "/", ZIPPED)
    assert answer.headers["vary"] == "Accept-Language, Cookie, Accept-Encoding"


@pytest.mark.parametrize(
    "path", ["/v1/games/together", "/v1/matches/{}/view", "/v1/matches/{}/actions"]
)
def test_an_answer_of_the_api_is_never_compressed(live: Live, match: LiveMatch, path: str) -> None:
    """Its length would tell of secrets next to what another has chosen."""
    answer = match.seats[0].client.get(path.format(match.id), ZIPPED)
    assert answer.status_code == 200
    assert len(answer.content) > 300
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    ("accepted", "answer"),
    [
        ("gzip", True), ("br, GZIP;q=0.5", True), ("*", True), ("gzip; q=1.000", True),
        ("", False), ("identity", False), ("gzip;q=0", False), ("gzip; q=0.000, *", False),
        ("*;q=0", False), ("xgzip", False), ("deflate, br", False),
    ],
)  # fmt: skip
def test_a_client_says_whether_it_accepts_gzip(accepted: str, answer: bool) -> None:
    assert accepts_gzip(accepted.encode()) == answer


def test_a_client_that_says_nothing_gets_content_as_it_is() -> None:
    assert not accepts_gzip(None)
