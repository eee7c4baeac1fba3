"""Answers are described: nothing that clients meet is missing from the document."""

import jsonschema_rs
import msgspec
import pytest

from tests.support.http.match_play import PROBLEM
from tests.support.http.openapi_document import check, operations
from tests.support.servers.live_server import NDJSON, Json, LiveMatch


def test_every_error_is_documented_as_a_problem(document: Json) -> None:
    wrong = [
        f"{operation.name}: {status}"
        for operation in operations(document)
        for status, answer in operation.said["responses"].items()
        if status >= "400" and set(answer.get("content", {})) != {PROBLEM}
    ]
    assert wrong == []


def test_an_unchanged_view_is_documented(document: Json, coins: LiveMatch) -> None:
    tag = coins.anyone.view().headers["etag"]
    answer = coins.anyone.view(headers={"If-None-Match": tag})
    assert answer.status_code == 304
    check(document, "viewMatch", answer)
    declared = document["paths"]["/v1/matches/{id}/view"]["get"]["responses"]["304"]["headers"]
    assert {name for name in declared if name in answer.headers} == set(declared)


@pytest.mark.parametrize("form", ["text/event-stream", "application/x-ndjson"])
def test_both_forms_of_a_stream_are_documented(
    document: Json, played: LiveMatch, form: str
) -> None:
    with played.anyone.stream({"Accept": form}, after=0) as answer:
        answer.read()
        check(document, "streamEvents", answer)


def test_every_line_of_a_stream_is_one_of_those_documented(
    document: Json, played: LiveMatch
) -> None:
    content = document["paths"]["/v1/matches/{id}/stream"]["get"]["responses"]["200"]["content"]
    schema = {"components": document["components"], **content[NDJSON]["schema"]}
    valid = jsonschema_rs.Draft202012Validator(schema)
    with played.anyone.stream({"Accept": NDJSON}, after=0) as answer:
        lines = [msgspec.json.decode(line) for line in answer.iter_lines() if line.strip()]
    for line in lines:
        valid.validate(line)
    assert lines[-1]["end"] is True and not valid.is_valid({**lines[-1], "end": False})
