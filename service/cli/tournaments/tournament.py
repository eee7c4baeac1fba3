"""`arbiter tournament`: runs a tournament of a service, from a file to its champions: its rounds
are drafted, published, and their matches awaited."""

import csv
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, TextIO, TypeVar
from uuid import UUID

import rich_click as click
from msgspec.structs import asdict
from rich.text import Text

from arbiter_client import Draft, ProblemError, Row, Stale, Tournament
from service.cli.console import can_ask, command_line, out, progress_bar
from service.cli.service_connection import (
    LOCAL,
    connected_service,
    key_option,
    read_key,
    url_option,
)
from service.cli.tournaments.tournament_file import TournamentFile, read_people, read_tournament
from service.cli.tournaments.tournament_output import (
    bracket_table,
    names_of,
    pairings_table,
    stages_table,
    standings_table,
)
from service.cli.typed_files import TextFile, write_private

T = TypeVar("T")

PATIENCE_SECONDS = 30.0
LOOK_SECONDS = 0.2


def drafted_round(tournament: Tournament, stage: int, *, yes: bool) -> Draft:
    """Shows the draft of the next round; lots that it needs are drawn if the user wants it."""
    drafted = with_lots(tournament, stage, lambda: tournament.draft(stage), yes=yes)
    out.print(Text(f"Round {drafted.round} of stage {stage}: draft"), style="bold")
    out.print(pairings_table(drafted.pairings, drafted.byes, names_of(tournament.view())))
    return drafted


def with_lots(tournament: Tournament, stage: int, work: Callable[[], T], *, yes: bool) -> T:
    """What `work` gives, after lots are drawn if it needs them."""
    try:
        return work()
    except ProblemError as refused:
        if refused.code != "lots_not_drawn" or not (yes or can_ask()):
            raise
    if not yes:
        click.confirm("Lots decide here, and are drawn once. Draw them now?", abort=True)
    tournament.draw_lots(stage)
    return work()


def see_created(tournament: Tournament, stage: int, round_row: Row) -> None:
    """Waits for the matches of a published round."""
    match_count, created = len(round_row["pairings"]), 0
    until = time.monotonic() + PATIENCE_SECONDS
    with progress_bar() as bar:
        task = bar.add_task("matches", total=match_count)
        while created < match_count and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
            created = tournament.round(stage, round_row["round"])["created"]
            bar.update(task, completed=created)
    out.print(
        Text(
            f"Round {round_row['round']} is published, {created} of {match_count} matches are"
            " there."
        )
    )
    if created < match_count:
        for pairing in tournament.round(stage, round_row["round"])["pairings"]:
            if pairing["refused"]:
                out.print(Text(f"Table {pairing['table']} waits: {pairing['refused']}"))


def current_stage(tournament: Tournament) -> int:
    """The first stage that is not closed, else the last one."""
    stages = tournament.stages()
    if not stages:
        raise click.ClickException("the tournament has no stage")
    return next(
        (stage_row["stage"] for stage_row in stages if stage_row["status"] != "closed"), len(stages)
    )


F = TypeVar("F", bound=Any)


def of_tournament(command: F) -> F:
    """The argument and the options that all commands about one tournament take."""
    command = key_option(command)
    command = url_option(LOCAL, "The service.")(command)
    return click.argument("tournament", type=click.UUID)(command)


