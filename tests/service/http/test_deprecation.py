"""What is deprecated says so: in every answer of the route, and in the description."""

from datetime import date

import pytest
from litestar import Litestar, get
from litestar.params import FromQuery
from litestar.response.base import ASGIResponse
from litestar.testing import TestClient
from litestar.types import ControllerRouterHandler

from service.app import API
from service.http.access import EVERYBODY
from service.http.caching import error_handlers
from service.http.deprecation import Deprecated
from service.http.openapi import CONFIG, description
from service.http.problems import Failed
from service.http.responses import json, raises

OLD = Deprecated(date(2027, 1, 1), date(2027, 7, 1), "/v2/old")
OLD_WORD = Deprecated(date(2027, 1, 1), date(2027, 7, 1), only=("word",))

SAID = {
    "deprecation": "@1798761600",
    "sunset": "Thu, 01 Jul 2027 00:00:00 GMT",
}


@get("/v1/old", operation_id="old", security=EVERYBODY, middleware=[OLD], responses=raises())
async def old(fail: FromQuery[bool] = False) -> ASGIResponse:
    """A route that will go."""
    if fail:
        raise Failed("no_such_game")
    return json({}, headers={"Link": '</next>; rel="next"'})


@get("/v1/word", operation_id="word", security=EVERYBODY, middleware=[OLD_WORD])
async def word(
    word: FromQuery[str | None] = None, other: FromQuery[str | None] = None
) -> ASGIResponse:
    """A route with a parameter that will go."""
    return json({"word": word, "other": other})


@get("/v1/new", operation_id="new", security=EVERYBODY)
async def new() -> ASGIResponse:
    """A route that stays."""
    return json({})


@pytest.fixture(scope="module")
def app() -> Litestar:
    return Litestar(
        route_handlers=[old, word, new],
        exception_handlers=error_handlers(),
        openapi_config=None,
        logging_config=None,
    )


@pytest.fixture(scope="module")
def client(app: Litestar) -> TestClient[Litestar]:
    return TestClient(app)


@pytest.mark.parametrize("path", ["/v1/old", "/v1/old?fail=true", "/v1/word?other=a&word=b"])
def test_every_answer_of_what_is_deprecated_says_so(
    client: TestClient[Litestar], path: str
) -> None:
    headers = client.get(path).headers
    assert {name: headers[name] for name in SAID} == SAID
    assert '</docs/versions#deprecation>; rel="deprecation"' in headers["link"]


def test_a_successor_is_a_link_beside_other_links(client: TestClient[Litestar]) -> None:
    links = client.get("/v1/old").headers["link"]
    assert '</v2/old>; rel="successor-version"' in links and '</next>; rel="next"' in links
    assert "successor" not in client.get("/v1/word?word=b").headers["link"]


@pytest.mark.parametrize("path", ["/v1/new", "/v1/word", "/v1/word?other=word"])
def test_other_answers_do_not(client: TestClient[Litestar], path: str) -> None:
    assert not {*SAID, "link"} & set(client.get(path).headers)


def test_the_description_marks_it() -> None:
    routes: list[ControllerRouterHandler] = [*API, old, word, new]
    paths = description(
        Litestar(route_handlers=routes, openapi_config=CONFIG, logging_config=None)
    )["paths"]
    marked = {path: paths[path]["get"]["deprecated"] for path in ("/v1/old", "/v1/word", "/v1/new")}
    assert marked == {"/v1/old": True, "/v1/word": False, "/v1/new": False}
    parameters = {p["name"]: p["deprecated"] for p in paths["/v1/word"]["get"]["parameters"]}
    assert parameters == {"word": True, "other": False}
    said = paths["/v1/old"]["get"]["responses"]["200"]["headers"]
    assert {"Deprecation", "Sunset", "Link"} <= set(said)
    assert not paths["/v1/new"]["get"]["responses"]["200"]["headers"]


def test_what_is_deprecated_stays_for_half_a_year() -> None:
    with pytest.raises(ValueError, match="stays for 180 days"):
        Deprecated(date(2027, 1, 1), date(2027, 5, 1))


def test_a_deprecated_parameter_exists() -> None:
    with pytest.raises(ValueError, match="lacks a parameter"):
        OLD_WORD.describe({"operationId": "other", "responses": {}, "parameters": []})
