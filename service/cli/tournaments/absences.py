"""`arbiter tournament absences`, `forfeit` and `time`: who is not there by the end of a round."""

from typing import TextIO
from uuid import UUID

import rich_click as click
from rich.text import Text

from arbiter_client import Row, Tournament
from service.cli.console import command_line, out
from service.cli.tournaments.options import (
    check_asked,
    connected,
    of_tournament,
    stage_option,
    yes_option,
)
from service.cli.tournaments.rounds import current_stage, last_round
from service.cli.tournaments.tournament_output import Names, absences_table, names_of

reason_option = click.option("--reason", required=True, help="Why: everybody sees it.")


def _round(tournament: Tournament, stage: int | None) -> tuple[int, Row]:
    """The stage that is meant, and its last round."""
    number = stage or current_stage(tournament)
    return number, last_round(tournament, tournament.stages()[number - 1])


@click.command("absences")
@of_tournament
@stage_option
def absences(tournament: UUID, url: str, key_file: TextIO | None, stage: int | None) -> None:
    """Show which matches of the last round are not over by its end, and who has done nothing in
    them. It is a look at what is hidden, and accounted for."""
    with connected(tournament, url, key_file) as one:
        number, last = _round(one, stage)
        out.print(absences_table(one.absences(number, last["round"]), names_of(one.view())))


@click.command("forfeit")
@of_tournament
@stage_option
@click.option("--table", type=click.IntRange(1), required=True, help="The table in the round.")
@reason_option
@yes_option
def forfeit(
    tournament: UUID,
    url: str,
    key_file: TextIO | None,
    stage: int | None,
    table: int,
    reason: str,
    yes: bool,
) -> None:
    """Rule that those lose who have done nothing at a table of the last round by its end."""
    check_asked(yes=yes)
    with connected(tournament, url, key_file) as one:
        number, last = _round(one, stage)
        found = one.absences(number, last["round"])
        absence = next((row for row in found if row["table"] == table), None)
        if absence is None or not absence["absent"]:
            raise click.ClickException(f"nobody is absent from table {table}")
        players = next(row["players"] for row in last["pairings"] if row["table"] == table)
        out.print(Text(_outcome(players, absence["absent"], names_of(one.view()))))
        if not yes:
            click.confirm("Rule it?", abort=True)
        ruled = one.forfeit(number, last["round"], absence, reason)
        out.print(Text("It is carried out." if ruled["n"] else _pending(absence["match"], ruled)))


def _outcome(players: list[int], absent: list[int], names: Names) -> str:
    """What a forfeit gives: who loses, and who wins."""
    lost = ", ".join(names[player] for player in absent)
    won = ", ".join(names[player] for player in players if player not in absent)
    return f"Lost by {lost}" + (f", won by {won}" if won else ": by all")


def _pending(match: str, ruled: Row) -> str:
    again = command_line("rule", match, "--second", ruled["ruling"])
    return f"It waits for a second person: {again}"


@click.command("time")
@of_tournament
@stage_option
@click.option("--table", "tables", type=click.IntRange(1), multiple=True, help="Only this table.")
@click.option("--ends", required=True, help="The new end, as 2030-01-31T18:00:00Z.")
@reason_option
def give_time(
    tournament: UUID,
    url: str,
    key_file: TextIO | None,
    stage: int | None,
    tables: tuple[int, ...],
    ends: str,
    reason: str,
) -> None:
    """Let the last round of TOURNAMENT, or tables of it, end later."""
    with connected(tournament, url, key_file) as one:
        number, last = _round(one, stage)
        one.give_time(number, last["round"], ends, reason, list(tables) or None)
        which = f"Table {', '.join(map(str, tables))} of round" if tables else "Round"
        out.print(Text(f"{which} {last['round']} of stage {number} ends at {ends}"))
