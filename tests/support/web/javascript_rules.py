"""Matches for the JavaScript of the verifier to judge, and what it says of them.

`judged` has node compare the expected results of described matches with the answers of the
JavaScript rules.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from domain.games import GAMES
from domain.live import undoes
from domain.match_state import AnyGame
from service.cli.simulation import SimulatedMatch
from tests.recorded.files import created, recorded, records
from tests.support.repository import TESTS
from tests.support.tables.game_strategies import (
    options,
    sizes,
)
from tests.support.web.match_descriptions import TRIES, Described, described
from tests.support.web.node_program import node
from tests.support.web.verifier_pages import script_of

MATCHES = int(os.environ.get("ARBITER_TEST_MATCHES", "40"))
"""Number of random matches of each game."""

AT_ONCE = 50
"""Number of matches handed to node together."""

JUDGE = TESTS / "service" / "web" / "games" / "judge.js"


class Counts(Struct, frozen=True):
    matches: int
    steps: int
    tries: int


class Verdict(Struct, frozen=True, rename="camel"):
    """What a game in JavaScript says of itself, how much was compared, and what differed."""

    id: str
    rules_version: int
    seats: tuple[int, int]
    hides_draws: bool
    counts: Counts
    differences: list[Any]


# Sources of matches.


def by_luck(
    game: AnyGame,
    count: int = MATCHES,
    chosen: Callable[[int], st.SearchStrategy[Any]] | None = None,
    tries: int = TRIES,
    malformed: float = 0,
) -> list[Described]:
    """Matches with options of every kind: `chosen`, for this many seats, or all there are. The same
    `count` always gives the same matches."""
    played: list[Described] = []
    strategy = chosen or (lambda seats: options(game, seats))

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def play(data: st.DataObject) -> None:
        seats = data.draw(st.sampled_from(sizes(game)))
        given_options = msgspec.to_builtins(data.draw(strategy(seats)))
        seed = f"{len(played)}/{data.draw(st.integers(0, 2**32))}"
        match = SimulatedMatch(game, seats, given_options, seed)
        match.play()
        played.append(described(game, seed, match.records, tries, malformed))

    play()
    return played


@cache
def lucky(game: str) -> list[Described]:
    """Random matches of the game with this id, with malformed actions among the inputs tried;
    played once for all tests of a process."""
    return by_luck(GAMES[game], malformed=0.2)


def from_the_record(game: AnyGame, tries: int = TRIES) -> list[Described]:
    """The recorded matches of the game by these rules, if nothing is undone in them."""
    played = {name: created(name) for name in recorded()}
    rules = game.id, game.rules_version
    names = [name for name, by in played.items() if (by.game, by.rules_version) == rules]
    every = {name: records(name) for name in names}
    return [
        described(game, name, whole, tries)
        for name, whole in every.items()
        if not undoes(record.event for record in whole)
    ]


# Results.


def judged(game: AnyGame, matches: Iterable[Described], script: Path | None = None) -> Verdict:
    """What the JavaScript rules answer to these matches; by default the verifier's rules.

    Raises subprocess.CalledProcessError if the script cannot be read at all.
    """
    every = list(matches)
    assert every, "there is nothing to judge"
    path = script or script_of(game.id)
    batches = (every[first : first + AT_ONCE] for first in range(0, len(every), AT_ONCE))
    verdicts = [_judged(path, game.rules_version, batch) for batch in batches]
    counts = [msgspec.structs.astuple(verdict.counts) for verdict in verdicts]
    differences = list(chain.from_iterable(verdict.differences for verdict in verdicts))
    total = Counts(*map(sum, zip(*counts, strict=True)))
    return msgspec.structs.replace(verdicts[0], counts=total, differences=differences)


def agreed(game: AnyGame, matches: Sequence[Described]) -> Verdict:
    """The verdict on these matches, in which nothing may differ."""
    verdict = judged(game, matches)
    assert not verdict.differences, str(verdict.differences[0])
    assert verdict.counts.matches == len(matches)
    assert verdict.counts.steps == sum(len(match.steps) for match in matches)
    assert verdict.counts.tries == sum(len(step.tries) for m in matches for step in m.steps)
    return verdict


def _judged(path: Path, version: int, matches: Sequence[Described]) -> Verdict:
    lines = b"\n".join(map(msgspec.json.encode, matches))
    command = [node(), str(JUDGE), str(path), str(version)]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, check=True, timeout=300)
    return msgspec.json.decode(done.stdout, type=Verdict)


def codes(matches: Iterable[Described]) -> set[str]:
    """Every code with which anything in these matches was refused or found invalid."""
    said = (msgspec.json.decode(text) for text in _every_answer(matches))
    return {one[no] for one in said for no in ("refused", "invalid") if no in one}


def kinds(matches: Iterable[Described]) -> set[str]:
    """The stored names of the events in these matches."""
    said = (msgspec.json.decode(text) for text in _every_answer(matches))
    return {event["type"] for one in said for event in one.get("events", ())}


def _every_answer(matches: Iterable[Described]) -> Iterator[str]:
    for match in matches:
        for step in match.steps:
            yield step.answer
            yield from (tried.answer for tried in step.tries)
