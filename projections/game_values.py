"""What has a shape of its own in each game. The API's description says more where their schema has
the word `x-of-a-game`: an `action` or the `options`."""

from typing import Annotated, Any

from msgspec import Meta

ShownAction = Annotated[
    dict[str, Any],
    Meta(description="An action of the game", extra_json_schema={"x-of-a-game": "action"}),
]
ShownOptions = Annotated[
    dict[str, Any],
    Meta(description="The options of the match", extra_json_schema={"x-of-a-game": "options"}),
]
