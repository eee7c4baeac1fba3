"""Together We Survive in JavaScript gives the same results as the Python rules, to the last key."""

import subprocess
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from domain.commands import Start
from domain.deadlines import Deadline, TimeOfDay
from domain.events import stored_name
from domain.game import Refused
from domain.games.together.actions import Action
from domain.games.together.options import MOST_TOKENS, Options, complete
from domain.games.together.rules import GAME
from domain.games.together.state import State
from domain.games.together.text import CODES
from domain.submissions import Invalid
from service.web.build import SOURCES
from tests.support.tables.game_strategies import as_sent, received, step, universe
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.together_random_play import tried
from tests.support.web.javascript_rules import MATCHES, agreed, codes, kinds, lucky
from tests.support.web.match_descriptions import Described, Try, as_text, causes, described
from tests.support.web.node_program import node
from tests.support.web.verifier_pages import script_of

NEAR_MISSES = 15
"""Number of valid or nearly valid actions tried at each step of some matches."""


# Rare in random play.

RARE: dict[str, dict[str, Any]] = {
    "left as they are": {},
    "nobody leaves": {"all_tied": "none_out", "start_tokens": {"A": 0, "B": 0}},
    "only winners vote": {"kick_rule": "fewest", "ec_voters": "winners", "b_winner_rank": 3},
    "no winner in group B": {"b_winner_rank": 32, "ec_voters": "winners"},
    "the richest win": {"b_winner_rank": 1, "b_loser_rank": 2, "b_repeats": False},
    "garnets to pay with": {"garnets": [2] * 6, "b_self": True, "reveal_vote_counts": "none"},
    "mixed groups": {"groups": list("BABAAB"), "garnet_per_tokens": 1},
}
"""Options under which rare events happen often, for six seats or any number."""


@pytest.mark.parametrize("name", RARE)
def test_near_misses_under_chosen_options_are_judged_alike(name: str) -> None:
    assert agreed(GAME, rare(name)).counts.tries >= NEAR_MISSES * 20


def test_every_event_and_every_refusal_is_among_all_these() -> None:
    """Options that are not allowed are refused before there is a match."""
    every = [*lucky(GAME.id), *(match for name in RARE for match in rare(name))]
    assert kinds(every) == {stored_name(kind) for kind in get_args(GAME.Event)}
    assert codes(every) == set(CODES) - {"options_not_allowed"}


