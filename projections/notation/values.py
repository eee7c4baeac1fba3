"""Values as they stand in a notation: words, numbers, quoted texts, lists and tables."""

import re
from typing import Any, NoReturn

import msgspec

DEEPEST = 8
"""Maximum depth of lists and tables in one another."""

CONSTANTS = {"null": None, "true": True, "false": False}

_WORD = re.compile(r"[A-Za-z0-9_./-]+")
_NUMBER = re.compile(r"-?[0-9]+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_FOUND = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\]}]+|.')
_MOST_DIGITS = 20


class NotationError(Exception):
    """A text is no notation of a match: where, from 1, and what was expected there."""

    def __init__(self, line: int, column: int, why: str) -> None:
        super().__init__(f"line {line}, column {column}: {why}")
        self.line = line
        self.column = column
        self.why = why


def written(value: Any) -> str:
    """A value as it is written: a word is bare where it can be read as nothing else.

    >>> written({"coins": ["penny", "12", None], "by": 12})
    '{coins:[penny,"12",null],by:12}'
    """
    match value:
        case None | True | False:
            return msgspec.json.encode(value).decode()
        case int():
            return str(value)
        case str():
            return value if _is_bare(value) else _quoted(value)
        case list() | tuple():
            return f"[{','.join(map(written, value))}]"
        case dict():
            pairs = (f"{written(key)}:{written(one)}" for key, one in value.items())
            return f"{{{','.join(pairs)}}}"
    raise TypeError(f"no value of a notation: {type(value).__name__}")


def _is_bare(text: str) -> bool:
    number = _NUMBER.fullmatch(text) is not None
    return _WORD.fullmatch(text) is not None and not number and text not in CONSTANTS


def _quoted(text: str) -> str:
    """The text as JSON has it, with everything escaped that does not print as itself."""
    as_json = msgspec.json.encode(text).decode()
    return "".join(one if one.isprintable() else _escaped(one) for one in as_json)


def _escaped(letter: str) -> str:
    """The letter by its number, or by two beyond the first plane of Unicode."""
    raw = letter.encode("utf-16-be")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))


class Scanner:
    """One line, read from left to right. Every method raises NotationError for what it does not
    find."""

    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.line = line
        self.at = 0

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        """Raises NotationError: `expected` is not what stands here, or at an index."""
        index = self.at if at is None else at
        found = _FOUND.match(self.text, index)
        there = "the end of the line" if found is None else f"`{found[0][:40]}`"
        self.reject(f"expected {expected}, not {there}", index)

    def reject(self, why: str, at: int = 0) -> NoReturn:
        """Raises NotationError for what stands at an index, or for the line."""
        raise NotationError(self.line, at + 1, why)

    def take(self, literal: str) -> bool:
        """Whether these characters come next; then they are read."""
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def need(self, literal: str) -> None:
        """Reads these characters."""
        if not self.take(literal):
            self.fail(f"`{literal}`")

    def spaces(self) -> bool:
        """Reads spaces, if there are any. Returns whether something that is no comment follows."""
        while self.take(" ") or self.take("\t"):
            pass
        return self.at < len(self.text) and self.text[self.at] != ";"

    def finish(self) -> None:
        """Reads the end of the line, with or without a comment."""
        if self.spaces():
            self.fail("the end of the line")

    def word(self, expected: str) -> str:
        """A bare word, as the text that it is."""
        found = _WORD.match(self.text, self.at)
        if found is None:
            self.fail(expected)
        self.at = found.end()
        return found[0]

    def number(self, expected: str) -> int:
        """A whole number."""
        found = _NUMBER.match(self.text, self.at)
        if found is None or len(found[0]) > _MOST_DIGITS:
            self.fail(expected)
        self.at = found.end()
        return int(found[0])

    def name(self, expected: str) -> str:
        """A bare word or a quoted text."""
        start = self.at
        value = self.value(expected)
        if not isinstance(value, str):
            self.fail(expected, start)
        return value

    def value(self, expected: str = "a value", depth: int = 0) -> Any:
        """Any value."""
        if depth > DEEPEST:
            self.fail(f"at most {DEEPEST} lists in one another")
        if self.take("["):
            return self._list(depth)
        if self.take("{"):
            return self._table(depth)
        if self.text.startswith('"', self.at):
            return self._text()
        start = self.at
        word = self.word(expected)
        if _NUMBER.fullmatch(word):
            self.at = start
            return self.number("a number of at most 20 digits")
        return CONSTANTS.get(word, word)

    def _list(self, depth: int) -> list[Any]:
        values: list[Any] = []
        while not self.take("]"):
            if values:
                self._next("]")
            values.append(self.value("a value or `]`", depth + 1))
            self.spaces()
        return values

    def _table(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not self.take("}"):
            if values:
                self._next("}")
            name = self.name("a name or `}`")
            self.need(":")
            self.spaces()
            values[name] = self.value(depth=depth + 1)
            self.spaces()
        return values

    def _next(self, end: str) -> None:
        if not self.take(","):
            self.fail(f"`,` or `{end}`")
        self.spaces()

    def _text(self) -> str:
        found = _QUOTED.match(self.text, self.at)
        if found is None:
            self.reject("expected a quotation mark at the end of this text", self.at)
        try:
            text: str = msgspec.json.decode(found[0], type=str)
        except (msgspec.DecodeError, UnicodeError):
            self.reject("expected a text with escapes as in JSON", self.at)
        self.at = found.end()
        return text
