"""`/v1/tournaments/{id}/players`: players are entered, one as JSON or many as CSV; and the roster
as organisers see it."""

import asyncio
import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from domain.game import Refused
from domain.tournament.commands import MOST_PLAYERS, NewPlayer, NewPlayers
from domain.tournament.decide import CODES, entry_faults
from domain.tournament.events import PlayerNamed
from domain.tournament.state import KeyedRequest, Tournament
from projections.tournaments.players import ShownPlayer, show_player
from service.application.tournaments.tournament_service import TournamentChange
from service.http.access.guards import ORGANISER
from service.http.description.routing import OfTournament, examples, get, post, problems
from service.http.errors.mistakes import Mistake, MistakeCode, nearest
from service.http.errors.problems import Failed
from service.http.requests.dependencies import TheTournament, TournamentRequest
from service.http.requests.idempotency import request_of
from service.http.requests.request_body import JSON, body_of, converted, media_type, parse_body
from service.http.requests.request_form import DATA
from service.http.requests.responses import Answer, IdempotencyKey, created, private
from service.http.requests.strict_json import decoded_number
from service.http.tournaments.players import PlayerKey

CSV = "text/csv"
COLUMNS = NewPlayer.__struct_fields__
TEXTS = ("name", "team", "external_id")
NEW_PLAYER = examples({"cy": {"name": "Cy", "garnets": 2}}, component=NewPlayer.__name__)


class EnteredPlayers(Struct, frozen=True):
    """The players of a list, in its order."""

    players: list[PlayerKey]


class RosterPlayer(ShownPlayer, frozen=True):
    """A player as organisers see them: with the `rating`, the `seed`, the `team` and `external_id`,
    the organiser's own id of the player."""

    external_id: str | None


class Roster(Struct, frozen=True):
    """The players of a tournament."""

    players: list[RosterPlayer]


class RosterController(OfTournament):
    """Rosters of tournaments."""

    path = f"{OfTournament.path}/players"

    @post(
        summary="Enter a player, or many",
        guards=[ORGANISER],
        opt=problems(
            "names_not_allowed name_taken external_id_taken roster_full tournament_closed",
            remembered=False,
            body=NEW_PLAYER,
            bodies={JSON: NewPlayer, CSV: str},
            content={JSON: PlayerKey | EnteredPlayers},
        ),
    )
    async def enter_player(
        self, tournament: TheTournament, key: IdempotencyKey = None
    ) -> Answer[PlayerKey] | Answer[EnteredPlayers]:
        """Needs an organiser's key. Matches may have begun already. A list is `text/csv` in UTF-8:
        its head names the columns, which are the members of the JSON. All its players enter, or
        none: then `errors` has every mistake with its `line`."""
        request = tournament.request
        body, state = await body_of(request), request.scope["state"]
        if media_type(request) == CSV:
            player_list = await asyncio.to_thread(read_players, body)
            state[DATA] = tuple(player_list.players.values())
            return await _enter_list(tournament, player_list, request_of(request, key))
        state[DATA] = new = parse_body(body, NewPlayer, request)
        once = request_of(request, key)
        change = await tournament.execute(new, once)
        (answer,) = await _entered(tournament, 1, change, once)
        return created(answer, repeated=change.repeated)

    @get(summary="The roster of a tournament, as organisers see it", guards=[ORGANISER])
    async def list_players(self, tournament: TheTournament) -> Answer[Roster]:
        """Needs an organiser's key. Everyone sees the players in the tournament itself, without
        the organiser's own ids."""
        state = await tournament.state()
        rows = [
            RosterPlayer(
                **asdict(show_player(state, number)), external_id=state.external_ids.get(number)
            )
            for number in range(len(state.players))
        ]
        return private(Roster(rows))


# A list of players.


class ListedPlayers(Struct, frozen=True):
    """The players of a list by the lines on which they stand, and what is wrong with others."""

    players: dict[int, NewPlayer]
    mistakes: list[Mistake]


def read_players(body: bytes) -> ListedPlayers:
    """The players of a CSV, no more than a roster has."""
    players, mistakes = dict[int, NewPlayer](), list[Mistake]()
    try:
        rows = _numbered(body)
        line, head = next(rows, (1, []))
        mistakes += _in_head(head)
        for line, row in () if mistakes else rows:
            if not any(row):
                continue
            if len(players) + len(mistakes) >= MOST_PLAYERS:
                detail = f"A list has at most {MOST_PLAYERS} players."
                raise _failed(line, "wrong_length", detail, maximum=MOST_PLAYERS)
            try:
                players[line] = _player(line, head, row)
            except Failed as failed:
                mistakes += failed.errors
        if not players and not mistakes:
            raise _failed(line, "wrong_length", "No one is listed.", minimum=1)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        mistakes.append(_wrong(line, "wrong_format", "This is not UTF-8."))
    except Failed as failed:
        mistakes += failed.errors
    return ListedPlayers(players, mistakes)


