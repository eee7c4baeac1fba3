"""Reads a notation: its header, and its moves with the lines on which they stand."""

from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from domain.game import RecordRule, Result
from domain.games import GAMES
from domain.match.state import AnyGame, understood
from projections.notation.moves import Drawn, Move, PhaseEnded, PlayedMove
from projections.notation.values import NotationError, Scanner
from projections.notation.writing import DRAW, END, FORMAT, only_required

OPTION, SEAT = "Option", "Seat"
"""The tags that may stand there several times."""


class NotatedMove(NamedTuple):
    """A move, and the number of its line."""

    line: int
    move: Move


class Notated(Struct, frozen=True):
    """What a notation says: what is played by whom, and every move. `result` is the one that the
    rules must give, if the match was played out and not decided by a ruling; `ends` the number of
    its line."""

    game: AnyGame
    seats: tuple[str, ...]
    options: dict[str, Any]
    record: RecordRule
    started: bool
    moves: tuple[NotatedMove, ...]
    result: Result | None = None
    ends: int = 1


class _Tag(NamedTuple):
    """A tag of the header: its line, its column and its values."""

    line: int
    column: int
    values: list[Any]


def read_notation(text: str) -> Notated:
    """What a notation says. Raises NotationError where it is none, or none of a game that is played
    here; whether the rules allow its moves is not judged."""
    lines = [
        Scanner(line.removesuffix("\r"), number)
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    ]
    written = [line for line in lines if line.spaces()]
    count = next((n for n, line in enumerate(written) if line.text[line.at] != "["), len(written))
    header = _Header(written[:count])
    moves = tuple(
        NotatedMove(line.line, _move(header.game, header.seats, line, number))
        for number, line in enumerate(written[count:], 1)
    )
    return header.notated(moves)


# The header.


class _Header:
    """The tags of a notation. Tags that are not known here are left out of account."""

    def __init__(self, lines: Sequence[Scanner]) -> None:
        self.tags: dict[str, list[_Tag]] = {}
        for line in lines:
            name, tag = _tag(line)
            known = self.tags.setdefault(name, [])
            if known and name not in (OPTION, SEAT):
                line.reject(f"there is a tag `{name}` already, on line {known[0].line}")
            known.append(tag)
        self._only("Notation", lambda number: number == FORMAT, f"the notation {FORMAT}")
        self.game = self._game()
        self.seats = tuple(self._seat(tag) for tag in self.tags.get(SEAT, ()))

    def notated(self, moves: tuple[NotatedMove, ...]) -> Notated:
        """The header with these moves."""
        status = self._only("Status", lambda one: isinstance(one, str), "a status")
        record = self._only("Record", lambda one: one in get_args(RecordRule), "a kind of record")
        options = dict(self._option(tag) for tag in self.tags.get(OPTION, ()))
        result, ends = self._result() if status == "ended" else (None, 1)
        return Notated(
            game=self.game,
            seats=self.seats,
            options=options,
            record=record,
            started=status != "created",
            moves=moves,
            result=result,
            ends=ends,
        )

    def _only(self, name: str, fits: Any, expected: str) -> Any:
        """The value of a tag that must be there."""
        if name not in self.tags:
            raise NotationError(1, 1, f"there is no tag `{name}`")
        (tag,) = self.tags[name]
        if len(tag.values) != 1 or not fits(tag.values[0]):
            raise NotationError(tag.line, tag.column, f"expected {expected}")
        return tag.values[0]

    def _game(self) -> AnyGame:
        known = ", ".join(GAMES)
        name = self._only("Game", lambda one: isinstance(one, str) and one in GAMES, known)
        game = GAMES[name]
        version = game.rules_version
        self._only(
            "Rules", lambda one: one == version, f"{version}: other rules of {name} are not played"
        )
        return game

    def _seat(self, tag: _Tag) -> str:
        if len(tag.values) != 1 or not isinstance(tag.values[0], str):
            raise NotationError(tag.line, tag.column, "expected a name")
        return str(tag.values[0])

    def _option(self, tag: _Tag) -> tuple[str, Any]:
        if len(tag.values) != 2 or not isinstance(tag.values[0], str):
            raise NotationError(
                tag.line, tag.column, "expected the name of an option and its value"
            )
        return tag.values[0], tag.values[1]

    def _result(self) -> tuple[Result | None, int]:
        """The result by the rules, and its line; None if a ruling decided it."""
        value = self._only("Result", lambda one: isinstance(one, dict), "a result")
        (tag,) = self.tags["Result"]
        if "Because" in self.tags:
            return None, tag.line
        try:
            return msgspec.convert(value, Result), tag.line
        except msgspec.ValidationError as error:
            raise NotationError(tag.line, tag.column, f"expected a result: {error}") from None


