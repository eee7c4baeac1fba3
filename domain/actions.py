"""Actions as they are sent: JSON objects, tagged by `type`."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.match_state import AnyGame


def understood(game: AnyGame, sent: Mapping[str, Any]) -> Any:
    """The action as the game's type. Raises msgspec.ValidationError if it is not one."""
    check_tagged(sent)
    return msgspec.convert(sent, game.Action)


def check_tagged(sent: Mapping[str, Any]) -> None:
    """Raises msgspec.ValidationError for an action without a `type`. msgspec requires it only where
    there are several kinds; a game with one kind of action requires it, too."""
    if "type" not in sent:
        raise msgspec.ValidationError("Object missing required field `type`")
