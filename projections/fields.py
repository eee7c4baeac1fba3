"""Fields that many answers have: their types, with what they mean in the API's description."""

from typing import Annotated, Any

from msgspec import Meta, UnsetType

Seat = Annotated[int, Meta(description="The number of a seat, from 0")]
Player = Annotated[int, Meta(description="The number of a player in the roster, from 0")]
Moderator = Annotated[int, Meta(description="The number of a moderator of the tournament, from 0")]
Seq = Annotated[int, Meta(ge=1, description="The number of an event, in the reader's own count")]
PublicSeq = Annotated[
    Annotated[int, Meta(ge=1)] | None,
    Meta(
        description="The event's number in the public's count, by which everybody may name it; "
        "null if the public has not got it"
    ),
]
By = Annotated[str | None, Meta(description="Who did it; null for a key without a name")]
Rule = Annotated[str | None, Meta(description="A rule of the game or of the event")]
Appeals = Annotated[
    str | None,
    Meta(description="The id of the ruling about which this one decides; null if it is no appeal"),
]
Asker = Annotated[
    int | UnsetType, Meta(description="The seat that asks for it; missing if none does")
]
Replaces = Annotated[
    int | UnsetType, Meta(description="The seat that another person would take over")
]
Successor = Annotated[str | UnsetType, Meta(description="The name of that person")]
ReplacedBy = Annotated[str | UnsetType, Meta(description="The match that would be played instead")]
Next = Annotated[
    int | None,
    Meta(description="The `after` of the page that follows; null on the last one"),
]
ShownOnce = Annotated[str | None, Meta(description="Shown once: null in a repeated answer")]


ShownAction = Annotated[
    dict[str, Any],
    Meta(description="An action of the game", extra_json_schema={"x-of-a-game": "action"}),
]
ShownOptions = Annotated[
    dict[str, Any],
    Meta(description="The options of the match", extra_json_schema={"x-of-a-game": "options"}),
]
