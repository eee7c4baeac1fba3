"""Files with a match: bundles and notations, told apart by what is in them."""

from pathlib import Path

import rich_click as click

from projections.disclosure import PUBLIC_VIEWER, Viewer
from projections.evidence import log
from projections.evidence.archive import BEGINNING
from projections.evidence.case import Case, VerifierInputs, opened
from projections.notation.reading import read_notation
from projections.notation.replaying import Replay, replay
from projections.notation.values import NotationError
from service.cli.origins import origin_errors
from service.cli.typed_files import decoded

UNVERIFIED = "This bundle is shown, not verified: run `arbiter verify` on it."


def read_file(path: Path) -> bytes:
    """What is in a file that was typed as a match. Raises an error for the user."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise click.ClickException(
            f"neither the id of a match nor a file nor the address of a match: {path}"
            f" ({error.strerror})"
        ) from None


def match_in(path: Path) -> Case | Replay:
    """The match in a file: in a bundle with its openings judged, or in a notation, played again.
    Raises an error for the user."""
    content = read_file(path)
    if content.startswith(BEGINNING):
        return bundled(content)
    try:
        return notated(decoded(content), str(path))
    except UnicodeDecodeError:
        raise click.ClickException(f"{path} is neither a bundle nor a notation") from None


def bundled(content: bytes) -> Case:
    """The match in a bundle, with its openings judged. Raises an error for the user."""
    with origin_errors("bundle"):
        case = opened(content, VerifierInputs(()))
        log.openings(case)
        return case


def notated(text: str, name: str) -> Replay:
    """The match of a notation, which `name` says where it is from. Raises an error for the user,
    with the line and the column of the fault."""
    try:
        return replay(read_notation(text))
    except NotationError as error:
        raise click.ClickException(f"{name}, {error}") from None


def opened_to(case: Case) -> Viewer:
    """The reader all of whose events a bundle opens."""
    audience = case.manifest.audience
    closed = isinstance(audience, int) and case.created.record == "closed"
    return PUBLIC_VIEWER if closed else audience
