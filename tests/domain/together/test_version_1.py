"""Version 1 of the rules: what was otherwise, and that today's rules change nothing of it."""

from typing import Any, cast

import msgspec
import pytest

from domain.actions import understood
from domain.game import Refused
from domain.games import OLDER, rules_of
from domain.games.together.events import BallotOpened, RoundEnded, SubmissionMade, VoteCast
from domain.games.together.groups import Group
from domain.games.together.version_1 import GAME, Options
from domain.match_events import MatchCreated
from domain.menu import Nullable, Offer, OneOf
from domain.submissions import Invalid
from tests.support.tables.game_strategies import instances
from tests.support.tables.game_table import Table


def new(groups: str = "AAABBB", **options: Any) -> Table:
    each = cast(tuple[Group, ...], tuple(groups))
    return Table(GAME, len(groups), Options(groups=each, **options))


def sent(table: Table, seat: int, **action: Any) -> Table:
    return table.act(seat, understood(GAME, action))


def code(table: Table, seat: int, **action: Any) -> tuple[type[Refused], str]:
    with pytest.raises(Refused) as refusal:
        table.game.decide(table.state, seat, understood(GAME, action))
    return type(refusal.value), refusal.value.code


def voting() -> Table:
    """All of group A have won, group B votes: all three of it have as many tokens."""
    return new().expired()


def test_a_match_of_version_1_is_judged_by_it() -> None:
    created = MatchCreated("together", 1, {}, ("A", "B", "C", "D"))
    assert rules_of(created) is GAME is OLDER["together", 1]


def test_without_a_round_a_submission_is_for_the_open_one() -> None:
    table = sent(new(), 0, type="submit", a=[1])
    assert table.new == [SubmissionMade(0, (1,), None, False)]
    table.expired()
    sent(table, 0, type="submit", a=[2], round=None)
    assert code(table, 0, type="submit", a=[2], round=1) == (Invalid, "late")
    assert code(table, 0, type="submit", a=[2], round=3) == (Invalid, "no_such_round")


def test_without_a_round_nothing_is_late_when_no_round_is_open() -> None:
    table = voting()
    assert code(table, 0, type="submit", a=[1]) == (Refused, "wrong_phase")
    assert code(table, 0, type="submit", a=[1], round=1) == (Invalid, "late")


def test_a_vote_is_for_the_open_ballot() -> None:
    table = voting()
    assert isinstance(table.new[-1], BallotOpened)
    sent(table, 3, type="vote", **{"for": 4}).then(VoteCast(3, 4))
    sent(table, 4, type="vote", **{"for": 3}).expired()
    sent(table, 3, type="vote", **{"for": 4}).then(VoteCast(3, 4))
    table.expired()
    assert code(new(), 0, type="vote", **{"for": 1}) == (Refused, "wrong_phase")


def test_while_chance_decides_no_vote_was_late() -> None:
    table = voting().expired().expired()
    assert code(table, 3, type="vote", **{"for": 4}) == (Refused, "wrong_phase")


def test_a_vote_with_a_ballot_was_not_understood() -> None:
    with pytest.raises(msgspec.ValidationError):
        understood(GAME, {"type": "vote", "ballot": 1, "for": 1})


def test_no_submission_says_what_it_supersedes() -> None:
    table = sent(new(), 0, type="submit", a=[1])
    sent(table, 0, type="submit", b=[3, 4, 5])
    assert table.new == [SubmissionMade(0, None, (3, 4, 5), False)]


@pytest.mark.parametrize(
    ("chosen", "a", "b"),
    [
        ({}, (0, 0, 0, None, None, None), (None, None, None, 0, 0, 0)),
        ({"reveal_vote_counts": True}, (0, 0, 0, None, None, None), (None, None, None, 0, 0, 0)),
        ({"reveal_vote_counts": False}, None, None),
    ],
)
def test_counts_are_published_for_both_groups_or_for_none(chosen: Any, a: Any, b: Any) -> None:
    """An option that is not on the record meant both."""
    table = Table(GAME, 6, msgspec.convert(chosen, Options)).expired()
    (ended,) = (event for event in table.new if isinstance(event, RoundEnded))
    assert (ended.a, ended.b) == (a, b)


def test_a_list_of_votes_had_up_to_a_thousand_entries() -> None:
    action = understood(GAME, {"type": "submit", "a": [0] * 1_000})
    assert GAME.misshapen(Options(), 4, action) is None
    with pytest.raises(msgspec.ValidationError):
        understood(GAME, {"type": "submit", "a": [0] * 1_001})


def test_the_menu_is_of_its_time() -> None:
    (offer,) = new().menu(0)
    assert offer.fields["round"] == OneOf((None, 1))
    assert offer.optional == ("a", "b", "pay_garnet", "round")
    assert isinstance(offer.fields["a"], Nullable)
    assert voting().menu(3) == (Offer("vote", {"for": OneOf((3, 4, 5))}),)
    for table in (new(), voting()):
        for one in table.menu(3):
            for action in instances(one):
                table.game.decide(table.state, 3, understood(GAME, action))
