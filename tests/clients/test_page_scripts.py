"""The scripts of the pages that the service sends are those of the sources."""

import json
import re
from pathlib import Path

import pytest

from service.web.texts import languages
from tests.support.web.page_scripts import BUILT, SOURCES, bundle, check_types, run_tests

PAGES, SCRIPTS = BUILT.parent, SOURCES / "src"
FALLBACK = languages()["en"]

PARTS = SCRIPTS / "parts.tsx"
"""Small parts, of which no page uses all."""


def contents(folder: Path) -> dict[str, str]:
    files = (one for one in folder.rglob("*") if one.is_file())
    return {str(one.relative_to(folder)): one.read_text() for one in files}


def test_what_is_served_is_made_from_the_sources() -> None:
    made, served = contents(bundle()), contents(BUILT)
    assert made.keys() == served.keys(), "run `make page-scripts`"
    assert not [name for name in made if made[name] != served[name]], "run `make page-scripts`"


def test_every_type_is_right() -> None:
    check_types()


def test_the_modules_without_a_page_do_what_their_own_tests_say() -> None:
    run_tests()


def test_a_name_that_a_template_gives_to_a_stage_is_known_in_every_language() -> None:
    source = (SCRIPTS / "tournament/stage_names.ts").read_text()
    known = dict(re.findall(r'\["([^"]+)", "(stage\.name\.\w+)"\]', source))
    for language in languages().values():
        stage = language.texts_under("stage")
        given = {name: stage[name] for name in stage if name.startswith("stage.name.")}
        assert given
        assert [known.get(text) for text in given.values()] == [*given]


@pytest.mark.parametrize("page", sorted(one.stem for one in (SCRIPTS / "pages").glob("*.tsx")))
def test_a_page_is_sent_every_text_that_it_says(page: str) -> None:
    sent = sent_to(page)
    texts = FALLBACK.texts_under(*sent)
    loaded = {*SCRIPTS.glob("boards/*.tsx")} if "board" in sent else set()
    for entry in {SCRIPTS / "pages" / f"{page}.tsx", *loaded}:
        for file in imported(entry) - {PARTS}:
            assert said_in(file) <= texts.keys(), file.relative_to(SCRIPTS)


def test_the_page_of_a_seat_is_sent_every_text_of_the_games_forms() -> None:
    texts = FALLBACK.texts_under(*sent_to("play"))
    for form in SCRIPTS.glob("forms/*.tsx"):
        for file in imported(form) - {PARTS}:
            assert said_in(file) <= texts.keys(), file.relative_to(SCRIPTS)


def sent_to(page: str) -> list[str]:
    """The first words of the texts that the service sends to a page."""
    template = (PAGES / f"{page}.html").read_text()
    (sent,) = re.findall(rf'script\(language, "{page}", .*?, (\[[^\]]*\])\)', template)
    words: list[str] = json.loads(sent)
    return words


def said_in(file: Path) -> set[str]:
    """The names of texts in a source, wherever they stand: a choice between two says either."""
    source = file.read_text()
    named = FALLBACK.texts.keys() & set(re.findall(r'"([^"\n]+)"', source))
    return named | set(re.findall(r'\bsay\(\s*"([^"]+)"', source))


def imported(page: Path) -> set[Path]:
    """A script's own source, and those of all that it imports."""
    left, found = [page], {page}
    while left:
        file = left.pop()
        for name in re.findall(r'(?:from |import\()"(\.[^"]+)\.js"', file.read_text()):
            whole = (file.parent / name).resolve()
            (source,) = (one for one in (Path(f"{whole}.ts"), Path(f"{whole}.tsx")) if one.exists())
            if source not in found:
                found.add(source)
                left.append(source)
    return found
