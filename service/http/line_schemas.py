"""The schema of every kind of event as a line, `{"seq","public_seq","at","type","data"}`, by its
`type`."""

from collections.abc import Mapping

from msgspec import Struct

from domain.events import Event, stored_name
from service.http.schema_form import Schema, constant, reference, sent_whole

SEQ = {"type": "integer", "minimum": 1, "description": "The audience's own count, from 1"}
PUBLIC_SEQ = {
    "type": ["integer", "null"],
    "minimum": 1,
    "description": "Its number in the public's count, to cite when people talk; null if the public "
    "has not got it",
}
AT = {"type": "string", "format": "date-time", "description": "When it was recorded"}


class LineSchemas(Struct, frozen=True):
    """References to the schemas of lines, by the stored names of their events, and the components
    to which they lead."""

    references: dict[str, Schema]
    components: dict[str, Schema]


def line_schemas(events: Mapping[type[Event], Schema], parts: dict[str, Schema]) -> LineSchemas:
    """The lines of these events, given with references to their own schemas, which are taken out
    of `parts`."""
    references, components = {}, {}
    for kind, event in events.items():
        stored = stored_name(kind)
        schema = parts.pop(event["$ref"].rsplit("/", 1)[1])
        components[line_name(stored)] = _line(stored, schema)
        references[stored] = reference(line_name(stored))
    return LineSchemas(references, components)


def line_name(stored: str) -> str:
    """The component of an event's line, by its stored name: `MatchCreatedLine` of
    `match.created.1`, with the number of later shapes."""
    *words, number = stored.replace("-", ".").split(".")
    shape = "" if number == "1" else number
    return "".join(word.capitalize() for word in words) + shape + "Line"


def _line(stored: str, event: Schema) -> Schema:
    """The line of an event: its tag stands beside its data."""
    whole = sent_whole(event)
    data = {
        "type": "object",
        "properties": {name: one for name, one in whole["properties"].items() if name != "type"},
        "required": [name for name in whole["required"] if name != "type"],
    }
    numbers = {"seq": SEQ, "public_seq": PUBLIC_SEQ}
    fields = {**numbers, "at": AT, "type": constant(stored), "data": data}
    said = {word: event[word] for word in ("description",) if word in event}
    return {
        **said,
        "type": "object",
        "properties": fields,
        "required": list(fields),
    }
