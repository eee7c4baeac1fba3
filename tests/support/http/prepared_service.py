"""A service that is no Arbiter, or another release of it: it gives prepared answers."""

from arbiter_client.requests import Answer, Request


class PreparedService:
    """Gives the next of `answers`, a status and a body each, in place of what the client would be
    sent; `bodies` are what was sent."""

    url = "http://service.example"

    def __init__(self) -> None:
        self.answers: list[tuple[int, bytes]] = []
        self.bodies: list[bytes] = []

    async def send(self, request: Request) -> Answer:
        self.bodies.append(request.body or b"")
        status, body = self.answers[len(self.bodies) - 1]
        return Answer(status, {}, body)
