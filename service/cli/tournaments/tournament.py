"""`arbiter tournament`: runs a tournament of a service, from a file to its champions."""

import csv
from io import StringIO
from pathlib import Path
from typing import TextIO
from uuid import UUID

import rich_click as click
from msgspec.structs import asdict
from rich.text import Text

from arbiter_client import ProblemError, Row, Stale, Tournament
from service.cli.console import command_line, out
from service.cli.service_connection import (
    LOCAL,
    connected_service,
    key_option,
    read_key,
    url_option,
)
from service.cli.tournaments.options import (
    check_asked,
    connected,
    of_tournament,
    stage_option,
    yes_option,
)
from service.cli.tournaments.rounds import (
    current_stage,
    drafted_round,
    see_created,
    with_lots,
)
from service.cli.tournaments.tournament_file import (
    TournamentFile,
    read_people,
    read_tournament,
)
from service.cli.tournaments.tournament_output import (
    bracket_table,
    names_of,
    stages_table,
    standings_table,
)
from service.cli.typed_files import TextFile, write_private


@click.group("tournament")
def tournament() -> None:
    """Run a tournament of a service: create it from a file, draft and publish its rounds, read its
    standings, close it. What changes something needs an organiser's key."""


@tournament.command("create")
@click.argument("file", type=TextFile())
@click.option("--people", type=TextFile(), help="The players, as CSV, YAML or TOML.")
@click.option(
    "--keys",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the keys are written, for you alone to read. [default: keys-ID.csv]",
)
@url_option(LOCAL, "The service.")
@key_option
def create(
    file: TextIO, people: TextIO | None, keys: Path | None, url: str, key_file: TextIO | None
) -> None:
    """Create a tournament from FILE, in TOML or YAML: its `name`, `players`, `moderators` and
    `stages`. A CSV of players has a head: name, and rating, seed, team, garnets as you like."""
    wanted = read_tournament(file)
    players = [*wanted.people, *([] if people is None else read_people(people))]
    if keys is not None and keys.exists():
        raise click.UsageError(f"{keys} is there already")
    with connected_service(url, read_key(key_file)) as service:
        made = service.create_tournament(wanted.name, (), wanted.moderators)
        number = made["id"]
        out.print(Text(f"Tournament {number}"), soft_wrap=True)
        moderators = [("moderator", one["moderator"], one) for one in made["moderators"]]
        rows = service.tournament(number).enter_all(map(asdict, players)) if players else []
        entered = [("player", one["player"], one) for one in rows]
        path = keys or Path(f"keys-{number}.csv")
        write_private(path, _keys([*moderators, *entered]))
        out.print(Text(f"Keys of {len(entered)} players, shown nowhere else: {path}"))
        _add_stages(service.tournament(number), wanted)


def _keys(people: list[tuple[str, int, Row]]) -> bytes:
    text = StringIO()
    table = csv.writer(text)
    table.writerow(["role", "number", "name", "key"])
    table.writerows((role, number, one["name"], one["key"]) for role, number, one in people)
    return text.getvalue().encode()


def _add_stages(tournament: Tournament, wanted: TournamentFile) -> None:
    """Adds the stages that are not there yet."""
    there = len(tournament.stages())
    try:
        for settings in wanted.stages[there:]:
            tournament.add_stage(settings)
    except ProblemError:
        again = command_line("tournament", "add-stages", tournament.id, "FILE")
        out.print(Text(f"The stages from here on are missing. Mend the file, then: {again}"))
        raise
    out.print(stages_table(tournament.stages()))


@tournament.command("add-stages")
@of_tournament
@click.argument("file", type=TextFile())
def add_stages(tournament: UUID, url: str, key_file: TextIO | None, file: TextIO) -> None:
    """Add the stages of FILE behind those that TOURNAMENT has."""
    wanted = read_tournament(file)
    with connected(tournament, url, key_file) as one:
        _add_stages(one, wanted)


@tournament.command("draft")
@of_tournament
@stage_option
def draft(tournament: UUID, url: str, key_file: TextIO | None, stage: int | None) -> None:
    """Show the next round of TOURNAMENT as it would be published now, and why each pairing is."""
    with connected(tournament, url, key_file) as one:
        drafted_round(one, stage or current_stage(one), yes=False)


@tournament.command("publish")
@of_tournament
@stage_option
@yes_option
def publish(
    tournament: UUID, url: str, key_file: TextIO | None, stage: int | None, yes: bool
) -> None:
    """Publish the next round of TOURNAMENT as it is drafted, and see its matches created."""
    check_asked(yes=yes)
    with connected(tournament, url, key_file) as one:
        number = stage or current_stage(one)
        drafted = drafted_round(one, number, yes=yes)
        if not yes:
            click.confirm("Publish it?", abort=True)
        try:
            made = one.publish(number, drafted)
        except Stale:
            raise click.ClickException(
                "something has changed since the draft, and nothing was published: try again"
            ) from None
        see_created(one, number, made)


@tournament.command("standings")
@of_tournament
@stage_option
@click.option("--after", type=click.IntRange(1), help="As they were when this round was closed.")
def standings(
    tournament: UUID,
    url: str,
    key_file: TextIO | None,
    stage: int | None,
    after: int | None,
) -> None:
    """Show the standings of a stage of TOURNAMENT."""
    with connected(tournament, url, key_file) as one:
        out.print(standings_table(one.standings(stage, after)))


@tournament.command("bracket")
@of_tournament
@stage_option
def bracket(tournament: UUID, url: str, key_file: TextIO | None, stage: int | None) -> None:
    """Show the bracket of an elimination of TOURNAMENT."""
    with connected(tournament, url, key_file) as one:
        out.print(bracket_table(one.bracket(stage or current_stage(one)), names_of(one.view())))


@tournament.command("close")
@of_tournament
@click.option("--stage", type=click.IntRange(1), help="Only this stage, whose places are fixed.")
@yes_option
def close(
    tournament: UUID, url: str, key_file: TextIO | None, stage: int | None, yes: bool
) -> None:
    """Close a stage of TOURNAMENT, or the whole of it."""
    check_asked(yes=yes)
    with connected(tournament, url, key_file) as one:
        what = "the tournament" if stage is None else f"stage {stage}"
        if not yes:
            click.confirm(f"Close {what}? It cannot be opened again", abort=True)
        names = names_of(one.view())
        if stage is None:
            champions = one.close_tournament()["champions"]
            out.print(Text("Won by " + ", ".join(names[player] for player in champions)))
            return
        closed = with_lots(one, stage, lambda: one.close_stage(stage), yes=yes)
        for place, player in enumerate(closed["places"], 1):
            out.print(Text(f"{place} {names[player]}"))


@tournament.command("export")
@of_tournament
@stage_option
@click.option("--form", type=click.Choice(("json", "csv", "trf")), default="json")
def export(
    tournament: UUID, url: str, key_file: TextIO | None, stage: int | None, form: str
) -> None:
    """Print all that everyone may see of TOURNAMENT, or a stage for a spreadsheet or as a report of
    FIDE."""
    with connected(tournament, url, key_file) as one:
        click.echo(one.export(form, stage), nl=False)