stage_option = click.option(
    "--stage", type=click.IntRange(1), help="The stage. [default: the one that is played]"
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


def check_asked(*, yes: bool) -> None:
    """Raises UsageError where nobody can be asked, and has to be."""
    if not (yes or can_ask()):
        raise click.UsageError("--yes is needed where nobody can be asked")


@contextmanager
def connected(tournament: UUID, url: str, key_file: TextIO | None) -> Iterator[Tournament]:
    """A tournament of a service."""
    with connected_service(url, read_key(key_file)) as service:
        yield service.tournament(str(tournament))


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
    file_content = read_tournament(file)
    players = [*file_content.people, *([] if people is None else read_people(people))]
    if keys is not None and keys.exists():
        raise click.UsageError(f"{keys} is there already")
    with connected_service(url, read_key(key_file)) as service:
        cup = service.create_tournament(file_content.name, (), file_content.moderators)
        number = cup["id"]
        out.print(Text(f"Tournament {number}"), soft_wrap=True)
        moderators = [("moderator", person["moderator"], person) for person in cup["moderators"]]
        rows = service.tournament(number).enter_all(map(asdict, players)) if players else []
        entered = [("player", person["player"], person) for person in rows]
        path = keys or Path(f"keys-{number}.csv")
        write_private(path, _keys([*moderators, *entered]))
        out.print(Text(f"Keys of {len(entered)} players, shown nowhere else: {path}"))
        _add_stages(service.tournament(number), file_content)


def _keys(people: list[tuple[str, int, Row]]) -> bytes:
    text = StringIO()
    table = csv.writer(text)
    table.writerow(["role", "number", "name", "key"])
    table.writerows(
        (role, number, person["name"], person["key"]) for role, number, person in people
    )
    return text.getvalue().encode()


def _add_stages(tournament: Tournament, file_content: TournamentFile) -> None:
    """Adds the stages that are not there yet."""
    there = len(tournament.stages())
    try:
        for settings in file_content.stages[there:]:
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
    """Add the stages of FILE after those that TOURNAMENT has."""
    file_content = read_tournament(file)
    with connected(tournament, url, key_file) as cup:
        _add_stages(cup, file_content)


@tournament.command("draft")
@of_tournament
@stage_option
def draft(tournament: UUID, url: str, key_file: TextIO | None, stage: int | None) -> None:
    """Show the next round of TOURNAMENT as it would be published now, and why each pairing is."""
    with connected(tournament, url, key_file) as cup:
        drafted_round(cup, stage or current_stage(cup), yes=False)


@tournament.command("publish")
@of_tournament
@stage_option
@yes_option
def publish(
    tournament: UUID, url: str, key_file: TextIO | None, stage: int | None, yes: bool
) -> None:
    """Publish the next round of TOURNAMENT as it is drafted, and see its matches created."""
    check_asked(yes=yes)
    with connected(tournament, url, key_file) as cup:
        number = stage or current_stage(cup)
        drafted = drafted_round(cup, number, yes=yes)
        if not yes:
            click.confirm("Publish it?", abort=True)
        try:
            round_row = cup.publish(number, drafted)
        except Stale:
            raise click.ClickException(
                "something has changed since the draft, and nothing was published: try again"
            ) from None
        see_created(cup, number, round_row)


@tournament.command("standings")
@of_tournament
@stage_option
@click.option("--after", type=click.IntRange(1), help="As they were when this round was closed.")
def standings(
    tournament: UUID, url: str, key_file: TextIO | None, stage: int | None, after: int | None
) -> None:
    """Show the standings of a stage of TOURNAMENT."""
    with connected(tournament, url, key_file) as cup:
        out.print(standings_table(cup.standings(stage, after)))


@tournament.command("bracket")
@of_tournament
@stage_option
def bracket(tournament: UUID, url: str, key_file: TextIO | None, stage: int | None) -> None:
    """Show the bracket of an elimination of TOURNAMENT."""
    with connected(tournament, url, key_file) as cup:
        out.print(bracket_table(cup.bracket(stage or current_stage(cup)), names_of(cup.view())))


@tournament.command("close")
@of_tournament
@click.option("--stage", type=click.IntRange(1), help="Only this stage, whose places are fixed.")
@yes_option
def close(
    tournament: UUID, url: str, key_file: TextIO | None, stage: int | None, yes: bool
) -> None:
    """Close a stage of TOURNAMENT, or the whole of it."""
    check_asked(yes=yes)
    with connected(tournament, url, key_file) as cup:
        what = "the tournament" if stage is None else f"stage {stage}"
        if not yes:
            click.confirm(f"Close {what}? It cannot be opened again", abort=True)
        names = names_of(cup.view())
        if stage is None:
            champions = cup.close_tournament()["champions"]
            out.print(Text("Won by " + ", ".join(names[player] for player in champions)))
            return
        closed = with_lots(cup, stage, lambda: cup.close_stage(stage), yes=yes)
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
    with connected(tournament, url, key_file) as cup:
        click.echo(cup.export(form, stage), nl=False)
