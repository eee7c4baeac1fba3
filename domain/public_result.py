"""The result of a match by its public events alone, for readers to whom others are sealed."""

from collections.abc import Sequence
from itertools import takewhile

from domain.events import Event
from domain.game import Result
from domain.games import rules_of
from domain.match_events import MatchCreated, MatchEnded
from domain.match_state import fold
from domain.rejudging import created_match


def public_result(match_id: str, public: Sequence[Event]) -> Result | None:
    """The result that the public events of a match give, from its creation on; None if they do not
    end it. Whether they follow from the rules is not judged.

    The game must have `public_result`. Raises RecordDiffers if the rules do not allow such a match,
    KeyError for rules that are not here, and anything if the events are of no match.
    """
    created = public[0]
    assert isinstance(created, MatchCreated), "a record begins with match.created.1"
    game = rules_of(created)
    match = created_match(game, match_id, created)
    before = takewhile(lambda event: not isinstance(event, MatchEnded), public[1:])
    return game.result(fold(game, match, before).game)
