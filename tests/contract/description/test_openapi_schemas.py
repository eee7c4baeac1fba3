"""The schemas of the description are true, and in the form that generators of clients read."""

from typing import Any, get_args

import jsonschema_rs
import msgspec
import pytest

from domain.events import PUBLIC, Record, stored_name
from domain.games import GAMES, RULES
from domain.match.events import MatchEvent
from domain.requirements import kinds
from domain.rulings.events import RulingOrdered
from domain.rulings.kinds import Extend
from domain.tournament.events import TournamentEvent
from projections.audience.lines import line
from service.http.description.schema_form import readable
from tests.recorded.files import outcome, recorded, records
from tests.support.http.openapi_document import nodes
from tests.support.servers.live_server import Json
from tests.support.tables.own_events import lines_of, rulings

KINDS = {*get_args(MatchEvent), *(kind for rules in RULES for kind in kinds(rules.Event))}


def validator(document: Json, name: str) -> jsonschema_rs.Draft202012Validator:
    schema = {"components": document["components"], "$ref": f"#/components/schemas/{name}"}
    return jsonschema_rs.Draft202012Validator(schema)


def sent(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def test_every_recorded_event_is_a_line_as_described(document: Json) -> None:
    lines = validator(document, "Line")
    for name in recorded():
        for one in lines_of(enumerate(records(name), 1)):
            lines.validate(sent(one))


def test_every_recorded_view_is_as_described(document: Json) -> None:
    views = validator(document, "View")
    for name in recorded():
        for view in outcome(name).views.values():
            # Earlier releases did not name the seats in views.
            views.validate({"seats": [], **view})


def test_every_recorded_ruling_is_as_described(document: Json) -> None:
    shown = validator(document, "RulingShown")
    every = [
        one
        for name in recorded()
        for one in rulings(range(1, len(records(name)) + 1), records(name))
    ]
    assert len({one.kind for one in every if one.ordered}) > 3
    for one in every:
        shown.validate(sent(one))


def test_what_a_ruling_orders_and_effects_is_described(document: Json) -> None:
    shown = validator(document, "RulingShown")
    good = {
        "ruling": None, "n": 1, "kind": "extend", "status": "carried_out", "to": "public",
        "at": "2026-01-01T00:00:00Z", "reason": "late", "rule": None, "appeals": None,
        "effects": [{"type": "match.paused.1", "data": {"left": 5}}],
        "ordered": {"deadline": "2026-01-01T00:00:00Z", "seconds": None},
    }  # fmt: skip
    assert shown.is_valid(good) and shown.is_valid({**good, "ordered": {}})
    assert not shown.is_valid({**good, "ordered": {"deadline": 5, "seconds": None}})
    assert not shown.is_valid({**good, "effects": [{"type": "match.paused.1", "data": {}}]})
    assert not shown.is_valid({**good, "effects": [{"type": "match.unheard-of.1", "data": {}}]})


def test_the_deadline_that_a_line_orders_is_an_instant(document: Json) -> None:
    ordered = RulingOrdered("r", Extend(deadline=5), None)
    shown = sent(line(1, None, Record(0, 0, ordered)))
    assert shown["data"]["ruling"]["deadline"] == "1970-01-01T00:00:00.000005Z"
    validator(document, "Line").validate(shown)


def test_a_submission_and_what_stands_are_actions(document: Json) -> None:
    good = {"at": "2026-01-01T00:00:00Z", "status": "valid", "code": None}
    submitted = validator(document, "TogetherSubmitted")
    assert submitted.is_valid({**good, "body": {"type": "keep"}})
    assert not submitted.is_valid({**good, "body": {"type": "unheard_of"}})
    menu = {"actions": [], "awaited": True, "submitted": True}
    answer = validator(document, "MenuAnswer")
    assert answer.is_valid({**menu, "standing": None})
    assert not answer.is_valid({**menu, "standing": {}})


def test_a_line_is_one_of_all_kinds_of_events_by_its_type(document: Json) -> None:
    mapping = document["components"]["schemas"]["Line"]["discriminator"]["mapping"]
    public = {kind for kind in get_args(TournamentEvent) if kind.audience == PUBLIC}
    assert set(mapping) == {stored_name(kind) for kind in {*KINDS, *public}}


def test_a_line_of_another_shape_is_none(document: Json) -> None:
    lines = validator(document, "Line")
    good = {
        "seq": 1,
        "public_seq": 1,
        "at": "2026-01-01T00:00:00Z",
        "type": "match.paused.1",
        "data": {"left": 5},
    }
    assert lines.is_valid(good)
    changes: tuple[Json, ...] = (
        {"type": "match.struck.1"},
        {"data": {"left": "5"}},
        {"data": {}},
        {"at": 5},
    )
    for wrong in changes:
        assert not lines.is_valid({**good, **wrong})


@pytest.mark.parametrize("name", ["View", "NewMatch"])
def test_what_differs_by_game_is_told_apart_by_the_game(document: Json, name: str) -> None:
    schema = document["components"]["schemas"][name]
    assert schema["discriminator"]["propertyName"] == "game"
    assert set(schema["discriminator"]["mapping"]) == set(GAMES)


@pytest.mark.parametrize(
    ("line_name", "field", "wrong", "right"),
    [
        ("MatchNameSaltedLine", "salt", 1, None),
        ("MatchCreatedLine", "options", {"no_such_option": 1}, {"turn_seconds": None}),
        ("MatchActionReceivedLine", "action", {"type": "no_such_action"}, {"type": "end_turn"}),
    ],
)
def test_fields_of_lines_are_of_a_game_or_may_be_null(
    document: Json, line_name: str, field: str, wrong: Any, right: Any
) -> None:
    data = document["components"]["schemas"][line_name]["properties"]["data"]["properties"]
    schema = jsonschema_rs.Draft202012Validator(
        {"components": document["components"], **data[field]}
    )
    assert (schema.is_valid(wrong), schema.is_valid(right)) == (False, True)


def test_options_of_another_game_are_not_described(document: Json) -> None:
    new = validator(document, "NewMatch")
    body = {"game": "twelve-chips", "seats": ["Ann", "Ben"]}
    assert new.is_valid(body) and new.is_valid({**body, "options": {"over_21": "halve"}})
    assert not new.is_valid({**body, "options": {"dice": 3}})
    assert not new.is_valid({**body, "seats": ["Ann"]})


def test_entries_of_a_menu_are_told_apart_by_the_type_of_the_action(document: Json) -> None:
    schema = document["components"]["schemas"]["Entry"]
    every = [kind.__struct_config__.tag for game in GAMES.values() for kind in kinds(game.Action)]
    # A discriminator leads each type to one schema: where two games have one, it fits either.
    if len(set(every)) == len(every):
        assert sorted(schema["discriminator"]["mapping"]) == sorted(map(str, every))
    examples = document["components"]["schemas"]["DollarPrizePlaceEntry"]["properties"]["examples"]
    assert examples["items"] == {"$ref": "#/components/schemas/DollarPrizePlace"}


def test_titles_are_the_names_of_the_components(document: Json) -> None:
    schemas = document["components"]["schemas"]
    assert {name: schema["title"] for name, schema in schemas.items()} == {n: n for n in schemas}
    assert all(name.isalnum() for name in schemas)
    titles = [node["title"] for _, node in nodes(schemas) if isinstance(node.get("title"), str)]
    assert len(titles) == len(set(titles))


def test_a_pair_of_one_kind_is_a_list_of_two(document: Json) -> None:
    """Parts are listed one by one only where they differ: many generators cannot read that."""
    pair = document["components"]["schemas"]["GroupingBwBoard"]["properties"]["stacks"]
    assert pair == {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


def test_where_one_of_several_fields_is_given_the_schema_says_so(document: Json) -> None:
    new = validator(document, "NewRuling")
    longer = {"kind": "extend", "reason": "late"}
    until = {"deadline": "2026-01-01T00:00:00Z"}
    assert new.is_valid({**longer, "seconds": 60}) and new.is_valid({**longer, **until})
    assert new.is_valid({**longer, **until, "seconds": None})
    for wrong in ({}, {"seconds": None}, {**until, "seconds": 60}):
        assert not new.is_valid({**longer, **wrong})
    change = validator(document, "Change")
    assert change.is_valid({"strike": 3}) and change.is_valid({"admit": 3})
    assert not change.is_valid({}) and not change.is_valid({"strike": 3, "admit": 3})


def test_instants_are_in_the_form_of_rfc_3339(document: Json) -> None:
    schemas = document["components"]["schemas"]
    paths = (
        ("MatchRow", "created"), ("DollarPrizeView", "awaiting"), ("MatchKey", "since"),
        ("Receipt", "at"), ("GivenTicket", "expires"), ("MatchStartedLine", "at"),
    )  # fmt: skip
    for name, field in paths:
        if field != "awaiting":
            assert schemas[name]["properties"][field]["format"] == "date-time"
    data = schemas["MatchDeadlineSetLine"]["properties"]["data"]["properties"]
    assert data["deadline"] == {"type": "string", "format": "date-time"} == data["from"]


def test_the_form_keeps_fields_that_are_called_like_words_of_the_schema() -> None:
    schema = {"type": "object", "properties": {"enum": {"type": "array"}, "items": {"enum": ["a"]}}}
    assert readable(schema)["properties"] == {
        "enum": {"type": "array", "items": {}},
        "items": {"type": "string", "const": "a"},
    }
