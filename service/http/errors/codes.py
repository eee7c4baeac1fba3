"""Every code of an error that is not a game's own: its status, and a sentence."""

from domain.match.commands import CONFLICTS, DRAW_CODES, REUSED_KEY, REUSED_KEY_TEXT
from domain.rulings.commands import FORBIDDEN, UNAVAILABLE, UNFIT, UNKNOWN
from domain.rulings.tournament_decide import UNSETTLED
from domain.tournament.decide import CODES as TOURNAMENT_CODES
from service.application.matches.seat_limits import CODES as LIMIT_CODES

OPERATOR_NEEDED = "operator_needed"

_BY_STATUS: dict[int, dict[str, str]] = {
    202: {"draft_pending": "The draft takes longer than a request may wait: send the same again."},
    400: {
        "not_json": "The body is not JSON.",
        "wrong_shape": "The body has the wrong shape: an unknown type, field or value.",
        "bad_request": "The request cannot be understood.",
        "bad_audience": "An audience is `public`, `seat:N` or `moderator`.",
        "bad_idempotency_key": "An idempotency key is 1 to 255 visible ASCII characters.",
        "idempotency_key_needed": (
            "This needs an `Idempotency-Key` of 16 to 255 visible ASCII characters, drawn at "
            "random."
        ),
        "bad_if_match": "`If-Match` is `*`, or an `ETag` as it was received, with its quotes.",
    },
    401: {
        "key_missing": "This needs a key: send it as `Authorization: Bearer <key>`.",
        "key_unknown": "The key is unknown or has been revoked.",
        "ticket_unknown": "The ticket is unknown or expired: request another.",
    },
    403: {
        "not_allowed": "The key does not allow this.",
        **FORBIDDEN,
        "no_open_tables": "The operator of this service allows no open tables.",
    },
    404: {
        "not_found": "There is nothing here.",
        "no_such_game": "There is no such game.",
        "no_such_match": "There is no such match.",
        "no_such_tournament": "There is no such tournament.",
        "no_such_round": "The tournament has no such round yet.",
        "no_bracket": "The stage has no bracket: it is not an elimination, or has not begun.",
        "no_report": (
            "A FIDE report covers only stages with two seats, and points that it can express: for "
            "a win, a share, a loss and an absence."
        ),
        "no_such_key": "The match has no such key.",
        "no_such_invitation": "The match has no such invitation.",
        "no_such_seat": "The match has no such seat.",
        "no_such_webhook": "There is no such webhook of yours.",
        "no_such_calendar": "There is no such calendar of yours, or it was removed.",
        **UNKNOWN,
    },
    405: {"method_not_allowed": "This path does not support that method."},
    409: {
        "history_went_back": (
            "This audience has fewer events or postings than that. If you have seen more, the "
            "record was restored from a backup: read it again from the beginning."
        ),
        "key_in_settings": (
            "This key stands in the service's settings: change `ARBITER_ORGANISER_KEY` there."
        ),
        "invitation_accepted": (
            "The invitation has been accepted. The person who did so is shown the key again for "
            "ten minutes, with the same idempotency key; anyone else needs another invitation."
        ),
        "invitation_expired": "The invitation has expired: ask the organiser for another.",
        "invitation_revoked": "The invitation was taken back: ask the organiser for another.",
        "tournament_not_closed": "Only organisers may have this before the tournament is closed.",
        "too_many_calendars": "This key has as many calendars as it may have: remove one.",
        "too_many_webhooks": "This key has as many webhooks as it may have: remove one.",
        "request_in_flight": "The same request is still being answered: try again later.",
        "has_looked": (
            "Someone who is to be seated has looked at what is hidden from another of these "
            "players, in the running `match`. An organiser may send `has_looked_reason` to seat "
            "them anyway."
        ),
        "record_altered": (
            "The record of this match is damaged or was changed: nothing of it is shown, and "
            "nothing is added, until the operator has looked at it."
        ),
        "of_tournament": "The name is that of a player, which the tournament withholds.",
        "seat_name_taken": "Another seat has the name that would be shown instead.",
        "undone_by_ruling": (
            "The action that you sent under this idempotency key was undone by a ruling. Send it "
            "again under a new key if it is still meant."
        ),
        **CONFLICTS,
        **UNAVAILABLE,
        **UNSETTLED,
    },
    412: {"stale": "Your `If-Match` is not the current view."},
    413: {"too_large": "The body is larger than 64 KiB."},
    422: {
        "match_or_tournament": (
            "A webhook or a calendar is for a match or for a tournament, not for both; a calendar"
            " is for one of them."
        ),
        "address_not_allowed": ("Nothing is sent to this address: use https and a public host."),
        "wait_not_public": "Only the public's events can be waited for: send `as=public`.",
        "unknown_game": "There is no such game.",
        "seats_not_allowed": "These seats cannot play this game.",
        "options_not_allowed": "The game does not allow these options.",
        "record_not_allowed": "The game cannot be played with this kind of record.",
        "unknown_tournament": "There is no such tournament.",
        REUSED_KEY: REUSED_KEY_TEXT,
        **DRAW_CODES,
        **UNFIT,
    },
    428: {
        "preview_needed": (
            "This is done only as it was previewed: send the `ETag` of its preview as `If-Match`."
        )
    },
    429: {
        "too_many_requests": "Too many requests or open streams: wait a while.",
        "too_many_tables": (
            "Too many open tables, of this address or of all: play one to its end, or wait a while."
        ),
        **LIMIT_CODES,
    },
    431: {
        "head_too_large": (
            "The head of the request is too large:"
            " at most 64 KiB, 100 headers, and an address of 8 KiB with 100 parameters."
        )
    },
    500: {"internal_error": "The service failed."},
    503: {
        "try_again": "The service cannot answer now: try again with the same idempotency key.",
        OPERATOR_NEEDED: (
            "The service cannot do this until its operator has acted. It is not your fault, and "
            "trying again soon does not help; once it works again, the same idempotency key is "
            "safe."
        ),
    },
}

_OF_TOURNAMENTS = {
    403: "moderator_plays not_candidate",
    404: "no_such_table no_such_stage no_such_registration no_such_organiser "
    "no_such_tournament_match",
    409: "round_open round_closed round_begun round_withdrawn no_end not_absent "
    "not_started_by_players choice_over lots_not_drawn lots_drawn",
    410: "registration_closed",
}
"""The codes of tournaments that are not 422."""

TITLES = {code: (422, title) for code, title in TOURNAMENT_CODES.items()}
TITLES |= {
    code: (status, title) for status, titles in _BY_STATUS.items() for code, title in titles.items()
}
TITLES |= {
    code: (status, TOURNAMENT_CODES[code])
    for status, codes in _OF_TOURNAMENTS.items()
    for code in codes.split()
}
"""The status and meaning of every code that is not a game's own."""
