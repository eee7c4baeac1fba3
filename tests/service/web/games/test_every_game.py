"""Every game with rules in JavaScript judges its matches as the Python rules do.

The matches are random, with options of every kind (`ARBITER_TEST_MATCHES` sets the number);
situations that are rare in random play are tested with each game.
"""

import pytest

from domain.games import GAMES, RULES
from tests.recorded.files import created
from tests.support.web.javascript_rules import MATCHES, agreed, by_luck, from_the_record, lucky
from tests.support.web.verifier_pages import recorded_with_rules, with_rules


def rules_version(name: str) -> tuple[str, int]:
    """The game of a recorded match, and the version of its rules."""
    match = created(name)
    return match.game, match.rules_version


RECORDED = sorted({rules_version(name) for name in recorded_with_rules()})


@pytest.mark.parametrize("game", with_rules())
def test_its_description_of_itself_equals_that_of_the_python_rules(game: str) -> None:
    rules = GAMES[game]
    verdict = agreed(rules, by_luck(rules, 1))
    assert (verdict.id, verdict.rules_version) == (rules.id, rules.rules_version)
    assert verdict.seats == (rules.seats[0], rules.seats[-1])
    assert verdict.hides_draws == rules.hides_draws


@pytest.mark.parametrize("game", with_rules())
def test_matches_with_options_of_every_kind_are_judged_alike(game: str) -> None:
    """At every step: the events or the refusal, what is awaited, the result, and the consequences
    of other actions, draws and deadlines; malformed actions are not judged at all."""
    assert agreed(GAMES[game], lucky(game)).counts.matches >= MATCHES


@pytest.mark.parametrize(("game", "version"), RECORDED)
def test_recorded_matches_are_judged_alike(game: str, version: int) -> None:
    """By the rules to which they are pinned, the older ones too."""
    rules = next(one for one in RULES if (one.id, one.rules_version) == (game, version))
    assert agreed(rules, from_the_record(rules)).counts.matches >= 2
