"""Which changes of the description break clients: each class of change, one by one."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.support.api_changes.recorded_description import description_changes

Json = dict[str, Any]

ASKED: Json = {
    "type": "object",
    "properties": {
        "side": {"type": "string", "enum": ["heads", "tails"]},
        "size": {"type": "integer", "minimum": 1, "maximum": 9},
        "note": {"type": "string", "default": ""},
    },
    "required": ["side"],
    "additionalProperties": False,
}
ANSWERED: Json = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["running", "ended"]},
        "kind": {"type": "string", "enum": ["ruling"], "x-extensible": True},
        "count": {"type": "integer"},
        "reason": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        "next": {"$ref": "#/components/schemas/Answered"},
    },
    "required": ["status", "kind", "count"],
}


def line(kind: str) -> Json:
    return {"type": "object", "properties": {"type": {"type": "string", "const": kind}}}


def content(schema: Json) -> Json:
    return {"content": {"application/json": {"schema": schema}}}


def refer(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


ACT: Json = {
    "operationId": "act",
    "security": [{"key": ["seat"]}, {"key": ["organiser"]}],
    "parameters": [
        {"name": "limit", "in": "query", "required": False, "schema": {"type": "integer"}}
    ],
    "requestBody": {"required": False, **content(refer("Asked"))},
    "responses": {
        "201": {**content(refer("Answered")), "headers": {"ETag": {}}},
        "409": content(refer("Answered")),
    },
}
GIVEN: Json = {
    "paths": {
        "/act": {"post": ACT, "get": {"operationId": "see", "security": [], "responses": {}}}
    },
    "schemas": {
        "Asked": ASKED,
        "Answered": ANSWERED,
        "Line": {"oneOf": [refer("OneLine"), refer("OtherLine")], "x-extensible": True},
        "OneLine": line("one"),
        "OtherLine": line("other"),
    },
    "channels": {"stream": {"address": "/stream"}},
    "operations": {
        "send": {"action": "send", "messages": [refer("line")]},
        "receive": {"action": "receive", "messages": [refer("action")]},
    },
    "messages": {"line": {"payload": refer("Line")}, "action": {"payload": refer("Asked")}},
}


def found(document: Json, path: str) -> tuple[Any, Any]:
    """The place to which a path leads, and the last step of it."""
    *steps, last = path.split()
    place: Any = document
    for step in steps:
        place = place[index(place, step)]
    return place, index(place, last)


def index(place: Any, step: str) -> int | str:
    """A step as what it is of this place: of lists it is a number."""
    return int(step) if isinstance(place, list) else step


def put(value: Any, path: str) -> Callable[[Json], None]:
    """Puts a value there."""

    def change(document: Json) -> None:
        place, last = found(document, path)
        place[last] = value

    return change


def drop(path: str) -> Callable[[Json], None]:
    """Removes what is there."""

    def change(document: Json) -> None:
        place, last = found(document, path)
        del place[last]

    return change


POST = "paths /act post"
LIMIT = f"{POST} parameters 0"
SIDE, SIZE = (f"schemas Asked properties {name}" for name in ("side", "size"))
FIELDS = "schemas Answered properties"
WORD = {"name": "word", "in": "query", "schema": {"type": "string"}}

BREAKING = {
    "a route is removed": (drop(POST), "POST /act"),
    "an operation is renamed": (put("do", f"{POST} operationId"), "POST /act"),
    "a role may no longer use it": (put([{"key": ["seat"]}], f"{POST} security"), "POST /act"),
    "a key is needed": (put([{"key": []}], "paths /act get security"), "GET /act"),
    "a parameter is removed": (put([], f"{POST} parameters"), "POST /act"),
    "a parameter becomes required": (put(True, f"{LIMIT} required"), "POST /act query `limit`"),
    "a parameter changes its type": (
        put({"type": "string"}, f"{LIMIT} schema"),
        "POST /act query `limit`",
    ),
    "a new parameter is required": (
        put([ACT["parameters"][0], {**WORD, "required": True}], f"{POST} parameters"),
        "POST /act",
    ),
    "a body is removed": (drop(f"{POST} requestBody"), "POST /act"),
    "a body becomes required": (put(True, f"{POST} requestBody required"), "POST /act body"),
    "a field of a request is removed": (drop(SIZE), "Asked in requests.size"),
    "a new field of a request is required": (
        put(
            {
                **ASKED,
                "properties": {**ASKED["properties"], "more": {}},
                "required": ["side", "more"],
            },
            "schemas Asked",
        ),
        "Asked in requests.more",
    ),
    "a field of a request becomes required": (
        put(["side", "size"], "schemas Asked required"),
        "Asked in requests.size",
    ),
    "a request may have one value less": (put(["heads"], f"{SIDE} enum"), "Asked in requests.side"),
    "a request may have fewer numbers": (put(8, f"{SIZE} maximum"), "Asked in requests.size"),
    "a text has to have a form": (put("^a", f"{SIDE} pattern"), "Asked in requests.side"),
    "what is left out means something else": (
        put("x", "schemas Asked properties note default"),
        "Asked in requests.note",
    ),
    "a request changes its type": (put({"type": "string"}, SIZE), "Asked in requests.size"),
    "a status is removed": (drop(f"{POST} responses 409"), "POST /act"),
    "another success is answered": (put({}, f"{POST} responses 202"), "POST /act"),
    "a header of an answer is removed": (
        put({}, f"{POST} responses 201 headers"),
        "POST /act 201 header ETag",
    ),
    "a media type is removed": (
        put({"text/plain": {}}, f"{POST} responses 201 content"),
        "POST /act 201 application/json",
    ),
    "a field of an answer is removed": (drop(f"{FIELDS} count"), "Answered in answers.count"),
    "a field of an answer may be left out": (
        put(["status", "kind"], "schemas Answered required"),
        "Answered in answers.count",
    ),
    "a field of an answer changes its type": (
        put({"type": "number"}, f"{FIELDS} count"),
        "Answered in answers.count",
    ),
    "a field of an answer may be null": (
        put({"type": ["integer", "null"]}, f"{FIELDS} count"),
        "Answered in answers.count",
    ),
    "an answer has a new value": (
        put(["running", "ended", "void"], f"{FIELDS} status enum"),
        "Answered in answers.status",
    ),
    "a part of a pair changes its type": (
        put({"type": "string"}, f"{FIELDS} pair prefixItems 0"),
        "Answered in answers.pair[0]",
    ),
    "a type of line is removed": (put([refer("OneLine")], "schemas Line oneOf"), "Line in answers"),
    "a type of line is renamed": (
        put("new", "schemas OneLine properties type const"),
        "OneLine in answers.type",
    ),
    "a message is removed": (drop("messages line"), "message line"),
    "a channel is removed": (drop("channels stream"), "channel /stream"),
}


@pytest.mark.parametrize(("change", "where"), BREAKING.values(), ids=BREAKING)
def test_when_clients_break_then_the_change_says_where(
    change: Callable[[Json], None], where: str
) -> None:
    new = deepcopy(GIVEN)
    change(new)
    changes = description_changes(GIVEN, new)
    assert where in {one.where for one in changes if one.breaking}


NULL = {"anyOf": [{"type": "null"}, {"type": "string"}]}

COMPATIBLE = {
    "a new route": put({"get": {"operationId": "new"}}, "paths /new"),
    "another role": put([*ACT["security"], {"key": ["moderator"]}], f"{POST} security"),
    "no key is needed": put([*ACT["security"], {}], f"{POST} security"),
    "a route is deprecated": put(True, f"{POST} deprecated"),
    "a parameter is deprecated": put(True, f"{LIMIT} deprecated"),
    "a new parameter": put([ACT["parameters"][0], WORD], f"{POST} parameters"),
    "a new field of a request": put({"type": "string"}, "schemas Asked properties more"),
    "a request may leave a field out": put([], "schemas Asked required"),
    "a request may have one value more": put(["heads", "tails", "edge"], f"{SIDE} enum"),
    "a request may have more numbers": put(0, f"{SIZE} minimum"),
    "a limit of a request is gone": drop(f"{SIZE} maximum"),
    "a request may have any field": drop("schemas Asked additionalProperties"),
    "a new error": put({}, f"{POST} responses 403"),
    "a new header": put({"ETag": {}, "Link": {}}, f"{POST} responses 201 headers"),
    "a new field of an answer": put({"type": "string"}, f"{FIELDS} more"),
    "a field of an answer is always there": put(
        ["status", "kind", "count", "next"], "schemas Answered required"
    ),
    "an answer has one value less": put(["running"], f"{FIELDS} status enum"),
    "a new value where that is said": put(["ruling", "reminder"], f"{FIELDS} kind enum"),
    "an answer is never null": put({"type": "string"}, f"{FIELDS} reason"),
    "a new type of line": put(
        [refer("OneLine"), refer("OtherLine"), refer("Answered")], "schemas Line oneOf"
    ),
    "a new message": put({"payload": {}}, "messages new"),
    "a new channel": put({"address": "/new"}, "channels new"),
}


@pytest.mark.parametrize("change", COMPATIBLE.values(), ids=COMPATIBLE)
def test_when_nothing_breaks_then_the_change_is_told(change: Callable[[Json], None]) -> None:
    new = deepcopy(GIVEN)
    change(new)
    changes = description_changes(GIVEN, new)
    assert changes and not any(one.breaking for one in changes)


def renamed(new: Json) -> None:
    new["schemas"]["Wanted"] = ASKED
    new["paths"]["/act"]["post"]["requestBody"].update(content(refer("Wanted")))


SAME = {
    "nothing": put("1", "version"),
    "the order of alternatives": put(NULL, f"{FIELDS} reason"),
    "null in the other form": put({"type": ["string", "null"]}, f"{FIELDS} reason"),
    "the order of roles": put(ACT["security"][::-1], f"{POST} security"),
    "a schema of another name": renamed,
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_when_clients_see_no_difference_then_there_is_no_change(
    change: Callable[[Json], None],
) -> None:
    new = deepcopy(GIVEN)
    change(new)
    assert description_changes(GIVEN, new) == []


def test_what_clients_send_and_receive_is_judged_both_ways() -> None:
    new = deepcopy(GIVEN)
    new["messages"]["action"]["payload"] = new["messages"]["line"]["payload"] = refer("Answered")
    old = deepcopy(new)
    new["schemas"]["Answered"]["properties"]["status"]["enum"].append("void")
    judged = {one.where: one.breaking for one in description_changes(old, new)}
    assert judged == {"Answered in answers.status": True, "Answered in requests.status": False}
