"""A moderator who ends sealed phases by hand, as soon as everyone has submitted."""

from tests.support.http.match_play import ndjson
from tests.support.servers.live_server import NDJSON, LiveMatch


def close_phases(match: LiveMatch) -> None:
    """Ends each phase in which several seats act once all of them have; returns at the end of the
    match."""
    moderator = match.moderator
    awaited: set[int] = set()
    acted: set[int] = set()
    with moderator.stream({"Accept": NDJSON}, after=0) as stream:
        for line in ndjson(stream):
            if line["type"] == "match.awaiting-changed.1":
                awaited, acted = set(line["data"]["seats"]), set()
            elif line["type"] == "match.action-received.1":
                acted.add(line["data"]["seat"])
            if len(awaited) > 1 and acted >= awaited:
                seen = moderator.view()
                if set(seen.json()["awaiting"]["seats"]) == awaited:
                    closed = moderator.close_phase({"If-Match": seen.headers["ETag"]})
                    assert closed.status_code in (201, 409, 412), closed.text
                acted = set()
