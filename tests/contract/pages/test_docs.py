"""`/docs`: the documentation, served from this server alone and matching what it serves."""

import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from service.web.documentation import FILES, FOLDER, SOURCES, documents
from tests.support.http.match_play import assert_problem
from tests.support.repository import ROOT
from tests.support.servers.live_server import Live
from tests.support.web.documentation_pages import DOCUMENTS, blocks, links, text
from tests.support.web.node_program import node

ADDRESSES = [f"/docs/{name}".rstrip("/") for name in (*SOURCES, *FILES)]
PAGES = [f"/docs/{name}".rstrip("/") for name in SOURCES]
OTHERS = [
    "/assets/style.css", "/schema", "/schema/openapi.json", "/verify",
    "/schema/assets/start.js",
    "/schema/assets/swagger-ui-bundle.js", "/schema/assets/swagger-ui.css",
    "/schema/assets/favicon-32x32.png",
]  # fmt: skip
"""What is not documentation, and is kept in the same way."""


def allowed(answer: httpx.Response) -> dict[str, list[str]]:
    """What the answer's Content Security Policy allows, by directive."""
    rules = (rule.split() for rule in answer.headers["content-security-policy"].split(";"))
    return {name: values for name, *values in rules}


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_html_that_may_run_and_ask_the_service_alone(live: Live, address: str) -> None:
    answer = live.anyone.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert allowed(answer) == {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
    assert answer.text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("style.css", "text/css; charset=utf-8"),
        ("bot.py", "text/x-python; charset=utf-8"),
        ("match.mjs", "text/javascript; charset=utf-8"),
    ],
)
def test_a_file_is_served_as_it_is(live: Live, name: str, media_type: str) -> None:
    answer = live.anyone.get(f"/docs/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == media_type
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert allowed(answer)["default-src"] == ["'none'"]
    assert answer.content == (ROOT / FOLDER / name).read_bytes()
    assert answer.content == documents()[name].content


@pytest.mark.parametrize("address", [*ADDRESSES, *OTHERS])
def test_it_is_sent_again_only_if_it_has_changed(live: Live, address: str) -> None:
    plain = {"Accept-Encoding": "identity"}
    first = live.anyone.get(address, plain)
    seconds = int(first.headers["cache-control"].removeprefix("public, max-age="))
    # In which language it is may change at any time.
    assert seconds == (1 if "content-language" in first.headers else 300)
    tag = first.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = live.anyone.get(address, plain | {"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert again.headers["cache-control"] == first.headers["cache-control"]
        assert "content-type" not in again.headers
    assert live.anyone.get(address, {"If-None-Match": '"other"'}).content == first.content


def test_a_german_reader_is_told_that_it_is_english(live: Live) -> None:
    for address, path in (("/docs", "docs"), ("/verify", "verify")):
        english = live.anyone.get(address, {"Accept-Language": "en"})
        german = live.anyone.get(address, {"Accept-Language": "en", "Cookie": "language=de"})
        assert '<html lang="en">' in english.text and '<html lang="de">' in german.text, path
        assert german.headers["content-language"] == "de", path
    docs = live.anyone.get("/docs", {"Accept-Language": "de"}).text
    assert '<article lang="en">' in docs
    for address in ("/docs", "/schema"):
        assert "nur auf Englisch" in live.anyone.get(address, {"Accept-Language": "de"}).text
        page = live.anyone.get(address, {"Accept-Language": "en"}).text
        assert "is in English" not in page and "{{" not in page


def test_every_page_has_a_tag_of_its_own(live: Live) -> None:
    tags = {live.anyone.get(address).headers["etag"] for address in ADDRESSES}
    assert len(tags) == len(ADDRESSES)


@pytest.mark.parametrize(
    "name",
    ["nothing", "README.md", "api.md", "..%2f..%2fREADME.md", "%2e%2e/settings.py", "api%00",
     "api/more"],
)  # fmt: skip
def test_nothing_else_is_served(live: Live, name: str) -> None:
    assert_problem(live.http.get(f"/docs/{name}"), 404, "not_found")


def test_the_api_links_to_the_documentation(live: Live) -> None:
    description = live.anyone.get("/schema/openapi.json").json()
    assert "](/docs)" in description["info"]["description"]


def test_links_to_pages_of_the_service_lead_somewhere(live: Live) -> None:
    found = [
        urlsplit(link)
        for path in DOCUMENTS
        for link in links(text(path))
        if urlsplit(link).netloc == "127.0.0.1:8000"
    ]
    assert found
    for link in found:
        assert live.anyone.get(link.path or "/").status_code == 200


def test_the_module_for_frontends_does_what_its_page_shows(live: Live, tmp_path: Path) -> None:
    page = f"{FOLDER}/own-frontend.md"
    (tried,) = (block for block in blocks(page) if block.file)
    sessions = (block.content.split("\n", 1) for block in blocks(page))
    (shown,) = (printed for typed, printed in sessions if typed == f"$ node {tried.file}")
    (tmp_path / tried.file).write_text(tried.content)
    (tmp_path / "match.mjs").write_bytes(live.anyone.get("/docs/match.mjs").content)
    match = live.started("dollar-prize")
    ran = subprocess.run(
        [node(), tried.file],
        cwd=tmp_path,
        env={"API": f"{live.url}/v1", "MATCH": match.id, "SEAT_KEY": match.keys[0]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(shown.removesuffix("…\n"))
    seen = [event.split(" ")[1] for event in ran.stdout.splitlines()[2:]]
    events = match.anyone.events().json()["events"]
    assert seen == [event["type"] for event in events]
