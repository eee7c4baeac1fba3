"""`/schema/asyncapi.json`: what streams and the WebSocket send, by the OpenAPI description."""

from typing import Any

import jsonschema_rs
import msgspec
import pytest

from service.app import api_description
from service.http.asyncapi import PLAY, STREAM, asyncapi
from tests.support.http.openapi_document import nodes, resolved
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch


@pytest.fixture(scope="module")
def described() -> Json:
    return api_description()


@pytest.fixture(scope="module")
def with_play(described: Json) -> Json:
    """The document of a service with the WebSocket."""
    path: dict[str, Any] = {
        "get": {"summary": "Play", "description": "Over a WebSocket", "parameters": []}
    }
    return asyncapi({**described, "paths": {PLAY: path, **described["paths"]}})


def test_the_document_is_served(live: Live, described: Json) -> None:
    answer = live.anyone.get("/schema/asyncapi.json")
    assert answer.status_code == 200
    assert answer.json() == msgspec.json.decode(msgspec.json.encode(asyncapi(described)))


def test_it_has_the_streams_that_the_routes_describe(described: Json) -> None:
    channels = asyncapi(described)["channels"].values()
    assert {one["address"] for one in channels} == {STREAM, PLAY} & set(described["paths"])


def test_the_parameters_are_those_of_the_routes(described: Json) -> None:
    stream = asyncapi(described)["channels"]["stream"]
    assert {"as", "after", "ticket"} <= set(stream["x-query"]["properties"])
    assert set(stream["x-headers"]["properties"]) == {"Last-Event-ID"}


def test_every_reference_leads_somewhere(with_play: Json) -> None:
    references = [node["$ref"] for _, node in nodes(with_play) if "$ref" in node]
    assert len(references) > 100
    assert all(resolved(with_play, reference) is not None for reference in references)


def test_discriminators_are_names_of_fields(with_play: Json) -> None:
    assert with_play["components"]["schemas"]["Line"]["discriminator"] == "type"


def payload(document: Json, name: str) -> jsonschema_rs.Draft202012Validator:
    schema = document["components"]["messages"][name]["payload"]
    return jsonschema_rs.Draft202012Validator({"components": document["components"], **schema})


def test_what_a_stream_sends_is_as_described(with_play: Json, played: LiveMatch) -> None:
    with played.anyone.stream({"Accept": NDJSON}, after=0) as answer:
        lines = [msgspec.json.decode(line) for line in answer.iter_lines() if line.strip()]
    *events, last = lines
    for event in events:
        payload(with_play, "line").validate(event)
    payload(with_play, "end").validate(last)
    assert not payload(with_play, "line").is_valid(last)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("action", {"id": "a1", "action": {"type": "place", "coin": "penny"}}),
        ("action", {"id": "a1", "action": {"type": "keep"}, "if_match": '"seat:0.4"'}),
        ("playEnd", {"end": {"seq": 7}}),
    ],
)
def test_frames_of_the_web_socket(with_play: Json, name: str, sent: Json) -> None:
    assert payload(with_play, name).is_valid(sent)
    assert not payload(with_play, name).is_valid({**sent, **dict.fromkeys(sent, 5.5)})
