"""What the rest of the program requires of every game, checked when a game is made, at import."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.inspect import Field, StructType, Type, multi_type_info
from msgspec.structs import astuple

from domain.events import check_stored_names
from domain.limits import Refused, unlimited

LEAST_TEXT = 500
"""Minimum length, in characters, of the rules of a game."""

MOST_SEATS = 64
"""Maximum number of names in a request to create a match."""

NEEDED_CODES = ("options_not_allowed", "game_over", "wrong_phase")
"""Every game can refuse options, an action after the end, and one while something else is awaited,
such as a draw."""

ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def check(game: Any) -> None:
    """Raises TypeError with everything that a game lacks. (`Game` calls it, so its type is not
    known here.)"""
    check_stored_names(kinds(game.Event), game.id)
    checks = (_name, _text, _seats, _codes, _options, _actions, _events, _types, _state, _variants)
    flaws = list(chain.from_iterable(flaw(game) for flaw in checks))
    if flaws:
        raise TypeError(f"{game.id}: {'; '.join(flaws)}")


def kinds(union: Any) -> tuple[type[Any], ...]:
    """The classes of a union, or the class itself."""
    return get_args(union) or (union,)


def _name(game: Any) -> Iterator[str]:
    if not ID.fullmatch(game.id):
        yield "an id is of lower-case words with hyphens"
    if not game.title.strip():
        yield "it has no title"


def _text(game: Any) -> Iterator[str]:
    length = len(game.text or "")
    if length <= LEAST_TEXT:
        yield f"its rules text has {length} characters; more than {LEAST_TEXT} say the rules"


def _seats(game: Any) -> Iterator[str]:
    seats = game.seats
    if not seats or seats.step != 1 or not 1 <= seats[0] <= seats[-1] <= MOST_SEATS:
        yield f"its seats are no range within 1 to {MOST_SEATS}"


def _codes(game: Any) -> Iterator[str]:
    for code in NEEDED_CODES:
        if code not in game.codes:
            yield f"it has no code {code}"
    for code, sentence in game.codes.items():
        if not CODE.fullmatch(code):
            yield f"the code {code} is not of lower-case words with underscores"
        if " " not in sentence or not sentence.endswith("."):
            yield f"the code {code} has no sentence"


def _options(game: Any) -> Iterator[str]:
    for field in msgspec.structs.fields(game.Options):
        if field.required:
            yield f"the option {field.encode_name} has no default"
    for name in unlimited(game.Options):
        yield (
            f"the option {name} has no limits: a number needs both (`between`), a text a pattern "
            "or a greatest length, a list a greatest length"
        )
    yield from _open_shapes("options", game.Options)


def _actions(game: Any) -> Iterator[str]:
    for kind in kinds(game.Action):
        config = kind.__struct_config__
        if config.tag_field != "type" or not isinstance(config.tag, str):
            yield f"the action {kind.__name__} has no tag that is its `type`"
    yield from _open_shapes("actions", game.Action)


def _open_shapes(what: str, shape: Any) -> Iterator[str]:
    for kind in structs(shape):
        if not kind.__struct_config__.forbid_unknown_fields:
            yield f"{kind.__name__}, of its {what}, lets unknown fields through"


def _events(game: Any) -> Iterator[str]:
    for kind in structs(game.Event):
        config = kind.__struct_config__
        if not config.frozen:
            yield f"{kind.__name__}, of its events, can be changed"
        if config.forbid_unknown_fields:
            yield f"{kind.__name__}, of its events, forbids the fields of later releases"


def _types(game: Any) -> Iterator[str]:
    for what in ("Options", "Action", "Event"):
        for name in same_names(getattr(game, what)):
            yield f"two Structs of its {what} are called {name}"


def _state(game: Any) -> Iterator[str]:
    kind = get_type_hints(game.initial).get("return")
    if not (isinstance(kind, type) and issubclass(kind, Struct) and kind.__struct_config__.frozen):
        yield "`initial` does not say that it returns a frozen Struct"


def _variants(game: Any) -> Iterator[str]:
    for variant in game.variants:
        try:
            options = msgspec.convert(variant, game.Options)
            for seats in (*game.seats[:1], *game.seats[-1:]):
                game.check(options, seats)
        except (msgspec.ValidationError, Refused) as error:
            yield f"its variant {variant} is none that it allows: {error}"
    if not game.variants or not game.records:
        yield "it has no variant or no kind of record"


def structs(*shapes: Any) -> list[type[Struct]]:
    """All Structs in types, at any depth; of a generic one the class."""
    classes: dict[Any, type[Struct]] = {}

    def visit(part: Any) -> None:
        if isinstance(part, tuple):
            for inner in part:
                visit(inner)
        elif isinstance(part, Type | Field) and getattr(part, "cls", None) not in classes:
            if isinstance(part, StructType):
                classes[part.cls] = get_origin(part.cls) or part.cls
            visit(astuple(part))

    visit(multi_type_info(shapes))
    return list(dict.fromkeys(classes.values()))


def same_names(*shapes: Any) -> list[str]:
    """Names that several Structs in types share: a JSON Schema of these types would distinguish
    them by their Python modules."""
    counts = Counter(kind.__name__ for kind in structs(*shapes))
    return [name for name, times in counts.items() if times > 1]
