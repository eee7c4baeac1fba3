"""The pages for people, as they are sent: complete without a script, and only what everyone may
see."""

import re

import pytest

from service.event_store.errors import StoreUnavailable
from service.http.people import documentation as pages
from service.read_models.lists import Lists
from service.web.assets import ADDRESS
from service.web.texts import languages
from tests.support.http.match_play import play_out
from tests.support.http.ruling_client import ruled
from tests.support.servers.live_server import Answer, Live, LiveMatch

IMAGE = "<img src=x>"
NOWHERE = "01890000-0000-7000-8000-000000000000"


def page(live: Live, path: str, language: str = "en") -> Answer:
    return live.anyone.get(path, {"Accept-Language": language})


def texts(answer: Answer) -> str:
    """The page without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())


def test_the_lobby_shows_what_is_on_and_what_was_decided(live: Live, hidden: LiveMatch) -> None:
    over = live.started("twelve-chips", options={"tokens_to_win": 1})
    play_out(over)
    lobby = page(live, "/")
    assert lobby.status_code == 200
    assert lobby.headers["content-type"] == "text/html; charset=utf-8"
    now, decided = lobby.text.split('id="decided"')
    assert f'href="/m/{hidden.id}"' in now
    assert f'href="/m/{over.id}"' in decided
    assert re.search(r"(Ann|Ben) wins|Shared by Ann, Ben", texts(lobby))


def test_a_match_that_is_paused_is_on(live: Live) -> None:
    paused = live.started("dollar-prize")
    ruled(paused.moderator, "pause")
    now, _ = page(live, "/").text.split('id="decided"')
    assert f'href="/m/{paused.id}"' in now, "among the newest, however many are running"


def test_what_people_write_is_text(live: Live, hidden: LiveMatch) -> None:
    for path in ("/", f"/m/{hidden.id}", f"/table/{hidden.id}"):
        assert IMAGE not in page(live, path).text
        assert "&lt;img src=x&gt;" in page(live, path).text


def test_people_count_seats_from_1_and_are_told_who_starts(live: Live) -> None:
    made = live.create("dollar-prize", ["Ann", "Ben"])
    shown = page(live, f"/m/{made.id}")
    assert '<span class="mark" data-seat="0">1</span> <bdi>Ann</bdi>' in shown.text
    assert "has not begun. A moderator or the organiser starts it." in texts(shown)
    assert made.moderator.start().status_code == 201
    assert "has not begun. A moderator" not in texts(page(live, f"/m/{made.id}?at=1"))


def test_every_position_has_an_address(live: Live, hidden: LiveMatch) -> None:
    last = hidden.anyone.view().json()["seq"]
    first = page(live, f"/m/{hidden.id}?at=1")
    assert f"1 of {last}" in texts(first)
    assert 'href="?at=2&amp;as=public" rel="next"' in first.text and 'rel="prev"' not in first.text
    assert "The match has not begun." in first.text
    assert 'href="?at=' in page(live, f"/m/{hidden.id}").text


@pytest.mark.parametrize("path", [f"/m/{NOWHERE}", f"/table/{NOWHERE}", "/m/{}?at=999999"])
def test_what_does_not_exist_is_a_page_too(live: Live, hidden: LiveMatch, path: str) -> None:
    answer = page(live, path.format(hidden.id))
    assert answer.status_code == 404
    assert "There is no such match" in answer.text


def test_a_reader_is_answered_in_their_language(live: Live) -> None:
    answer = page(live, "/", "fr, de-AT;q=0.9, en;q=0.5")
    assert '<html lang="de">' in answer.text
    assert "Läuft gerade" in answer.text
    assert answer.headers["content-language"] == "de"
    assert "Accept-Language" in answer.headers["vary"]


@pytest.mark.parametrize("path", ["/", "/worker.js", f"/m/{NOWHERE}", "/docs", "/verify"])
def test_the_language_that_was_chosen_on_a_device_comes_first(live: Live, path: str) -> None:
    def answer(cookie: str) -> Answer:
        return live.anyone.get(path, {"Accept-Language": "en", "Cookie": cookie})

    chosen, other, english = map(answer, ("a=b; language=de", "language=xx; de", ""))
    assert chosen.content != other.content == english.content
    assert "Cookie" in chosen.headers["vary"]


def test_every_page_offers_the_other_languages(live: Live) -> None:
    for path in ("/", "/play", "/organise", "/docs", "/verify"):
        offered = re.findall(r'data-language="(\w+)"', page(live, path, "de").text)
        assert offered == ["en"], path


def test_a_page_that_has_not_changed_is_not_sent_again(live: Live, hidden: LiveMatch) -> None:
    for path in ("/", f"/m/{hidden.id}"):
        tag = page(live, path).headers["etag"]
        again = live.anyone.get(path, {"If-None-Match": tag, "Accept-Language": "en"})
        assert (again.status_code, again.content) == (304, b"")
        other = live.anyone.get(path, {"If-None-Match": tag, "Accept-Language": "de"})
        assert other.status_code == 200


def test_without_its_store_the_lobby_says_so(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object, **__: object) -> None:
        raise StoreUnavailable(None)

    monkeypatch.setattr(Lists, "read", away)
    answer = page(live, "/")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert "cannot be read right now" in answer.text


def test_every_language_has_every_text() -> None:
    (first, *others) = languages().values()
    for other in others:
        assert other.texts.keys() == first.texts.keys(), other.code
        for name, text in first.texts.items():
            assert fields(text) == fields(other.texts[name]), name


def fields(text: str | dict[str, str]) -> object:
    """What is filled in, for each form of a text."""
    if isinstance(text, str):
        return set(re.findall(r"\{[\w.]+\}", text))
    return {form: fields(one) for form, one in text.items()}


def test_what_pages_load_has_an_address_of_its_release(live: Live) -> None:
    this = live.anyone.get(f"{ADDRESS}/pages/play.js")
    assert (this.status_code, this.headers["cache-control"]) == (
        200,
        pages.FOREVER["Cache-Control"],
    )
    assert live.anyone.get("/assets/0123456789abcdef/pages/play.js").status_code == 404
    assert ADDRESS in live.anyone.get("/").text