@cache
def rare(name: str) -> list[Described]:
    return [pestered(RARE[name], f"{name}/{number}") for number in range(max(4, MATCHES // 10))]


def pestered(chosen: dict[str, Any], seed: str) -> Described:
    """A match in which somebody tries near misses at every step. Omitted options are not on its
    record either."""
    table, luck = at_table(chosen, Random(seed)), Random(seed)
    while table.match.status == "running":
        step(table, luck, lateness=0.15)
    match = described(GAME, seed, table.records, tries=0)
    states = states_after(table)
    steps = [
        replace(one, tries=near_misses(state, luck))
        for one, state in zip(match.steps, states, strict=True)
    ]
    return replace(match, steps=steps)


def at_table(chosen: dict[str, Any], luck: Random) -> MatchTable:
    seats = 6 if chosen else luck.choice((4, 5, 7, 9))
    return seated(GAME, seats, msgspec.convert(chosen, Options), "server", "rules").when(Start())


def states_after(table: MatchTable) -> Iterator[State]:
    """The state of the game after each call."""
    state: State = table.game.initial(table.options, len(table.seats))
    for _, _, events in causes(table.events):
        for event in events:
            state = table.game.evolve(state, event)
        yield state


def near_misses(state: State, luck: Random) -> list[Try]:
    seats = [luck.choice(state.seats) for _ in range(3)]
    every = [(seat, action) for seat in seats for action in tried(state, seat, luck)]
    return [attempt(state, *one) for one in luck.sample(every, NEAR_MISSES)]


def attempt(state: State, seat: int, action: Action) -> Try:
    """The rules' answer to the action, which the seat sends in full."""
    return Try({"kind": "act", "seat": seat, "action": as_sent(action)}, said(state, seat, action))


def said(state: State, seat: int, action: Action) -> str:
    try:
        return as_text({"events": GAME.decide(state, seat, action)})
    except Invalid as invalid:
        return as_text({"invalid": invalid.code})
    except Refused as refused:
        return as_text({"refused": refused.code})


# Deadlines of other phases.

FOLD_AND_EXPIRE = """
const [options, seats, positions, deadlines] = given;
const expired = (state) => deadlines.map((deadline) => game.expire(state, deadline));
let state = game.initial(options, seats);
results = positions.map((events) => {
  state = events.reduce(game.evolve, state);
  return expired(state);
});
"""


def test_a_bygone_deadline_does_nothing() -> None:
    """At each position the deadlines of all others, and some that never exist, are tried."""
    table, luck = at_table(RARE["nobody leaves"], Random(0)), Random("bygone")
    while table.match.status == "running":
        step(table, luck, lateness=0.3)
    states = list(states_after(table))
    positions = [events for _, _, events in causes(table.events)]
    seen = {wanted for state in states if (wanted := GAME.awaits(state).deadline) is not None}
    deadlines = sorted({*seen, *(other for one in seen for other in beside(one))}, key=repr)
    here = [[GAME.expire(state, one) for one in deadlines] for state in states]
    given = table.match.created.options, len(table.seats), positions, deadlines
    assert as_text(run(FOLD_AND_EXPIRE, given)) == as_text(here)


def beside(deadline: Deadline) -> Iterator[Deadline]:
    wait = deadline.wait
    assert isinstance(wait, TimeOfDay)
    yield replace(deadline, wait=replace(wait, hours=wait.hours + 1))
    yield replace(deadline, wait=replace(wait, utc="14:01"))
    yield replace(deadline, wait=None)


def run(script: str, given: Any) -> Any:
    """The script's answer to `given`, passed to the game in JavaScript."""
    opening = "let results; const given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));"
    closing = "process.stdout.write(JSON.stringify(results));"
    needed = [SOURCES / "forms.js", SOURCES / "games.js", script_of(GAME.id)]
    found = f"const game = GAMES.of('{GAME.id}', {GAME.rules_version});"
    lines = *(path.read_text() for path in needed), found, opening, script, closing
    text = as_text(given).encode()
    command = [node(), "-e", "\n".join(lines)]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, timeout=60)
    return msgspec.json.decode(done.stdout)


# Malformed actions.

ASK = """
const [options, seats, sent] = given;
const state = game.initial(options, seats);
results = sent.map((action) => {
  try {
    game.decide(state, 0, action);
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    if (!('refused' in thrown || 'invalid' in thrown)) throw thrown;
  }
  return true;
});
"""


def test_actions_that_python_cannot_read_are_not_understood_either() -> None:
    """A number like 1.0 is left out: once it is read, JavaScript cannot distinguish it from 1."""
    luck = Random("malformed")
    sent = [malformed(luck) for _ in range(2_000)]
    sent += [
        {"type": "submit", "round": 1, "a": [0] * votes} for votes in (MOST_TOKENS, MOST_TOKENS + 1)
    ]
    understood = [is_understood(one) for one in sent]
    assert 100 < sum(understood) < len(sent) - 100
    there = run(ASK, (complete(Options(), 6), 6, sent))
    apart = zip(sent, understood, there, strict=True)
    assert [one for one, python, script in apart if python != script] == []


def malformed(luck: Random) -> dict[str, Any]:
    """An action with some of its fields changed, dropped, added or renamed."""
    sent = as_sent(luck.choice(universe(GAME)))
    for name in luck.sample([*sent, "seat", "A", "__proto__"], luck.randint(0, 3)):
        if luck.random() < 0.3:
            sent.pop(name, None)
        else:
            sent[name] = luck.choice(JUNK)
    return sent


JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 3, -1, 2**53 - 1, 2**53, -(2**53), 0.5, 1e300),
    *("", "0", "submit", "constructor", [], [0], [[0]], [None], [0.5], ["0"], [True], {}),
    {"length": 1},
)


def is_understood(sent: dict[str, Any]) -> bool:
    try:
        received(GAME, sent)
    except msgspec.ValidationError:
        return False
    return True
