"""Rounds, standings and brackets as tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from arbiter_client import Row
from projections.texts.plain_text import plain

Names = Mapping[int, str]
"""The names of the players, by their numbers."""


def names_of(tournament: Row) -> Names:
    """The names in a tournament's view."""
    return {player["player"]: player["name"] for player in tournament["players"]}


def stages_table(stages: Iterable[Row]) -> Table:
    """A row for each stage."""
    rows = (
        (stage["stage"], stage["name"], stage["format"], stage["status"], stage["published"])
        for stage in stages
    )
    return _table(("stage", "name", "format", "status", "rounds"), rows)


def pairings_table(pairings: Iterable[Row], byes: Iterable[Row], names: Names) -> Table:
    """A row for each table of a round, and for each player without one."""

    def rows() -> Iterator[Sequence[object]]:
        for row in pairings:
            players = ", ".join(names[player] for player in row["players"])
            yield row["table"], players, why(row)
        for row in byes:
            yield row["kind"].replace("_", " "), names[row["player"]], why(row)

    return _table(("table", "players", "why"), rows())


def why(row: Row) -> str:
    """Why a pairing or a bye is as it is."""
    return ", ".join(code.replace("_", " ") for code in row["because"])


def standings_table(standings: Row) -> Table:
    """A row for each player, by place."""
    rows = (
        (row["place"], row["name"], row["points"], row["played"], *row["tiebreaks"])
        for row in standings["rows"]
    )
    heads = (name.replace("_", " ") for name in standings["tiebreaks"])
    return _table(("place", "player", "points", "played", *heads), rows)


def bracket_table(slots: Iterable[Row], names: Names) -> Table:
    """A row for each match of a bracket: who meets whom, and where the winner goes."""

    def rows() -> Iterator[Sequence[object]]:
        for slot in slots:
            sides = [
                _side(player, source, names)
                for player, source in zip(slot["players"], slot["from"], strict=True)
            ]
            won = "" if slot["winner"] is None else names[slot["winner"]]
            score = ":".join(map(str, slot["wins"]))
            yield slot["slot"], _round(slot["round"]), *sides, score, won, slot["winner_to"] or ""

    heads = ("match", "round", "player", "player", "wins", "winner", "goes to")
    return _table(heads, rows())


def _side(player: int | None, source: Row, names: Names) -> str:
    if player is not None:
        return names[player]
    return "" if source["kind"] == "seed" else f"{source['kind']} of {source['number']}"


def _round(number: int) -> str:
    if number == 0:
        return "third place"
    return str(number) if number > 0 else f"losers {-number}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain(str(cell))) for cell in row))
    return table
