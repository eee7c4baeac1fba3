"""Rounds of a tournament at a terminal: drafted, published, and their matches awaited."""

import time
from collections.abc import Callable
from typing import TypeVar

import rich_click as click
from rich.text import Text

from arbiter_client import Draft, ProblemError, Row, Tournament
from service.cli.console import can_ask, out
from service.cli.progress import progress_bar
from service.cli.tournaments.tournament_output import names_of, pairings_table

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


def see_created(tournament: Tournament, stage: int, made: Row) -> None:
    """Waits for the matches of a published round."""
    wanted, created = len(made["pairings"]), 0
    until = time.monotonic() + PATIENCE_SECONDS
    with progress_bar() as bar:
        task = bar.add_task("matches", total=wanted)
        while created < wanted and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
            created = tournament.round(stage, made["round"])["created"]
            bar.update(task, completed=created)
    out.print(Text(f"Round {made['round']} is published, {created} of {wanted} matches are there."))
    if created < wanted:
        for pairing in tournament.round(stage, made["round"])["pairings"]:
            if pairing["refused"]:
                out.print(Text(f"Table {pairing['table']} waits: {pairing['refused']}"))


def current_stage(tournament: Tournament) -> int:
    """The first stage that is not closed, else the last one."""
    stages = tournament.stages()
    if not stages:
        raise click.ClickException("the tournament has no stage")
    return next((one["stage"] for one in stages if one["status"] != "closed"), len(stages))
