"""`GET /v1/matches/{id}/stream`: the form is the client's choice, by `Accept`."""

import pytest

from tests.support.servers.live_server import NDJSON, SSE, LiveMatch


@pytest.mark.parametrize(
    ("accept", "form"),
    [(SSE, SSE), (NDJSON, NDJSON), ("*/*", SSE), (f"{NDJSON}, */*;q=0.1", NDJSON)],
)
def test_a_stream_names_the_form_it_has(played: LiveMatch, accept: str, form: str) -> None:
    with played.anyone.stream({"Accept": accept}, after=0) as response:
        assert response.headers["content-type"].split(";")[0] == form
        first = next(response.iter_lines())
    assert first.startswith("{" if form == NDJSON else "retry:")
