"""What is wrong with a value that is not of its type: every mistake, with where it is.

msgspec decides what is accepted, and names the first mistake only. This explains its refusals, from
the same types, so nothing is described twice.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from msgspec import inspect
from msgspec.inspect import Type

from service.http.mistakes import MOST_MISTAKES, JsonType, Mistake, nearest
from service.http.schema_form import JSON_TYPES

Lists = inspect.ListType | inspect.VarTupleType
Numbers = inspect.IntType | inspect.FloatType

MOST_VALUES = 2_000
"""The most values of a body that are looked at; a mistake behind them is named by msgspec alone."""

Found = Iterator[Mistake | None]
"""The mistakes in a value; None for each value that is looked at, so that looking can end."""

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def shape_mistakes(value: Any, kind: Any, pointer: str = "") -> tuple[Mistake, ...]:
    """The first mistakes in a JSON value that should be of this type; `pointer` is where it
    stands."""
    return _first(_mistakes(value, inspect.type_info(kind), pointer))


def _first(found: Found) -> tuple[Mistake, ...]:
    """The first mistakes, in as much of a value as is looked at."""
    mistakes = (one for one in islice(found, MOST_VALUES) if one is not None)
    return tuple(islice(mistakes, MOST_MISTAKES))


def _mistakes(value: Any, kind: Type, pointer: str) -> Found:
    """The mistakes in a JSON value."""
    yield None
    if isinstance(kind, inspect.Metadata):
        yield from _mistakes(value, kind.type, pointer)
    elif not _fits(value, kind):
        yield _wrong_type(kind, pointer)
    elif type(kind) in _CHECKS:
        yield from _CHECKS[type(kind)](value, kind, pointer)


def _in_literal(value: Any, kind: inspect.LiteralType, pointer: str) -> Found:
    if value not in kind.values:
        yield _unknown_value(value, kind.values, pointer)


def _in_id(value: str, _: inspect.UUIDType, pointer: str) -> Found:
    if not UUID_TEXT.fullmatch(value):
        yield _located(pointer, "wrong_format", "This is not an id.")


def _in_list(value: Sequence[Any], kind: Lists, pointer: str) -> Found:
    yield from _in_length(value, kind, pointer)
    for position, item in enumerate(value):
        yield from _mistakes(item, kind.item_type, f"{pointer}/{position}")


def _in_dict(value: Mapping[str, Any], kind: inspect.DictType, pointer: str) -> Found:
    for name, member in value.items():
        yield from _mistakes(member, kind.value_type, _below(pointer, name))


def _in_union(value: Any, kind: inspect.UnionType, pointer: str) -> Found:
    """The mistakes in a value that should be of one of several types: of the one that it names, or
    else of the one that it fits best."""
    fitting = [each for each in kind.types if _fits(value, each)]
    tagged = [each for each in fitting if isinstance(each, inspect.StructType)]
    if len(tagged) > 1:
        yield from _in_tagged(value, tagged, pointer)
        return
    found = [_first(_mistakes(value, each, pointer)) for each in fitting]
    yield from min(found, key=len)


def _in_tagged(
    value: Mapping[str, Any], structs: Sequence[inspect.StructType], pointer: str
) -> Found:
    """The mistakes in an object that should be one of several, which its tag tells apart."""
    by_tag = {struct.tag: struct for struct in structs if struct.tag is not None}
    name = structs[0].tag_field or "type"
    tag = value.get(name)
    if isinstance(tag, str) and tag in by_tag:
        yield from _in_struct(value, by_tag[tag], pointer)
    else:
        yield from _in_tag(value, name, tuple(by_tag), pointer)


def _in_tag(
    value: Mapping[str, Any], name: str, tags: tuple[str | int, ...], pointer: str
) -> Found:
    """The mistake in the member that says which kind of object this is."""
    if name not in value:
        detail = f"`{name}` is missing: it says which kind of object this is."
        yield _located(_below(pointer, name), "missing_field", detail, allowed=tags)
    elif not isinstance(value[name], str):
        yield _wrong_type(inspect.StrType(), _below(pointer, name))
    elif value[name] not in tags:
        yield _unknown_value(value[name], tags, _below(pointer, name))


def _in_struct(value: Mapping[str, Any], kind: inspect.StructType, pointer: str) -> Found:
    """The mistakes in an object: in its tag, its own fields, and those that it must not have."""
    fields = {field.encode_name: field for field in kind.fields}
    names = tuple(fields)
    if kind.tag_field is not None and kind.tag is not None:
        yield from _in_tag(value, kind.tag_field, (kind.tag,), pointer)
        names = (kind.tag_field, *names)
    for name, field in fields.items():
        if name in value:
            yield from _mistakes(value[name], field.type, _below(pointer, name))
        elif field.required:
            detail = f"`{name}` is missing."
            yield _located(_below(pointer, name), "missing_field", detail)
    if kind.forbid_unknown_fields:
        for name in value:
            if name not in names:
                yield _located(
                    _below(pointer, name), "unknown_field", "There is no such field here.",
                    allowed=names, did_you_mean=nearest(name, names),
                )  # fmt: skip


def _in_number(value: float, kind: Numbers, pointer: str) -> Found:
    least = kind.ge if kind.gt is None else kind.gt + 1
    most = kind.le if kind.lt is None else kind.lt - 1
    if (least is not None and value < least) or (most is not None and value > most):
        detail = "The number is too small or too large."
        yield _located(pointer, "out_of_range", detail, minimum=_whole(least), maximum=_whole(most))


def _in_text(value: str, kind: inspect.StrType, pointer: str) -> Found:
    yield from _in_length(value, kind, pointer)
    if kind.pattern is not None and re.search(kind.pattern, value) is None:
        detail = "The text does not have the form that is needed."
        yield _located(pointer, "wrong_format", detail, pattern=kind.pattern)


def _in_length(value: Sequence[Any], kind: Any, pointer: str) -> Found:
    least, most = kind.min_length, kind.max_length
    if (least is not None and len(value) < least) or (most is not None and len(value) > most):
        what = "The text" if isinstance(value, str) else "The list"
        detail = f"{what} is too short or too long."
        yield _located(pointer, "wrong_length", detail, minimum=least, maximum=most)


def _in_tuple(value: Sequence[Any], kind: inspect.TupleType, pointer: str) -> Found:
    count = len(kind.item_types)
    if len(value) != count:
        detail = f"The list has to have exactly {count} items."
        yield _located(pointer, "wrong_length", detail, minimum=count, maximum=count)
        return
    for position, (item, each) in enumerate(zip(value, kind.item_types, strict=True)):
        yield from _mistakes(item, each, f"{pointer}/{position}")


_CHECKS: dict[type[Type], Callable[[Any, Any, str], Found]] = {
    inspect.UnionType: _in_union,
    inspect.StructType: _in_struct,
    inspect.LiteralType: _in_literal,
    inspect.IntType: _in_number,
    inspect.FloatType: _in_number,
    inspect.StrType: _in_text,
    inspect.UUIDType: _in_id,
    inspect.ListType: _in_list,
    inspect.VarTupleType: _in_list,
    inspect.TupleType: _in_tuple,
    inspect.DictType: _in_dict,
}
"""What finds the mistakes in a value that has the JSON type of a kind; others have none more."""

_JSON_TYPES: dict[type[Type], JsonType] = {
    inspect.NoneType: "null",
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.StrType: "string",
    inspect.UUIDType: "string",
    inspect.BytesType: "string",
    inspect.DateTimeType: "string",
    inspect.ListType: "array",
    inspect.VarTupleType: "array",
    inspect.TupleType: "array",
    inspect.StructType: "object",
    inspect.DictType: "object",
}


def _fits(value: Any, kind: Type) -> bool:
    """Whether the value has the JSON type of this kind, whatever is in it."""
    types = _json_types(kind)
    own = json_type(value)
    return not types or own in types or (own == "integer" and "number" in types)


def json_type(value: Any) -> JsonType:
    """The JSON type of a value. A whole number is an integer, however it was written."""
    return JSON_TYPES.get(type(value), "object")


def _json_types(kind: Type) -> tuple[JsonType, ...]:
    """The JSON types of values of a kind; none if it may be anything."""
    match kind:
        case inspect.Metadata(inner):
            return _json_types(inner)
        case inspect.UnionType(types):
            each = [_json_types(one) for one in types]
            return () if () in each else tuple(dict.fromkeys(chain(*each)))
        case inspect.LiteralType(values):
            return tuple(dict.fromkeys(json_type(value) for value in values))
    return (_JSON_TYPES[type(kind)],) if type(kind) in _JSON_TYPES else ()


def _wrong_type(kind: Type, pointer: str) -> Mistake:
    types = _json_types(kind)
    detail = f"This has to be of the JSON type {' or '.join(types)}."
    return _located(pointer, "wrong_type", detail, expected=types)


def _unknown_value(sent: Any, allowed: tuple[Any, ...], pointer: str) -> Mistake:
    detail = "There is no such value here."
    guess = nearest(sent, allowed)
    return _located(pointer, "unknown_value", detail, allowed=allowed, did_you_mean=guess)


def _located(pointer: str, code: Any, detail: str, **more: Any) -> Mistake:
    return Mistake("body", code, detail, pointer=pointer, **more)


def _below(pointer: str, name: str) -> str:
    """The pointer to a member (RFC 6901)."""
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)
