"""`arbiter --help`: every command, by who uses it; and the documentation lists the same."""

import re
from pathlib import Path

from click.testing import CliRunner

from service.cli import COMMANDS, GROUPS, main

ROOT = Path(__file__).parents[3]


def test_the_help_lists_each_command_once_in_its_group() -> None:
    shown = CliRunner().invoke(main, ["--help"]).stdout
    titles = [re.search(rf"─ {re.escape(title)} ─", shown) for title in GROUPS]
    starts = [found.start() for found in titles if found is not None]
    parts = [shown[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
    listed = [re.findall(r"^│ ([a-z-]+) ", part, re.MULTILINE) for part in parts]
    assert listed == [list(group) for group in GROUPS.values()]


def test_no_command_is_in_two_groups() -> None:
    assert len(COMMANDS) == sum(map(len, GROUPS.values()))


def test_the_documentation_lists_the_same() -> None:
    page = (ROOT / "service/web/docs/command-line.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+) \|$", page, re.MULTILINE)
    named = {row[0].partition(",")[0]: re.findall(r"`([a-z-]+)`", row[1]) for row in rows}
    assert named == {title: list(group) for title, group in GROUPS.items()}
