"""`/schema`: the description as a page, served from this server alone."""

import re

from tests.support.servers.live_server import Live

ABROAD = re.compile(r"""(?:src|href|url|action)\s*[=:(]\s*["']?(?:https?:)?//""", re.IGNORECASE)
FIRST = re.compile(r"""(?:script src|stylesheet" href)=["']([^"']+)["']""")


def assets(live: Live) -> list[str]:
    return FIRST.findall(live.anyone.get("/schema").text)


def test_the_page_is_html_and_brings_its_own_scripts(live: Live) -> None:
    answer = live.anyone.get("/schema")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    names = assets(live)
    assert any(name.endswith(".js") for name in names)
    assert any(name.endswith(".css") for name in names)
    assert len(names) == 4


def test_what_is_no_page_has_no_tag(live: Live) -> None:
    answer = live.anyone.get("/schema/assets/nothing", {"If-None-Match": "*"})
    assert answer.status_code == 404
    assert "etag" not in answer.headers


def test_everything_the_page_requests_is_served_from_here(live: Live) -> None:
    for name in assets(live):
        assert name.startswith("/schema/"), name
        answer = live.anyone.get(name)
        assert answer.status_code == 200
        assert len(answer.content) > 50
        kind = {"js": "javascript", "css": "css"}[name.rsplit(".")[-1]]
        assert kind in answer.headers["content-type"]


def test_the_page_uses_no_other_host(live: Live) -> None:
    for name in ("/schema", *assets(live)):
        if not name.endswith("bundle.js"):
            assert ABROAD.findall(live.anyone.get(name).text) == [], name


def test_the_page_sends_its_document_nowhere_for_validation(live: Live) -> None:
    scripts = "".join(live.anyone.get(n).text for n in assets(live) if not n.endswith("bundle.js"))
    assert "validatorUrl: null" in scripts
    assert "'../openapi.json'" in scripts
