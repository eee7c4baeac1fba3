"""What webhooks are sent, for the description: a notice of each type, as `service/notices` makes
it."""

from typing import Any

from msgspec import Struct, defstruct

from projections.fields import Timestamp
from service.http.description.schema_form import reference
from service.http.requests.request_body import JSON
from service.notices.notices import (
    AwaitingTold,
    CheckInTold,
    ChoiceTold,
    EndTold,
    InvalidTold,
    MatchAddedTold,
    MatchResultTold,
    MatchTold,
    PlayerTold,
    RoundTold,
    RulingTold,
    TournamentTold,
)
from service.notices.round_ends import RoundEndTold

HEADERS = {
    "webhook-id": "Of the notice; a repeat has the same",
    "webhook-timestamp": "When it is sent, in seconds since 1970",
    "webhook-signature": "By the secret of the webhook, as Standard Webhooks sign",
}


def _notice(name: str, tag: str, data: type[Struct], text: str) -> type[Struct]:
    """The notice of this type, with what it says first of itself."""
    fields = [("timestamp", Timestamp), ("data", data)]
    return defstruct(f"{name}Notice", fields, frozen=True, tag=tag, namespace={"__doc__": text})


ENDED = "The match has a result, which may be provisional, it was confirmed, or the match is void."

NOTICES = (
    _notice("MatchStarted", "match.started", MatchTold, "The match has started."),
    _notice(
        "MatchAwaiting", "match.awaiting", AwaitingTold,
        "Whom or what the match waits for has changed.",
    ),
    _notice("MatchEnded", "match.ended", EndTold, ENDED),
    _notice("MatchRuling", "match.ruling", RulingTold, "A public ruling was carried out."),
    _notice(
        "SubmissionInvalid", "match.submission_invalid", InvalidTold,
        "A sealed submission of the seat does not count.",
    ),
    _notice("MatchReminder", "match.reminder", AwaitingTold, "A deadline comes near."),
    _notice(
        "TournamentCreated", "tournament.created", TournamentTold, "A tournament was created."
    ),
    _notice(
        "PlayerEntered", "tournament.player_entered", PlayerTold, "A player joined the roster."
    ),
    _notice(
        "MatchAdded", "tournament.match_added", MatchAddedTold,
        "A match was created in the tournament.",
    ),
    _notice(
        "MatchSettled", "tournament.match_settled", MatchResultTold,
        "A match counts in the standings, or is void.",
    ),
    _notice(
        "MatchCorrected", "tournament.match_corrected", MatchResultTold,
        "A match that had been settled counts otherwise from now on.",
    ),
    _notice("RoundReminder", "tournament.reminder", RoundEndTold, "The end of a round comes near."),
    _notice("RoundEnded", "tournament.round_ended", RoundEndTold, "An open round ends now."),
    _notice("RoundPublished", "tournament.round_published", RoundTold, "A round was published."),
    _notice("CheckInOpened", "tournament.check_in", CheckInTold, "A check-in was opened."),
    _notice(
        "YourMatch", "tournament.your_match", MatchAddedTold,
        "A match was created in which the player plays.",
    ),
    _notice(
        "ChooseOpponent", "tournament.choose_opponent", ChoiceTold,
        "The player chooses an opponent in a round of a show.",
    ),
)  # fmt: skip


def webhooks() -> dict[str, Any]:
    """The `webhooks` of the description: a request to a webhook for each type of notice."""
    return {str(notice.__struct_config__.tag): {"post": _describe(notice)} for notice in NOTICES}


def _describe(notice: type[Struct]) -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "tags": ["notices"],
        "summary": str(notice.__doc__).rstrip("."),
        "description": "Sent as [Notices](/docs/notices#receive-notices) says.",
        "operationId": f"tell{notice.__name__.removesuffix('Notice')}",
        "parameters": [
            {"name": name, "in": "header", "schema": text, "description": meaning, "required": True}
            for name, meaning in HEADERS.items()
        ],
        "requestBody": {
            "content": {JSON: {"schema": reference(notice.__name__)}},
            "required": True,
        },
        "responses": {
            "2XX": {"description": "It has arrived"},
            "410": {"description": "The webhook ends"},
            "default": {"description": "It is tried again later"},
        },
        "security": [],
    }
