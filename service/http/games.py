"""`/v1/games`: what can be played."""

from typing import Annotated, Any

import msgspec
from litestar import Controller
from litestar.params import PathParameter
from msgspec import Meta, Struct

from domain.game import RecordRule
from domain.games import GAMES
from domain.match.state import AnyGame
from projections.boards import BOARDS
from projections.texts.action_texts import action_texts, titled
from service.http.access.guards import EVERYBODY
from service.http.description.routing import get, problems
from service.http.description.schema_form import Schema, readable, sent_whole
from service.http.errors.problems import Failed

GameId = Annotated[str, PathParameter(description="The id of a game")]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class GameSummary(Struct, frozen=True):
    """A game that can be played here."""

    id: str
    title: str
    rules_version: int
    seats: Annotated[tuple[int, int], Meta(description="The fewest and the most seats")]


class GameList(Struct, frozen=True):
    """All games."""

    games: list[GameSummary]


class GameAnswer(GameSummary, frozen=True):
    """A game: JSON Schemas (2020-12) of its options, actions, view and events, what each code of
    a refusal means, the rules in words (Markdown), and which record rules there are, the default
    first."""

    options: dict[str, Any]
    actions: dict[str, Any]
    view: dict[str, Any]
    events: Annotated[
        dict[str, Any],
        Meta(description="The JSON Schema of the events: `type` beside what a line has in `data`"),
    ]
    codes: dict[str, str]
    rules: str
    records: Annotated[
        tuple[RecordRule, ...], Meta(description="What `record` can be; the first is the default")
    ]


def schema_of(kind: Any) -> Schema:
    """The JSON Schema of a type, by itself, in the form of the API's description."""
    schema = msgspec.json.schema(kind)
    parts = {name: sent_whole(part) for name, part in schema.get("$defs", {}).items()}
    return {"$schema": DIALECT, **readable({**schema, "$defs": parts})}


def _answer_of(game: AnyGame) -> GameAnswer:
    return GameAnswer(
        id=game.id,
        title=game.title,
        rules_version=game.rules_version,
        seats=(game.seats[0], game.seats[-1]),
        options=schema_of(game.Options),
        actions=titled(schema_of(game.Action), action_texts(game.Action)),
        view=schema_of(BOARDS[game.id].view),
        events=schema_of(game.Event),
        codes=dict(game.codes),
        rules=game.text,
        records=game.records,
    )


_ANSWERS = {game.id: _answer_of(game) for game in GAMES.values()}


class GamesController(Controller):
    """The games that this service knows."""

    path = "/v1/games"
    tags = ("games",)

    @get(summary="The games that can be played", guards=[EVERYBODY], opt=problems(stored=False))
    async def list_games(self) -> GameList:
        """All games, with the number of seats they take."""
        return GameList(
            [GameSummary(a.id, a.title, a.rules_version, a.seats) for a in _ANSWERS.values()]
        )

    @get(
        "/{game:str}",
        summary="A game: its schemas, codes and rules",
        guards=[EVERYBODY],
        opt=problems("no_such_game", stored=False),
    )
    async def show_game(self, game: GameId) -> GameAnswer:
        """Everything that a frontend needs to know about a game before a match of it."""
        if game not in _ANSWERS:
            raise Failed("no_such_game")
        return _ANSWERS[game]
