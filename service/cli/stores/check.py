"""`arbiter check`: judges a store again, next to the running service or on a backup."""

import sys
from pathlib import Path
from time import perf_counter
from uuid import UUID

import msgspec
import rich_click as click
from msgspec.structs import asdict
from rich.table import Table
from rich.text import Text

from service.checking.findings import PARTS, Finding, Judged, Part, advice
from service.checking.whole_store import check_store, check_streams, size
from service.cli.console import err, out, progress_bar
from service.cli.options import data_option, require_store, settings
from service.cli.stores.store import print_history
from service.event_store.backup.backup import DamagedBackup
from service.event_store.backup.backup import check as check_backup
from service.event_store.database import NotMigrated, embedded
from service.event_store.reading import DAMAGED, UNANSWERED

CLEAN, DAMAGE, NOT_JUDGED = 0, 1, 2
"""The exit statuses."""


class CannotJudge(click.ClickException):
    """Nothing was judged, or not all of it."""

    exit_code = NOT_JUDGED


@click.command("check")
@click.argument("match", type=click.UUID, required=False)
@click.option(
    "--backup",
    "backup_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Judge the store in this backup instead; the file stays as it is.",
)
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
@data_option
def check(match: UUID | None, backup_file: Path | None, as_json: bool, data: Path) -> None:
    """Judge MATCH or the whole store: rows, digests, rules, lists, signed checkpoints,
    ledgers. MATCH is the id of a match or a tournament.

    The service may run meanwhile. Nothing is changed. Exit status 0: nothing is wrong; 1: something
    is damaged, and the report names it; 2: not everything could be judged.
    """
    since = perf_counter()
    env = _env(data) if backup_file is None else _backup(backup_file)
    judgement = judge_store(env, match)
    seconds = perf_counter() - since
    if (
        match is not None
        and not judgement.rows
        and not judgement.findings
        and not judgement.unjudged
    ):
        raise CannotJudge("there is no such match in this store")
    if as_json:
        _print_json(judgement)
    else:
        print_report(judgement, seconds)
    sys.exit(status(judgement))


def status(judgement: Judged) -> int:
    """The exit status for what was found."""
    if judgement.findings:
        return DAMAGE
    return NOT_JUDGED if judgement.unjudged else CLEAN


def judge_file(file: Path) -> Judged:
    """Judges the store in one SQLite file, which stays as it is. Raises CannotJudge."""
    return judge_store(embedded(file))


def _env(data: Path) -> dict[str, str]:
    try:
        instance_settings = settings(data)
        require_store(instance_settings)
    except click.ClickException as error:
        raise CannotJudge(error.message) from None
    return instance_settings.store


def _backup(file: Path) -> dict[str, str]:
    """The store in a backup, which is compared with its manifest before it is judged."""
    try:
        check_backup(file)
    except DamagedBackup as error:
        err.print(Text.assemble(("Damaged", "bold red"), f"  {error}"), soft_wrap=True)
        sys.exit(DAMAGE)
    return embedded(file)


def judge_store(env: dict[str, str], match: UUID | None = None) -> Judged:
    """Judges a store, or one stream of it. Raises CannotJudge."""
    try:
        if match is not None:
            return check_streams(env, [match.hex])
        with progress_bar() as bar:
            task = bar.add_task("judging", total=size(env) or None)
            return check_store(env, lambda rows: bar.update(task, advance=rows))
    except (*UNANSWERED, NotMigrated, OSError) as error:
        raise CannotJudge(f"the store cannot be read: {error}") from None
    except DAMAGED as error:
        return Judged(findings=[Finding("file", f"the database cannot be opened: {error}")])


# The report.


def print_findings(judgement: Judged) -> None:
    """Prints each finding, and what could not be judged."""
    for finding in judgement.findings:
        out.print(Text.assemble(("DAMAGED", "bold red"), f"  {finding}"), soft_wrap=True)
    if judgement.more:
        out.print(f"and {judgement.more:,} more findings")
    for unjudged in judgement.unjudged:
        of = "" if unjudged.stream is None else f"{unjudged.stream}: "
        out.print(Text.assemble(("NOT JUDGED", "yellow"), f"  {of}{unjudged.text}"), soft_wrap=True)


def print_report(judgement: Judged, seconds: float) -> None:
    """Prints what is wrong, what was judged, and what the operator can do."""
    print_findings(judgement)
    out.print(_table(judgement))
    if judgement.history:
        print_history(judgement.history)
    _print_advice(judgement)
    rate = judgement.rows / seconds if seconds else 0
    out.print(
        f"{judgement.matches:,} matches, {judgement.tournaments:,} tournaments,"
        f" {judgement.rows:,} rows in {seconds:,.1f} s ({rate:,.0f} rows a second)",
        soft_wrap=True,
    )
    if status(judgement) == CLEAN:
        out.print("Nothing is wrong.", style="bold green")


def _table(judgement: Judged) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    wrong = {finding.part for finding in judgement.findings}
    judged: dict[Part, str] = {
        "rows": f"{judgement.rows:,}",
        "digests": f"{judgement.digests:,} of {judgement.matches + judgement.tournaments:,}",
        "signatures": f"{judgement.checkpoints:,} checkpoints",
        "ledgers": f"{judgement.settlements:,} settlements",
        "cases": f"{judgement.cases:,}",
        "indexes": f"{judgement.listed:,} rows",
        "reads": f"{judgement.reads:,} rows",
    }
    for part, meaning in PARTS.items():
        verdict = Text("DAMAGED", "bold red") if part in wrong else Text("ok", "green")
        table.add_row(part, verdict, judged.get(part, ""), meaning)
    return table


def _print_advice(judgement: Judged) -> None:
    for text in dict.fromkeys(advice(finding.part) for finding in judgement.findings):
        parts = sorted(
            {finding_.part for finding_ in judgement.findings if advice(finding_.part) == text}
        )
        out.print(Text.assemble((", ".join(parts), "bold"), f": {text}"), soft_wrap=True)


def _print_json(judgement: Judged) -> None:
    fields = asdict(judgement)
    fields["findings"] = [
        {**msgspec.to_builtins(finding), "advice": advice(finding.part)}
        for finding in judgement.findings
    ]
    fields["status"] = {CLEAN: "clean", DAMAGE: "damaged", NOT_JUDGED: "not judged"}[
        status(judgement)
    ]
    click.echo(msgspec.json.format(msgspec.json.encode(fields)).decode())