def _tag(line: Scanner) -> tuple[str, _Tag]:
    line.need("[")
    line.spaces()
    name = line.word("the name of a tag")
    line.spaces()
    column, values = line.at + 1, []
    while not line.take("]"):
        values.append(line.value("a value or `]`"))
        line.spaces()
    line.finish()
    return name, _Tag(line.line, column, values)


# Moves.


def _move(game: AnyGame, seats: Sequence[str], line: Scanner, number: int) -> Move:
    if line.number(f"the number of the move, {number}") != number:
        line.at = 0
        line.fail(f"the number of the move, {number}")
    line.need(".")
    line.spaces()
    start, quoted = line.at, line.text.startswith('"', line.at)
    expected = f"a seat ({', '.join(seats)}), `{DRAW}` or `{END}`"
    name = line.name(expected)
    if line.take(":"):
        if name not in seats:
            line.fail(expected, start)
        return _played(game, seats.index(name), line)
    if quoted or name not in (DRAW, END):
        line.fail(expected, start)
    line.spaces()
    return _drawn(line) if name == DRAW else _ended(line)


def _drawn(line: Scanner) -> Drawn:
    draw_id = line.name("the id of a draw")
    line.spaces()
    line.need("=")
    parts: list[Any] = []
    while line.spaces():
        value = line.value("an outcome: a face, a number or an order")
        parts.append(tuple(value) if isinstance(value, list) else value)
    return Drawn(draw_id, tuple(parts))


def _ended(line: Scanner) -> PhaseEnded:
    phase = line.name("the name of a phase")
    line.finish()
    return PhaseEnded(phase)


def _played(game: AnyGame, seat: int, line: Scanner) -> PlayedMove:
    line.spaces()
    start = line.at
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(game.Action) or (game.Action,)}
    name = line.word(f"an action: {', '.join(kinds)}")
    if name not in kinds:
        line.fail(f"an action: {', '.join(kinds)}", start)
    action = {"type": name, **_fields(kinds[name], line)}
    invalid = None
    if line.take("!"):
        invalid = line.word("the code of an invalid submission")
        line.finish()
    try:
        understood(game, action)
    except msgspec.ValidationError as error:
        line.reject(f"this is no action of the game: {error}", start)
    return PlayedMove(seat, action, invalid)


def _fields(kind: type[Struct], line: Scanner) -> dict[str, Any]:
    """The fields of an action, up to the end of the line or to what makes it invalid."""
    names = [field.encode_name for field in fields(kind)]
    alone = only_required(kind)
    known = ", ".join(f"{name}=" for name in names) or "the end of the line"
    given: dict[str, Any] = {}
    while line.spaces() and line.text[line.at] != "!":
        start = line.at
        value = line.value(known)
        if isinstance(value, str) and line.take("="):
            name, value = value, line.value()
        elif alone is not None:
            name = alone.encode_name
        else:
            line.fail(known, start)
        if name not in names:
            line.fail(known, start)
        if name in given:
            line.reject(f"`{name}` is there already", start)
        given[name] = value
    return given
