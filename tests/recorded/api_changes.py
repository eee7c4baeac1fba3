"""Writes what has changed of the API since the last release into its page: `make api-changes`.

`make api-release VERSION=1.2.0` gives these changes to a release, and records its description.
"""

# ruff: noqa: T201

import sys
from argparse import ArgumentParser
from pathlib import Path

import service.web
from tests.support.api_changes.change_log import MISSING, released, with_changes
from tests.support.api_changes.recorded_description import (
    description_changes,
    present_description,
    record,
    released_description,
)

PAGE = Path(service.web.__path__[0], "docs", "api-changes.md")


def page() -> str:
    """The page as it has to be now."""
    changes = description_changes(released_description(), present_description())
    return with_changes(PAGE.read_text(), changes)


def main() -> None:
    """Writes the page. Exits with an error while it lacks a note."""
    options = ArgumentParser(description=__doc__)
    options.add_argument("--release", metavar="VERSION", help="the changes are those of a release")
    version = options.parse_args().release
    PAGE.write_text(page())
    if MISSING in PAGE.read_text():
        sys.exit(f"{PAGE}: say behind each change that breaks clients what they have to do")
    if version:
        PAGE.write_text(released(PAGE.read_text(), version))
        record(present_description())
    print(f"{PAGE} is up to date")


if __name__ == "__main__":
    main()
