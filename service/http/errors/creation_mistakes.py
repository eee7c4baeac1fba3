"""What is wrong with a new match that is refused."""

import msgspec

from domain.game import Refused
from domain.games import GAMES
from service.application.matches.creation import NewMatch
from service.http.errors.mistakes import Mistake, nearest
from service.http.errors.problems import Failed
from service.http.errors.shape_mistakes import shape_mistakes
from service.http.requests.request_body import misshapen

POINTERS = {"seats_not_allowed": "/seats", "options_not_allowed": "/options"}


def creation_failed(new: NewMatch, error: Refused | msgspec.ValidationError) -> Failed:
    """The refusal of a new match, with the mistakes in its seats, options or record."""
    if isinstance(error, msgspec.ValidationError):
        wrong = shape_mistakes(new.options, GAMES[new.game].Options, "/options")
        return misshapen(f"options: {error}", *wrong, pointer="/options")
    return Failed(error.code, error.text, errors=_creation_mistakes(new, error))


def _creation_mistakes(new: NewMatch, refused: Refused) -> tuple[Mistake, ...]:
    """The mistakes that a refusal names; none if its code alone says them."""
    game = GAMES.get(new.game)
    if game is None:
        detail, allowed = "There is no such game.", tuple(GAMES)
        guess = nearest(new.game, allowed)
        return (
            Mistake(
                "body", "unknown_value", detail, pointer="/game", allowed=allowed,
                did_you_mean=guess,
            ),
        )  # fmt: skip
    detail = refused.text or "This is not allowed."
    if refused.code == "seats_not_allowed" and len(new.seats) not in game.seats:
        least, most = min(game.seats), max(game.seats)
        return (
            Mistake("body", "wrong_length", detail, pointer="/seats", minimum=least, maximum=most),
        )
    if refused.code == "record_not_allowed":
        allowed = tuple(game.records)
        return (Mistake("body", "unknown_value", detail, pointer="/record", allowed=allowed),)
    if refused.code in POINTERS:
        return (Mistake("body", "not_allowed_here", detail, pointer=POINTERS[refused.code]),)
    return ()
