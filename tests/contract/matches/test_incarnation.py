"""`Arbiter-Incarnation`: whatever says a number of a match says of which history it is."""

from collections.abc import Iterator

from tests.support.servers.live_server import Answer, Json, Live

NAME = "Arbiter-Incarnation"
SIDE = {"type": "choose_side", "side": "heads"}
NOT_YET = {"type": "place", "coin": "penny"}
DRAWN = ["heads", "tails", "heads", "heads", "tails"]


def answers(live: Live) -> Iterator[tuple[str, int, Answer]]:
    """Every kind of answer that has a number of an audience in it, with the status that it has."""
    match = live.create("dollar-prize", chance="manual")
    seat, moderator = match.seats[0], match.moderator
    yield "start", 201, moderator.start()
    yield "refused action", 422, seat.act(NOT_YET)
    yield "action", 201, seat.act(SIDE, {"Idempotency-Key": "one"})
    yield "repeated action", 200, seat.act(SIDE, {"Idempotency-Key": "one"})
    yield "draw", 201, moderator.draw("setup", DRAWN)
    for name, path in (("view", "view"), ("events", "events"), ("menu", "actions")):
        yield name, 200, seat.client.get(f"{seat.path}/{path}")
    view = seat.view()
    yield "known view", 304, seat.view(headers={"If-None-Match": view.headers["etag"]})
    yield "stream", 200, seat.try_stream(after=0)
    yield "stream of a history that is gone", 409, seat.try_stream({"Last-Event-ID": "999"})


def test_every_answer_with_a_number_says_of_which_history_it_is(live: Live) -> None:
    for name, status, answer in answers(live):
        assert answer.status_code == status, name
        assert answer.headers[NAME] == live.instance.incarnation, name


def test_the_description_declares_it_for_errors_too(live: Live) -> None:
    paths: Json = live.anyone.get("/schema/openapi.json").json()["paths"]
    for path, method, status in (("actions", "post", "422"), ("stream", "get", "409")):
        responses = paths["/v1/matches/{id}/" + path][method]["responses"]
        assert NAME in responses[status]["headers"]
