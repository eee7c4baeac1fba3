"""`arbiter verify`: checks offline, with public keys alone, what a bundle proves."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import msgspec
import rich_click as click
from rich.table import Table
from rich.text import Text

from domain.proof import creation_notes
from domain.proof import receipts as receipt_notes
from domain.proof.checkpoints import SCHEME
from domain.proof.notes import Malformed, VerifierKey, verifier_key
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import EXIT, Report, verify
from service.cli.console import out
from service.cli.typed_files import TextFile

MISUSED = 64
"""Exit status for wrong usage (EX_USAGE). The usual 2 means SEALED here."""

STYLES = {"PASS": "green", "FAIL": "bold red", "SEALED": "yellow", "MANUAL": "cyan"}
WORDS = {
    "PASS": "All claims hold.",
    "FAIL": "Something is wrong. What comes after it was not judged.",
    "SEALED": "Nothing is wrong in what could be judged, and not all of it could.",
}
BY_HAND = (
    "All claims hold. Chance cannot be judged: draws were entered by hand, not derived from a seed."
)
RECEIPTS = (receipt_notes.TITLE, creation_notes.KIND)
"""How the notes begin that may be given as receipts."""


class Verifying(click.RichCommand):
    """A command whose exit status for wrong usage cannot be confused with a verdict."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _misused():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with _misused():
            return super().invoke(ctx)


class Misused(click.UsageError):
    """Wrong usage; nothing was judged."""

    exit_code = MISUSED


@contextmanager
def _misused() -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        raise Misused(error.format_message(), error.ctx) from None


@click.command("verify", cls=Verifying)
@click.argument("bundle", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--key",
    "keys",
    multiple=True,
    help="A public key of the service, or a file of keys: one a line, or the JSON of GET /v1/keys.",
)
@click.option(
    "--checkpoint",
    "checkpoints",
    multiple=True,
    type=TextFile(),
    help="A checkpoint that you have saved: the log must extend it.",
)
@click.option(
    "--receipt",
    "receipts",
    multiple=True,
    type=TextFile(),
    help="Receipts that you have saved, or the answer to the creation of the match, as notes or as "
    "JSON: the log must contain each submission, and begin as it did.",
)
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
def verify_bundle(
    bundle: Path,
    keys: Sequence[str],
    checkpoints: Sequence[TextIO],
    receipts: Sequence[TextIO],
    as_json: bool,
) -> None:
    """Judge BUNDLE by public keys that you trust, offline.

    Exit status 0: all claims hold; 1: something is wrong, and the first finding is named; 2:
    nothing is wrong in what could be judged, and not all of it could; 64: wrong usage, nothing was
    judged. Get the keys from
    the service before the match, or from others who did: keys that come with a bundle prove
    nothing.
    """
    public_keys = [key for text in keys for key in _keys_in(text)]
    if not public_keys:
        raise click.UsageError("--key: without a public key nothing can be proven")
    notes = _notes(checkpoints, SCHEME), _notes(receipts, *RECEIPTS)
    report = verify(bundle.read_bytes(), VerifierInputs(public_keys, *notes))
    _show(report, as_json)
    sys.exit(EXIT[report.verdict])


# Reading keys, checkpoints and receipts.


def _keys_in(file_or_key: str) -> Iterator[VerifierKey]:
    is_file = len(file_or_key) < 1_000 and Path(file_or_key).is_file()
    text = TextFile().convert(file_or_key, None, None).read() if is_file else file_or_key
    lines = _strings(text, "key") if text.lstrip().startswith(("{", "[")) else text.split()
    for line in lines:
        try:
            yield verifier_key(line)
        except Malformed as malformed:
            raise click.UsageError(f"--key: neither a file nor a key: {malformed}") from None


def _notes(files: Iterable[TextIO], *titles: str) -> list[str]:
    """The notes in files with one of these titles. A file is a note, or JSON with a `note` anywhere
    in it."""
    all_notes = []
    for file in files:
        text = file.read()
        if text.lstrip().startswith(("{", "[")):
            notes = [note for note in _strings(text, "note") if note.startswith(titles)]
            if not notes:
                raise click.UsageError(f"{file.name}: no such note in it")
            all_notes += notes
        else:
            all_notes.append(text)
    return all_notes


def _strings(text: str, name: str) -> list[str]:
    """Every string under a name in JSON, at any depth."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise click.UsageError(f"not JSON: {error}") from None
    return list(_find_values(value, name))


def _find_values(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == name and isinstance(inner, str):
                yield inner
            yield from _find_values(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _find_values(inner, name)


# Judging and reporting.


def _show(report: Report, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
        return
    if report.events is not None:
        match_text = f"Match {report.match}, {report.game} by rules {report.rules_version}"
        what = match_text if report.tournament is None else f"Tournament {report.tournament}"
        counts = f"{report.events:,} events, {report.sealed:,} sealed"
        out.print(f"{what}, for {report.audience}: {counts}")
    table = Table("claim", "", "", box=None, pad_edge=False)
    for claim in report.claims:
        table.add_row(claim.claim, Text(claim.status, STYLES[claim.status]), claim.text)
    out.print(table)
    out.print(Text.assemble((report.verdict, STYLES[report.verdict]), f"  {meaning(report)}"))
    if report.finding is not None:
        out.print(f"First: {report.finding.claim}: {report.finding.text}")


def meaning(report: Report) -> str:
    """What the verdict says, in a sentence."""
    by_hand = any(claim.status == "MANUAL" for claim in report.claims)
    return BY_HAND if report.verdict == "PASS" and by_hand else WORDS[report.verdict]
