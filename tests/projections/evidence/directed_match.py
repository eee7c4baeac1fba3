"""A recorded match as it would be today: with who directed it, and with keys issued and ended."""

from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace

from domain.games import rules_of
from domain.match.commands import Act, Command, EndKey, EnterDraw, IssueKey, Start
from domain.match.commands import ClosePhase as Close
from domain.people import Actor
from projections.evidence.bundle import MatchLog
from tests.recorded.files import created, outcome, records
from tests.support.evidence.signed_bundles import log_of
from tests.support.tables.match_table import MatchTable, inputs

NAME = "grouping-bw.manual"

EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
NAMELESS = Actor(None, "f1f1f1f1f1f1f1f1")

KEYS: tuple[Command, ...] = (
    IssueKey("a000000000000001", 0, None, EVE),
    IssueKey("a000000000000002", None, "Mo", EVE),
    IssueKey("a000000000000003", None, None, NAMELESS),
    EndKey("a000000000000001", 0, NAMELESS),
    EndKey("a000000000000002", None, EVE),
    EndKey("c000000000000000", 1, EVE),
)
"""The last one is a key with which the match was created."""


def _commands() -> Iterator[tuple[int, Command]]:
    """The inputs of the recorded match, each with its person or key, and one change of keys after
    each of the first."""
    keys = iter(KEYS)
    for at, command in inputs(rules_of(created(NAME)), records(NAME)):
        if isinstance(command, Start | EnterDraw | Close):
            yield at, replace(command, actor=EVE)
        else:
            known = isinstance(command, Act)
            yield at, replace(command, key_id="b000000000000001") if known else command
        if (key := next(keys, None)) is not None:
            yield at, key


@cache
def directed_match() -> MatchTable:
    """The whole match."""
    first, match_id = records(NAME)[0], outcome(NAME).match
    table = MatchTable(rules_of(created(NAME)), created(NAME), first.at, match_id=match_id)
    for at, command in _commands():
        table.when(command, at)
    return table


@cache
def directed_log() -> MatchLog:
    """Its log."""
    table = directed_match()
    return log_of(table.records, table.match.id)
