"""A bot for every game. It knows its own events, view and menu, and nothing else.

python3 bot.py http://127.0.0.1:8000/v1 MATCH KEY_OF_THE_SEAT
"""
# ruff: noqa: S310, S311, T201

import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

LINES = {"Accept": "application/x-ndjson"}


class Seat:
    def __init__(self, api: str, match: str, key: str) -> None:
        self.match = f"{api}/matches/{match}"
        self.key = key

    def open(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self.key}", **(headers or {})}
        return urlopen(Request(self.match + path, data, sent))

    def ask(self, *request: Any) -> Any:
        """The answer as JSON. Asks again later if the service is busy."""
        while True:
            try:
                with self.open(*request) as answer:
                    return json.load(answer)
            except HTTPError as error:
                if error.code not in (429, 503):
                    raise
                time.sleep(int(error.headers["Retry-After"]))

    def events(self, seq: int) -> Iterator[Any]:
        """Every event after number `seq` that this seat sees, to the end of the match."""
        while True:
            with self.open(f"/stream?after={seq}", None, LINES) as lines:
                if lines.status == 204:  # The match is over, and nothing is missing.
                    return
                for line in lines:
                    if line.strip():  # An empty line only keeps the connection open.
                        event = json.loads(line)
                        if "end" in event:
                            return
                        seq = event["seq"]
                        yield event


def choose(menu: list[Any]) -> Any:
    """An action from the menu that the rules accept."""
    entry = random.choice(menu)
    action = random.choice(entry["examples"])
    if entry["exact"]:  # Then the rules accept every value that the schema allows.
        for name, field in entry["schema"]["properties"].items():
            if "enum" in field:
                action[name] = random.choice(field["enum"])
    return action


def act(seat: Seat, number: int) -> None:
    """Acts as long as the match waits for this seat alone; once if others are awaited, too."""
    while True:
        view = seat.ask("/view")
        menu = seat.ask("/actions")
        if not menu["awaited"] or menu["submitted"] or not menu["actions"]:
            return
        # One position, one key: an action that is sent again still counts once.
        key = {"Idempotency-Key": f"{number}-{view['seq']}"}
        try:
            seat.ask("/actions", choose(menu["actions"]), key)
        except HTTPError as error:
            if error.code not in (409, 422):
                raise
            continue  # Something has happened since we looked.
        if view["awaiting"]["seats"] != [number]:
            return


def play(seat: Seat) -> Any:
    """Plays the match to its end and returns the result."""
    view = seat.ask("/view")
    number = int(view["audience"].removeprefix("seat:"))
    act(seat, number)
    for event in seat.events(view["seq"]):
        if event["type"] == "match.awaiting-changed.1" and number in event["data"]["seats"]:
            act(seat, number)
    return seat.ask("/view")["result"]


if __name__ == "__main__":
    print(play(Seat(*sys.argv[1:])))
