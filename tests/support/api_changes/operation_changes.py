"""What differs between the operations of two descriptions, and whether it breaks clients."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from tests.support.api_changes.change import Change
from tests.support.api_changes.schema_changes import SchemaComparison

Part = Mapping[str, Any]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class Directions(NamedTuple):
    """The comparisons of what clients send and of what they receive."""

    sent: SchemaComparison
    received: SchemaComparison


def operation_changes(old: Part, new: Part) -> Iterator[Change]:
    """What has changed of requests and of their answers."""
    compared = Directions(
        SchemaComparison(old, new, sent=True), SchemaComparison(old, new, sent=False)
    )
    before, after = _operations(old), _operations(new)
    yield from gone_and_new(before, after, "{}")
    for where in before.keys() & after.keys():
        yield from _operation(compared, before[where], after[where], where)


def _operation(compared: Directions, old: Part, new: Part, where: str) -> Iterator[Change]:
    if old["operationId"] != new["operationId"]:
        yield Change(where, f"`operationId` is {new['operationId']}", breaking=True)
    if old.get("deprecated", False) != new.get("deprecated", False):
        said = "is deprecated" if new.get("deprecated") else "is no longer deprecated"
        yield Change(where, said, breaking=False)
    yield from _security(old, new, where)
    yield from _parameters(compared.sent, old, new, where)
    yield from _body(compared.sent, old.get("requestBody"), new.get("requestBody"), where)
    yield from _answers(compared.received, old["responses"], new["responses"], where)


def _security(old: Part, new: Part, where: str) -> Iterator[Change]:
    """What has changed of the keys that it takes; without any it is for everybody."""
    before, after = (
        {msgspec.json.encode(one).decode() for one in part["security"] or [{}]}
        for part in (old, new)
    )
    for one in before - after:
        yield Change(where, f"is no longer for `{one}`", breaking=True)
    for one in after - before:
        yield Change(where, f"is for `{one}`", breaking=False)


def _parameters(compared: SchemaComparison, old: Part, new: Part, where: str) -> Iterator[Change]:
    before, after = (
        {f"{one['in']} `{one['name']}`": one for one in part.get("parameters", ())}
        for part in (old, new)
    )
    for name in before.keys() - after.keys():
        yield Change(where, f"{name} is gone", breaking=True)
    for name in after.keys() - before.keys():
        must = after[name].get("required", False)
        yield Change(where, f"{name} is new{' and required' if must else ''}", must)
    for name in before.keys() & after.keys():
        one, other = before[name], after[name]
        yield from _required(one, other, f"{where} {name}")
        if one.get("deprecated", False) != other.get("deprecated", False):
            said = "is deprecated" if other.get("deprecated") else "is no longer deprecated"
            yield Change(f"{where} {name}", said, breaking=False)
        yield from compared.changes(one["schema"], other["schema"], f"{where} {name}")


def _body(
    compared: SchemaComparison, old: Part | None, new: Part | None, where: str
) -> Iterator[Change]:
    if old is None and new is not None:
        must = new.get("required", False)
        yield Change(where, "has a body", breaking=must)
    elif old is not None and new is None:
        yield Change(where, "has no body", breaking=True)
    elif old is not None and new is not None:
        yield from _required(old, new, f"{where} body")
        yield from _content(compared, old, new, f"{where} body")


def _required(old: Part, new: Part, where: str) -> Iterator[Change]:
    if old.get("required", False) != new.get("required", False):
        must = new.get("required", False)
        yield Change(where, "is required" if must else "can be left out", breaking=must)


def _answers(compared: SchemaComparison, old: Part, new: Part, where: str) -> Iterator[Change]:
    for status in old.keys() - new.keys():
        yield Change(where, f"no longer answers {status}", breaking=True)
    for status in new.keys() - old.keys():
        # A client that has sent the same as before may get another error, but no other success.
        yield Change(where, f"can answer {status}", breaking=status < "400")
    for status in old.keys() & new.keys():
        place = f"{where} {status}"
        yield from _content(compared, old[status], new[status], place)
        before, after = (part[status].get("headers", {}) for part in (old, new))
        yield from gone_and_new(before, after, f"{place} header {{}}")


def _content(compared: SchemaComparison, old: Part, new: Part, where: str) -> Iterator[Change]:
    before, after = old.get("content", {}), new.get("content", {})
    yield from gone_and_new(before, after, f"{where} {{}}")
    for form in before.keys() & after.keys():
        schemas = before[form].get("schema", {}), after[form].get("schema", {})
        yield from compared.changes(*schemas, where)


def gone_and_new(old: Part, new: Part, place: str) -> Iterator[Change]:
    """What has gone breaks clients, what has come does not."""
    for name in old.keys() - new.keys():
        yield Change(place.format(name), "is gone", breaking=True)
    for name in new.keys() - old.keys():
        yield Change(place.format(name), "is new", breaking=False)


def _operations(document: Part) -> dict[str, Part]:
    """The operations by method and path."""
    return {
        f"{method.upper()} {path}": item[method]
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    }
