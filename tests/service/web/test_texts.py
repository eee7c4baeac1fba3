"""The texts of the pages, which are said somewhere and are not filled in again without need."""

import re
from collections.abc import Iterator
from threading import Barrier, Thread
from typing import Any, get_args

import pytest

from domain.games import GAMES
from domain.rulings.kinds import Change, Redraw, Ruling
from service.web import game_rules as module
from service.web import rendering
from service.web.assets import ADDRESS, ASSETS
from service.web.first_use import made_at_first_use
from service.web.game_rules import game_rules
from service.web.rendering import RenderedPages
from service.web.texts import languages
from tests.support.repository import ROOT

SPEAKERS = (
    "service/web/pages/*.html", "service/web/verify/page.*", "service/http/people/*.py",
    "clients/pages/src/**/*.ts*",
)  # fmt: skip

QUOTED = re.compile(r"""(["'`])([a-z](?:[\w.-]|\$\{[^}]*\})*)\1( ~)?""")
SAID = re.compile(r"""\bsay\(\s*"([^"$]+)"[,)]""")
FILLED_IN = re.compile(r"\$\{[^}]*\}")
SEVERAL_STEPS = re.compile(r"audit|board|event|option|play")
"""Groups of texts in whose names several steps are filled in at once, as the type of an event."""


def test_every_text_is_said() -> None:
    said = re.compile("|".join(sorted(set(names()))))
    assert not [name for name in languages()["en"].texts if not said.fullmatch(name)]


def test_every_text_that_is_said_exists() -> None:
    said = {name for source in sources() for name in SAID.findall(source)}
    assert said and said <= languages()["en"].texts.keys()


def test_no_text_is_named_twice() -> None:
    """The second would stand in place of the first."""
    for file in ROOT.glob("service/web/pages/texts/*/*.json"):
        names = re.findall(r'^  "([^"]+)":', file.read_text(), re.M)
        assert len(names) == len(set(names)), file.name


def sources() -> Iterator[str]:
    return (one.read_text() for speaker in SPEAKERS for one in ROOT.glob(speaker))


def names() -> Iterator[str]:
    """The names of texts as expressions, from all that stands in quotes."""
    for source in sources():
        for _, quoted, continued in QUOTED.findall(source):
            step = ".+" if SEVERAL_STEPS.match(quoted) else "[^.]+"
            fixed = (re.escape(part) for part in FILLED_IN.split(quoted))
            yield step.join(fixed) + (".+" if continued else "")


def test_every_ruling_is_said_in_words() -> None:
    kinds = get_args(Ruling)
    named = {f"event.kind.{one.__struct_config__.tag}" for one in kinds}
    fields = {field for one in (*kinds, Change, Redraw) for field in one.__struct_fields__}
    for language in languages().values():
        assert named <= language.texts.keys(), language.code
        assert {f"field.{one}" for one in fields} - language.texts.keys() <= UNSAID, language.code


def test_a_stage_that_a_template_has_named_is_called_so_in_every_language() -> None:
    assert [GERMAN.stage(name) for name in ("Knockout", "Final", "Mine")] == [
        "K.-o.-Runde", "Finale", "Mine",
    ]  # fmt: skip
    assert ENGLISH.stage("K.-o.-Runde") == "Knockout"


UNSAID = {"field.id", "field.name"}
"""Fields whose names are the same in every language, or say nothing to people."""

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


# How each game is explained to people.


WORDS_A_MINUTE = 330
"""Of a quick reader."""

EXPLAINED = [game for game in GAMES if game_rules(game, "en").explained]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", EXPLAINED)
def test_a_game_is_explained_in_a_minute(game: str, language: str) -> None:
    rules = game_rules(game, language, "/below")
    told = rules.explained
    assert told is not None and rules.lead and "*" not in rules.lead
    words = re.sub("<[^>]+>", " ", told).split()
    assert 100 < len(words) <= WORDS_A_MINUTE
    assert "<h" not in told, "the page that shows it has the headings"
    (picture,) = re.findall(r'<img src="([^"]+)" alt="[^"]+"', told)
    assert picture == rules.picture
    assert picture.removeprefix(f"/below{ADDRESS}") in ASSETS


def test_each_language_has_its_own_words() -> None:
    for game in EXPLAINED:
        told = {game_rules(game, language).lead for language in languages()}
        assert len(told) == len(languages())


def test_a_game_without_an_explanation_has_the_text_of_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "FOLDER", module.FOLDER.joinpath("nowhere"))
    rules = game_rules.__wrapped__("liars-dice", "de")
    assert rules.explained is None and rules.lead == ""
    assert "Liar&#39;s Dice</h1>" in rules.text or "Liar's Dice" in rules.text
