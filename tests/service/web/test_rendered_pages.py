"""A page that did not change is not filled in again."""

from threading import Barrier, Thread
from typing import Any

import pytest

from service.web import rendering
from service.web.first_use import made_at_first_use
from service.web.rendering import RenderedPages
from service.web.texts import languages

ENGLISH, GERMAN = languages()["en"], languages()["de"]


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What pages were filled in with."""
    filled: list[Any] = []

    def rendered(template: str, language: Any, **values: Any) -> bytes:
        filled.append((template, language.code, values))
        return f"{template} {language.code} {values}".encode().ljust(100)

    monkeypatch.setattr(rendering, "rendered", rendered)
    return filled


def test_the_same_is_filled_in_once(filled: list[Any]) -> None:
    pages = RenderedPages()
    first = pages.rendered("a.html", ENGLISH, cup={1: "Ann"}, path="/t/1")
    assert pages.rendered("a.html", ENGLISH, cup={1: "Ann"}, path="/t/1") == first
    assert len(filled) == 1


def test_whatever_differs_is_another_page(filled: list[Any]) -> None:
    pages = RenderedPages()
    found = {
        pages.rendered("a.html", ENGLISH, cup={1: "Ann"}),
        pages.rendered("b.html", ENGLISH, cup={1: "Ann"}),
        pages.rendered("a.html", GERMAN, cup={1: "Ann"}),
        pages.rendered("a.html", ENGLISH, cup={1: "Ben"}),
        pages.rendered("a.html", ENGLISH, cup={"1": "Ann"}),
        pages.rendered("a.html", ENGLISH, cup={1: "Ann"}, open=True),
    }
    assert len(found) == len(filled) == 6


def test_the_pages_in_memory_are_bounded(filled: list[Any]) -> None:
    pages = RenderedPages(most=250)
    for number in (1, 2, 1, 3, 1, 2):
        pages.rendered("a.html", ENGLISH, number=number)
    assert [values["number"] for _, _, values in filled] == [1, 2, 3, 2]


# What is made at first use.

THREADS = 4


def test_it_is_made_at_first_use_and_once_for_all_threads() -> None:
    together, made, used = Barrier(THREADS), list[object](), list[object]()

    @made_at_first_use
    def page() -> object:
        made.append(object())
        return made[-1]

    def use() -> None:
        together.wait()
        used.append(page())

    assert made == [], "nobody has used it"
    users = [Thread(target=use) for _ in range(THREADS)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert len(made) == 1 and used == made * THREADS
