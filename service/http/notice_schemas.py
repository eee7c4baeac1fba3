"""What webhooks are sent, for the description: a notice of each type, as `service/notices` makes
it."""

from typing import Literal

from litestar.openapi.spec import (
    OpenAPIMediaType,
    OpenAPIResponse,
    OpenAPIType,
    Operation,
    Parameter,
    PathItem,
    Reference,
    RequestBody,
)
from litestar.openapi.spec import Schema as SpecSchema
from msgspec import UNSET, Struct, UnsetType

from domain.game import Result
from domain.ruling_kinds import KindName
from projections.audience import Awaiting
from projections.results import ShownResult
from projections.timestamps import Timestamp
from service.http.schema_form import reference

HEADERS = {
    "webhook-id": "Of the notice; a repeat has the same",
    "webhook-timestamp": "When it is sent, in seconds since 1970",
    "webhook-signature": "By the secret of the webhook, as Standard Webhooks sign",
}


class MatchTold(Struct, frozen=True):
    """Which match it is. `seats` are the names of those who have them, in order."""

    match: str
    game: str
    seats: tuple[str, ...]
    tournament: str | None


class AwaitingTold(MatchTold, frozen=True):
    """A match, and whom or what it waits for."""

    awaiting: Awaiting


class EndTold(MatchTold, frozen=True):
    """A match, and how it ended. A void one has no result, and says which match replaces it."""

    status: Literal["ended", "void"]
    result: ShownResult | None
    replaced_by: str | UnsetType | None = UNSET


class RulingNoticed(Struct, frozen=True):
    """A public ruling. `appeals` is the id of the ruling about which it decides."""

    n: int
    kind: KindName
    reason: str
    rule: str | None
    appeals: str | None


class RulingTold(MatchTold, frozen=True):
    """A match, and what was ruled in it."""

    ruling: RulingNoticed


class TournamentTold(Struct, frozen=True):
    """A tournament and its name."""

    tournament: str
    name: str


class PlayerTold(Struct, frozen=True):
    """A tournament, and a player with the number in the roster."""

    tournament: str
    player: int
    name: str


class MatchAddedTold(Struct, frozen=True):
    """A tournament, and a match in it with its players, seat by seat."""

    tournament: str
    match: str
    game: str
    players: tuple[int, ...]


class MatchResultTold(Struct, frozen=True):
    """A tournament, and how a match in it counts; without a result it does not."""

    tournament: str
    match: str
    result: Result | None


class MatchStartedNotice(Struct, frozen=True, tag="match.started"):
    """The match has started."""

    timestamp: Timestamp
    data: MatchTold


class MatchAwaitingNotice(Struct, frozen=True, tag="match.awaiting"):
    """Whom or what the match waits for has changed."""

    timestamp: Timestamp
    data: AwaitingTold


class MatchEndedNotice(Struct, frozen=True, tag="match.ended"):
    """The match has a result, which may be provisional, it was confirmed, or the match is void."""

    timestamp: Timestamp
    data: EndTold


class MatchRulingNotice(Struct, frozen=True, tag="match.ruling"):
    """A public ruling was carried out."""

    timestamp: Timestamp
    data: RulingTold


class MatchReminderNotice(Struct, frozen=True, tag="match.reminder"):
    """A deadline comes near."""

    timestamp: Timestamp
    data: AwaitingTold


class TournamentCreatedNotice(Struct, frozen=True, tag="tournament.created"):
    """A tournament was created."""

    timestamp: Timestamp
    data: TournamentTold


class PlayerEnteredNotice(Struct, frozen=True, tag="tournament.player_entered"):
    """A player joined the roster."""

    timestamp: Timestamp
    data: PlayerTold


class MatchAddedNotice(Struct, frozen=True, tag="tournament.match_added"):
    """A match was created in the tournament."""

    timestamp: Timestamp
    data: MatchAddedTold


class MatchSettledNotice(Struct, frozen=True, tag="tournament.match_settled"):
    """A match counts in the standings, or is void."""

    timestamp: Timestamp
    data: MatchResultTold


class MatchCorrectedNotice(Struct, frozen=True, tag="tournament.match_corrected"):
    """A match that had been settled counts otherwise from now on."""

    timestamp: Timestamp
    data: MatchResultTold


NOTICES: tuple[type[Struct], ...] = (
    MatchStartedNotice, MatchAwaitingNotice, MatchEndedNotice, MatchRulingNotice,
    MatchReminderNotice, TournamentCreatedNotice, PlayerEnteredNotice, MatchAddedNotice,
    MatchSettledNotice, MatchCorrectedNotice,
)  # fmt: skip


def webhooks() -> dict[str, PathItem | Reference]:
    """The `webhooks` of the description: a request to a webhook for each type of notice."""
    return {str(one.__struct_config__.tag): PathItem(post=_told(one)) for one in NOTICES}


def _told(notice: type[Struct]) -> Operation:
    return Operation(
        tags=["notices"],
        operation_id=f"tell{notice.__name__.removesuffix('Notice')}",
        summary=str(notice.__doc__).rstrip("."),
        description="Sent as [Notices](/docs/notices#receive-notices) says.",
        parameters=[
            Parameter(
                name=name,
                param_in="header",
                description=text,
                required=True,
                schema=SpecSchema(type=OpenAPIType.STRING),
            )
            for name, text in HEADERS.items()
        ],
        request_body=RequestBody(
            required=True,
            content={
                "application/json": OpenAPIMediaType(
                    schema=Reference(ref=reference(notice.__name__)["$ref"])
                )
            },
        ),
        responses={
            "2XX": OpenAPIResponse(description="It has arrived"),
            "410": OpenAPIResponse(description="The webhook ends"),
            "default": OpenAPIResponse(description="It is tried again later"),
        },
        security=[],
    )
