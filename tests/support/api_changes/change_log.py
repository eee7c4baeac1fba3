"""The page of the API's changes. Its section "Unreleased" is made by comparing descriptions; the
notes behind changes that break clients are written by hand, and stay."""

from collections.abc import Iterable

from tests.support.api_changes.change import Change

UNRELEASED = "\n## Unreleased\n"
SECTION = "\n## "
BREAKING, COMPATIBLE = "Breaks clients", "Breaks nothing"
NOTE = " — "
"""Stands between a change that breaks clients and what they have to do."""
MISSING = "NOTE NEEDED"


def with_changes(page: str, changes: Iterable[Change]) -> str:
    """The page with these changes as unreleased, and with the notes that it has."""
    before, section, after = _parts(page)
    notes = _notes(section)
    lines: dict[str, list[str]] = {BREAKING: [], COMPATIBLE: []}
    for change in changes:
        if change.breaking:
            lines[BREAKING].append(f"- {change}{NOTE}{notes.get(str(change), MISSING)}\n")
        else:
            lines[COMPATIBLE].append(f"- {change}\n")
    written = [f"\n### {title}\n\n{''.join(every)}" for title, every in lines.items() if every]
    return before + UNRELEASED + ("".join(written) or "\nNothing.\n") + after


def released(page: str, version: str) -> str:
    """The page when what was unreleased is released. Raises ValueError while a note is missing."""
    before, section, after = _parts(page)
    if MISSING in section:
        raise ValueError("a change that breaks clients needs a note")
    return f"{before}{UNRELEASED}\nNothing.\n\n## {version}\n{section}{after}"


def _parts(page: str) -> tuple[str, str, str]:
    """The page up to what is unreleased, that, and what stands behind it."""
    before, _, rest = page.partition(UNRELEASED)
    section, heading, older = rest.partition(SECTION)
    return before, section, heading + older


def _notes(section: str) -> dict[str, str]:
    """The notes, by the change that they are about."""
    lines = (line.removeprefix("- ").partition(NOTE) for line in section.splitlines())
    return {change: note for change, _, note in lines if note}
