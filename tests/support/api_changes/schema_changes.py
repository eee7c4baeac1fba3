"""What differs between two JSON Schemas of one place, and whether it breaks clients.

What is narrower breaks those who send it, what is wider those who receive it. Receivers ignore
fields that they do not know, and alternatives of a union that is declared `x-extensible`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.api_changes.change import Change

Schema = Mapping[str, Any]

OPEN = "x-extensible"

LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
FORMS = ("pattern", "format", "multipleOf", "uniqueItems")


class SchemaComparison:
    """Compares schemas of an old and a new document in one direction: `sent` by clients, or
    received by them. Each component is compared once."""

    def __init__(self, old: Schema, new: Schema, *, sent: bool) -> None:
        self._old, self._new, self._sent = old, new, sent
        self._seen: set[tuple[str | None, str | None]] = set()

    def changes(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        """What has changed between these schemas at `where`."""
        olds, news = _alternatives(old), _alternatives(new)
        gone = [name for name in olds if name not in news]
        come = [name for name in news if name not in olds]
        if len(gone) == len(come) == 1 and self._alike(olds[gone[0]], news[come[0]]):
            yield from self._pair(olds[gone.pop()], news[come.pop()], where)
        for name in gone:
            missed = self._sent or _target(self._old, olds[name]).get("type") == "object"
            yield Change(where, f"can no longer be {name}", breaking=missed)
        for name in come:
            yield self._wider(where, f"can be {name}", known_open=OPEN in old)
        for name in olds.keys() & news.keys():
            yield from self._pair(olds[name], news[name], where)

    def _pair(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        names = _component(old), _component(new)
        if names == (None, None):
            yield from self._plain(old, new, where)
            return
        if names[0] is not None and names[1] is not None:
            if names in self._seen:
                return
            self._seen.add(names)
            where = f"{names[0]} in {'requests' if self._sent else 'answers'}"
        yield from self.changes(_target(self._old, old), _target(self._new, new), where)

    def _plain(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        """What has changed between two schemas of one type."""
        yield from self._values(old, new, where)
        yield from self._limits(old, new, where)
        yield from self._fields(old, new, where)
        yield from self._parts(old, new, where)
        if self._sent and old.get("default") != new.get("default"):
            yield Change(where, "has another default", breaking=True)

    def _values(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        before, after = _values(old), _values(new)
        if before is None or after is None:
            if before is not None:
                yield self._wider(where, "can be any value", known_open=OPEN in old)
            if after is not None:
                yield self._narrower(where, "can no longer be any value")
            return
        for value in before - after:
            yield self._narrower(where, f"can no longer be `{value}`")
        for value in after - before:
            yield self._wider(where, f"can be `{value}`", known_open=OPEN in old)

    def _limits(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        for word in (*LEAST, *MOST, *FORMS):
            before, after = old.get(word), new.get(word)
            if before == after:
                continue
            said = f"`{word}` is {after if after is not None else 'gone'}, was {before}"
            if word in FORMS and before is not None and after is not None:
                yield Change(where, said, breaking=True)
            elif before is None or (after is not None and (after > before) == (word in LEAST)):
                yield self._narrower(where, said)
            else:
                yield self._wider(where, said)

    def _fields(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        needed = set(old.get("required", ())), set(new.get("required", ()))
        for name in before.keys() - after.keys():
            yield Change(f"{where}.{name}", "is gone", breaking=True)
        for name in after.keys() - before.keys():
            must = self._sent and name in needed[1]
            yield Change(f"{where}.{name}", "is new and required" if must else "is new", must)
        for name in before.keys() & after.keys():
            if name in needed[1] - needed[0]:
                yield self._narrower(f"{where}.{name}", "is always there")
            if name in needed[0] - needed[1]:
                yield self._wider(f"{where}.{name}", "can be left out")
            yield from self.changes(before[name], after[name], f"{where}.{name}")
        yield from self._more(old, new, where)

    def _more(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        """What has changed of fields that have no name of their own."""
        before, after = (one.get("additionalProperties", True) for one in (old, new))
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self.changes(before, after, f"{where}{{}}")
        elif self._sent and bool(before) != bool(after):
            said = "can have more fields" if after else "can have no other fields"
            yield (self._wider if after else self._narrower)(where, said)

    def _parts(self, old: Schema, new: Schema, where: str) -> Iterator[Change]:
        """What has changed of the parts of a list: its length is among the limits."""
        if "items" in old and "items" in new:
            yield from self.changes(old["items"], new["items"], f"{where}[]")
        pairs = zip(old.get("prefixItems", ()), new.get("prefixItems", ()), strict=False)
        for n, (before, after) in enumerate(pairs):
            yield from self.changes(before, after, f"{where}[{n}]")
        if ("prefixItems" in old) != ("prefixItems" in new):
            yield Change(where, "is another kind of list", breaking=True)

    def _alike(self, old: Schema, new: Schema) -> bool:
        """Whether one may be the other under a new name."""
        kinds = [_target(*one).get("type") for one in ((self._old, old), (self._new, new))]
        return kinds[0] == kinds[1]

    def _narrower(self, where: str, what: str) -> Change:
        return Change(where, what, breaking=self._sent)

    def _wider(self, where: str, what: str, *, known_open: bool = False) -> Change:
        return Change(where, what, breaking=not self._sent and not known_open)


def _alternatives(schema: Schema) -> dict[str, Schema]:
    """The schemas of which a value fits one, by names that they have in every document."""
    found: dict[str, Schema] = {}
    for one in _flattened(schema):
        name = f"`{_component(one) or one.get('type', 'anything')}`"
        same = sum(1 for other in found if other.split()[0] == name)
        found[f"{name} {same + 1}" if same else name] = one
    return found


def _flattened(schema: Schema) -> Iterator[Schema]:
    """The alternatives of a schema; one of several types is an alternative for each."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        for one in options:
            yield from _flattened(one)
    elif isinstance(schema.get("type"), list):
        yield from ({**schema, "type": kind} for kind in schema["type"])
    else:
        yield schema


def _values(schema: Schema) -> frozenset[Any] | None:
    """The values that a schema lists; None if it does not."""
    if "const" in schema:
        return frozenset([schema["const"]])
    return frozenset(schema["enum"]) if "enum" in schema else None


def _component(schema: Schema) -> str | None:
    reference = schema.get("$ref")
    return None if reference is None else str(reference).rsplit("/", 1)[1]


def _target(document: Schema, schema: Schema) -> Schema:
    """The schema itself, or the component that it refers to."""
    name = _component(schema)
    target: Schema = schema if name is None else document["schemas"][name]
    return target
