"""The service as an app of a device: its manifest, its icons, and what says "offline"."""

from urllib.parse import urljoin

from tests.support.servers.live_server import Live

MANIFEST = "/assets/app.webmanifest"


def test_the_manifest_names_files_that_there_are(live: Live) -> None:
    answer = live.anyone.get(MANIFEST).raise_for_status()
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json()
    assert urljoin(MANIFEST, manifest["start_url"]) == urljoin(MANIFEST, manifest["scope"]) == "/"
    for icon in manifest["icons"]:
        found = live.anyone.get(urljoin(MANIFEST, icon["src"])).raise_for_status()
        assert found.headers["content-type"] == icon["type"]


def test_the_worker_is_the_same_for_everyone_and_may_fetch_from_here_alone(live: Live) -> None:
    answer = live.anyone.get("/worker.js", {"Accept-Language": "de"}).raise_for_status()
    assert answer.headers["content-security-policy"].endswith("connect-src 'self'")
    assert answer.headers["vary"] == "Accept-Language, Cookie, Accept-Encoding"
    assert live.organiser.get("/worker.js", {"Accept-Language": "de"}).text == answer.text
    assert "offline" in live.anyone.get("/offline", {"Accept-Language": "de"}).text
