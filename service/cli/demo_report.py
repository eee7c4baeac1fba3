"""What `arbiter demo` prints at its end: the matches, and where to look at one of them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.table import Table as Columns

from domain.games import GAMES
from service.cli.console import command_line, few, out
from service.cli.playing import Played
from service.settings import variables

ELSEWHERE = ("PERSISTENCE_MODULE", "SQLITE_DBNAME")
"""Settings that would lead a command away from the folder that `--data` names."""


def report_matches(played: Sequence[Played]) -> None:
    """Prints a row for each match."""
    table = Columns(box=None)
    for title in ("match", "game"):
        table.add_column(title, no_wrap=True)
    for title in ("seats", "actions", "won by"):
        table.add_column(title)
    for match in sorted(played, key=lambda match: match.id):
        table.add_row(
            match.id, match.game, str(len(match.seats)), str(match.actions), few(match.winners)
        )
    out.print(table)


def report_addresses(played: Sequence[Played], url: str) -> None:
    """Prints where a running server shows one of the matches, commands that do, and keys that open
    the rest."""
    match = to_look_at(played)
    _section("Look at one:")
    _lines((f"{url}/m/{match.id}", f"{url}/v1/matches/{match.id}/events?as=moderator"))
    commands = (["matches"], ["replay", match.id])
    _lines(command_line(*words, "--url", url) for words in commands)
    _section("Its keys:")
    _lines((f"{match.keys[0]}  {match.seats[0]}, seat 0", f"{match.moderator_key}  moderator"))


def report_commands(played: Sequence[Played], data: Path, *, served: bool) -> None:
    """Prints commands that show one of the matches from the store in the folder `data`; also one
    that serves the store, unless it is `served`."""
    match = to_look_at(played)
    _section(f"The matches are kept in {data}:")
    commands = [
        ["replay", match.id, "--as", who] for who in ("public", match.seats[0], "moderator")
    ]
    commands.append(["audit", match.id])
    if not served:
        commands.append(["serve", "--port", "0"])
    away = [f"-u {name}" for name in variables(*ELSEWHERE)]
    start = " ".join(["env", *away, ""]) if away else ""
    _lines(start + command_line(*words, "--data", str(data)) for words in commands)


def report_server(url: str, organiser: str) -> None:
    """Prints the address of the demo's own server and its organiser's key."""
    _section("This server stays up until Ctrl-C:")
    _lines((f"{url}  what is played", f"{organiser}  organiser key"))


def to_look_at(played: Sequence[Played]) -> Played:
    """The newest match, if possible one with a record that anybody may read."""
    return max(played, key=lambda match: (GAMES[match.game].records[0] != "closed", match.id))


def _section(title: str) -> None:
    out.print(f"\n{title}", style="bold", soft_wrap=True)


def _lines(lines: Iterable[str]) -> None:
    for line in lines:
        out.print(f"  {line}", soft_wrap=True)