def _numbered(body: bytes) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table, each with the number of its first line. Raises UnicodeDecodeError and
    Failed."""
    rows, line = csv.reader(StringIO(body.decode("utf-8-sig"), newline=""), strict=True), 1
    try:
        for row in rows:
            yield line, [cell.strip() for cell in row]
            line = rows.line_num + 1
    except csv.Error as error:
        raise _failed(rows.line_num, "wrong_format", f"This is no CSV: {error}.") from None


def _in_head(head: Sequence[str]) -> Iterator[Mistake]:
    for column in dict.fromkeys(head):
        if column not in COLUMNS:
            detail, guess = "There is no such column.", nearest(column, COLUMNS)
            yield _wrong(1, "unknown_field", detail, allowed=COLUMNS, did_you_mean=guess)
        elif head.count(column) > 1:
            yield _wrong(1, "sent_twice", "A column stands once.", column)
    if "name" not in head:
        yield _wrong(1, "missing_field", "The head has no column `name`.", "name")


def _player(line: int, head: Sequence[str], row: Sequence[str]) -> NewPlayer:
    """The player of a row, in which an empty cell says nothing. Raises Failed."""
    if len(row) > len(head):
        raise _failed(line, "wrong_length", "The row has more cells than the head.")
    cells = ((column, cell) for column, cell in zip(head, row, strict=False) if cell)
    value = {column_: cell if column_ in TEXTS else decoded_number(cell) for column_, cell in cells}
    try:
        return converted(value, NewPlayer)
    except Failed as failed:
        failed.errors = tuple(
            replace(column_, pointer=None, name=(column_.pointer or "")[1:] or None, line=line)
            for column_ in failed.errors
        )
        raise


def _wrong(
    line: int, code: MistakeCode, detail: str, column: str | None = None, **more: Any
) -> Mistake:
    return Mistake("body", code, detail, name=column, line=line, **more)


def _failed(line: int, code: MistakeCode, detail: str, **more: Any) -> Failed:
    return Failed("wrong_shape", errors=(_wrong(line, code, detail, **more),))


async def _enter_list(
    tournament: TournamentRequest, player_list: ListedPlayers, once: KeyedRequest | None
) -> Answer[EnteredPlayers]:
    new = tuple(player_list.players.values())
    if player_list.mistakes:
        raise _refused("wrong_shape", await tournament.state(), player_list)
    try:
        change = await tournament.execute(NewPlayers(new), once)
    except Refused as refused:
        raise _refused(refused.code, await tournament.state(), player_list) from None
    answer = EnteredPlayers(await _entered(tournament, len(new), change, once))
    return created(answer, repeated=change.repeated)


def _refused(code: str, state: Tournament, player_list: ListedPlayers) -> Failed:
    """The refusal of a list, with every mistake in it."""
    faults = zip(
        player_list.players, entry_faults(state, player_list.players.values()), strict=True
    )
    unfit = (_unfit(line, fault) for line, fault in faults if fault is not None)
    mistakes = sorted((*player_list.mistakes, *unfit), key=lambda mistake: mistake.line or 0)
    detail = next((f"line {mistake.line}: {mistake.detail}" for mistake in mistakes), None)
    return Failed(code, detail, errors=tuple(mistakes))


def _unfit(line: int, fault: str) -> Mistake:
    """Why the player of a line cannot enter."""
    code: MistakeCode = "used_already" if fault.endswith("taken") else "not_allowed_here"
    column = {"roster_full": None, "external_id_taken": "external_id"}.get(fault, "name")
    return _wrong(line, code, CODES[fault], column)


async def _entered(
    tournament: TournamentRequest, count: int, change: TournamentChange, once: KeyedRequest | None
) -> list[PlayerKey]:
    """Players who have entered, with their keys if they are shown. To a repeat they have the names
    that they have by now."""
    state, keys = await tournament.state(), iter(change.keys)
    entered = (event.player for event in change.events if isinstance(event, PlayerNamed))
    first = next(entered, None)
    if first is None:
        assert once is not None, "only what has a key is a repeat"
        first = state.requests[once.key].players
    numbers = range(first, first + count)
    return [PlayerKey(number, state.players[number], next(keys, None)) for number in numbers]
