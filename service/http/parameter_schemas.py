"""The schemas of parameters as they are checked, where the framework derives looser ones."""

from typing import Any

LIMITS = ("minimum", "maximum")


def parameter_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter: without null, which no address can say, since a parameter that is
    left out has its default; and with whole limits for whole numbers."""
    choices = [one for one in schema.get("oneOf", ()) if one != {"type": "null"}]
    own = {name: value for name, value in schema.items() if name != "oneOf"}
    if len(choices) == 1:
        own = {**choices[0], **own}
    elif choices:
        own["oneOf"] = choices
    if isinstance(own.get("type"), list):
        types = [name for name in own["type"] if name != "null"]
        own["type"] = types[0] if len(types) == 1 else types
    if "enum" in own:
        own["enum"] = [value for value in own["enum"] if value is not None]
    return own | {name: int(own[name]) for name in LIMITS if name in own}
