"""Mistakes in a request for a new match, which only its game can find."""

import msgspec

from domain.game import Refused
from domain.games import GAMES
from service.http.mistakes import Mistake, nearest
from service.http.problems import Failed
from service.http.request_body import misshapen
from service.http.schemas import NewMatch
from service.http.shape_mistakes import shape_mistakes

UNKNOWN_TOURNAMENT = (
    Mistake("body", "unknown_value", "There is no such tournament.", pointer="/tournament"),
)

POINTERS = {"seats_not_allowed": "/seats", "options_not_allowed": "/options"}


def creation_failed(new: NewMatch, error: Refused | msgspec.ValidationError) -> Failed:
    """The refusal of a new match, with the mistakes in its seats, options or record."""
    if isinstance(error, msgspec.ValidationError):
        wrong = shape_mistakes(new.options, GAMES[new.game].Options, "/options")
        return misshapen(f"options: {error}", *wrong, pointer="/options")
    return Failed(error.code, error.text, errors=_mistakes(new, error))


def _mistakes(new: NewMatch, refused: Refused) -> tuple[Mistake, ...]:
    """The mistakes behind a refusal; none if its code alone says them."""
    game = GAMES.get(new.game)
    if game is None:
        return (_unknown_game(new.game),)
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


def _unknown_game(sent: str) -> Mistake:
    games = tuple(GAMES)
    detail, guess = "There is no such game.", nearest(sent, games)
    return Mistake(
        "body", "unknown_value", detail, pointer="/game", allowed=games, did_you_mean=guess
    )
