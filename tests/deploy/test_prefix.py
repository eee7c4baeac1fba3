"""The service below a path of a host that serves other things, too: `ARBITER_PUBLIC_URL` has the
path, and the deployed nginx takes it away."""

import json
import os
import re
import sys
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import urljoin

import httpx
import pytest

from arbiter_client import Arbiter
from service.web.assets import ADDRESS as ASSETS
from service.web.documentation import SOURCES
from tests.deploy.nginx_proxy import WORKERS, needs_nginx, proxy
from tests.support.deploy.child_process import answering, child, free_ports
from tests.support.http import local_http
from tests.support.repository import ROOT
from tests.support.servers.instance_settings import ORGANISER_KEY

pytestmark = needs_nginx

ADDRESS = re.compile(r'\b(?:href|src|action)="([^"#][^"]*)"')
IMPORTED = re.compile(r'(?:from|import)\s*\(?"(\.[^"]+)"')
HTTP = local_http.client()
CREATION = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}


class Below(NamedTuple):
    """A service below a path: its address there, and its own without a proxy."""

    url: str
    direct: str

    def get(self, path: str) -> httpx.Response:
        return HTTP.get(self.url + path, headers={"Accept": "text/html"})

    def create(self) -> httpx.Response:
        bearer = {"Authorization": f"Bearer {ORGANISER_KEY}"}
        return HTTP.post(f"{self.url}/v1/matches", json=CREATION, headers=bearer)


@pytest.fixture(scope="module")
def below(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Below]:
    folder = tmp_path_factory.mktemp("below")
    (port,) = free_ports(1)
    edits = {"# rewrite ^/arbiter": "rewrite ^/arbiter"}
    with proxy(folder / "nginx", [f"127.0.0.1:{port}"] * len(WORKERS), edits=edits) as nginx:
        env = {
            **os.environ,
            "ARBITER_PUBLIC_URL": f"{nginx.url}/arbiter/",
            "ARBITER_ORGANISER_KEY": ORGANISER_KEY,
            "ARBITER_TRUSTED_PROXIES": "127.0.0.1",
            "ARBITER_DEMO": "1",
        }
        data = str(folder / "data")
        serve = ["-m", "service.cli", "serve", "--port", str(port), "--data", data]
        with child([sys.executable, *serve], env, folder / "log", ROOT) as running:
            answering(port, running, folder / "log")
            with HTTP:
                yield Below(f"{nginx.url}/arbiter", f"http://127.0.0.1:{port}")


def opened(below: Below, page: httpx.Response) -> set[str]:
    """Every address on a page, each of which is below the path and can be opened."""
    found = {urljoin(str(page.url), unescape(link)) for link in ADDRESS.findall(page.text)}
    own = {link for link in found if link.startswith(below.url.removesuffix("/arbiter"))}
    for link in own:
        assert link.startswith(f"{below.url}/"), f"{link} on {page.url}"
        if "/demo/" not in link:
            assert HTTP.get(link).status_code == 200, f"{link} on {page.url}"
    return own


def pages(below: Below) -> dict[str, str]:
    match = below.create().json()["id"]
    return {
        "lobby": "/",
        "match": f"/m/{match}",
        "audit": f"/m/{match}/audit",
        "embed": f"/embed/{match}",
        "play": f"/play/{match}",
        "table": f"/table/{match}",
        "organise": "/organise",
        "verify": "/verify",
        "schema": "/schema",
        **{f"docs {name}": f"/docs/{name}" for name in SOURCES if name},
        "docs": "/docs",
    }


def test_everything_that_a_page_names_can_be_opened(below: Below) -> None:
    for name, path in pages(below).items():
        page = below.get(path)
        assert page.status_code == 200, name
        links = opened(below, page)
        assert links or name == "verify", name


def test_an_error_has_links_too(below: Below) -> None:
    page = below.get("/nothing")
    assert page.status_code == 404
    assert opened(below, page)


def test_scripts_find_what_they_import(below: Below) -> None:
    page = below.get("/organise")
    waiting = [link for link in opened(below, page) if link.endswith(".js")]
    seen: set[str] = set()
    while waiting:
        script = waiting.pop()
        if script in seen:
            continue
        seen.add(script)
        answer = HTTP.get(script)
        assert answer.status_code == 200, script
        waiting += [urljoin(script, other) for other in IMPORTED.findall(answer.text)]
    assert any(f"{ASSETS}/chunks/" in script for script in seen)


def test_no_script_names_an_address_of_its_own(below: Below) -> None:
    """What a script builds begins with where it was loaded from."""
    for source in (ROOT / "clients" / "pages" / "src").rglob("*.ts*"):
        for line in source.read_text().splitlines():
            named = re.search(r"(?:href=\{?|fetch\(|assign\(|import\()[`\"]/", line)
            assert named is None, f"{source.name}: {line}"


def test_answers_lead_below_the_path(below: Below) -> None:
    created = below.create()
    assert created.headers["location"] == f"/arbiter/v1/matches/{created.json()['id']}/view"
    assert HTTP.get(urljoin(str(created.url), created.headers["location"])).status_code == 200
    started = HTTP.post(f"{below.url}/demo/dollar-prize", follow_redirects=False)
    assert started.status_code == 303
    assert started.headers["location"].startswith("/arbiter/m/")


def test_the_description_names_the_path(below: Below) -> None:
    document = json.loads(below.get("/schema/openapi.json").content)
    assert document["servers"] == [{"url": "/arbiter"}]


def test_links_that_are_handed_out_have_the_path(below: Below) -> None:
    bearer = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    match = below.create().json()
    invited = HTTP.post(
        f"{below.url}/v1/matches/{match['id']}/invitations", json={"seat": 0}, headers=bearer
    )
    assert invited.status_code == 201, invited.text
    assert invited.json()["link"].startswith(f"{below.url}/play/{match['id']}?seat=")
    held = {"Authorization": f"Bearer {match['seats'][1]['key']}"}
    made = HTTP.post(f"{below.url}/v1/calendars", json={}, headers=held)
    assert made.status_code == 201, made.text
    assert made.json()["link"].startswith(f"{below.url}/v1/calendar.ics?token=")
    assert HTTP.get(made.json()["link"]).status_code == 200
    card = below.get(f"/m/{match['id']}").text
    assert f'content="{below.url}/m/{match["id"]}"' in card
    assert f'content="{below.url}/m/{match["id"]}/board.png"' in card


def test_what_is_public_is_kept_by_the_proxy(below: Below) -> None:
    match = below.create().json()["id"]
    path = f"/v1/matches/{match}/events?as=public&limit=1"
    assert [below.get(path).status_code for _ in range(2)] == [200, 200]


def test_it_is_reached_without_the_proxy_with_the_path_and_without(below: Below) -> None:
    for path in ("/healthz", "/arbiter/healthz", "/arbiter/", "/docs"):
        assert HTTP.get(below.direct + path).status_code == 200, path
    assert HTTP.get(f"{below.direct}/arbiterhealthz").status_code == 404


def test_a_client_needs_only_the_address(below: Below) -> None:
    with Arbiter(below.url, ORGANISER_KEY) as service:
        made = service.create_match("dollar-prize", ["Ann", "Ben"])
    assert made
