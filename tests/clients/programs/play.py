"""Plays matches with the client that openapi-python-client makes: `play.py URL KEY MATCH …`, where
MATCH is the body of the request in JSON. Prints for each the class of the view, the status at the
end, and how many events there are of which class."""

# ruff: noqa: T201

import json
import random
import sys
from collections import Counter
from typing import Any
from uuid import UUID

from arbiter_generated import AuthenticatedClient, Client, models
from arbiter_generated.api.matches import create_match, start_match
from arbiter_generated.api.moderation import close_phase
from arbiter_generated.api.play import act, list_actions
from arbiter_generated.api.reading import list_events, view_match
from arbiter_generated.models import CreatedMatch, EventPage, MenuAnswer, Taken

luck = random.Random(7)


def created(url: str, key: str, body: Any) -> CreatedMatch:
    """A match, which has been started."""
    organiser = AuthenticatedClient(url, key)
    prefix = "".join(word.capitalize() for word in body["game"].split("-"))
    new = getattr(models, f"New{prefix}Match").from_dict(body)
    made = create_match.sync(client=organiser, body=new)
    assert isinstance(made, CreatedMatch), made
    start_match.sync(UUID(made.id), client=organiser)
    return made


def played(url: str, made: CreatedMatch) -> Any:
    """What is seen of a match when it has been played to its end."""
    match, anyone = UUID(made.id), Client(url)
    moderator = AuthenticatedClient(url, str(made.moderator_key))
    seats = [AuthenticatedClient(url, str(seat.key)) for seat in made.seats]
    while (view := view_match.sync(match, client=anyone, as_="public")).status != "ended":
        for seat in view.awaiting.seats:
            menu = list_actions.sync(match, client=seats[seat])
            assert isinstance(menu, MenuAnswer), menu
            if menu.actions:
                choice = luck.choice(luck.choice(menu.actions).examples)
                taken = act.sync(match, client=seats[seat], body=choice)
                assert isinstance(taken, Taken), taken
        if len(view.awaiting.seats) > 1:  # They act in secret, until someone ends the phase.
            close_phase.sync(match, client=moderator)
    page = list_events.sync(match, client=seats[0], as_="seat:0", limit=1_000)
    assert isinstance(page, EventPage)
    kinds = Counter(type(line).__name__ for line in page.events)
    return {"status": view.status, "game": type(view).__name__, "kinds": kinds}


url, key, *bodies = sys.argv[1:]
print(json.dumps([played(url, created(url, key, json.loads(body))) for body in bodies]))
