"""The scripts of the pages that the service sends are those of the sources."""

from pathlib import Path

from tests.support.web.page_scripts import BUILT, bundle, check_types


def contents(folder: Path) -> dict[str, str]:
    files = (one for one in folder.rglob("*") if one.is_file())
    return {str(one.relative_to(folder)): one.read_text() for one in files}


def test_what_is_served_is_made_from_the_sources() -> None:
    made, served = contents(bundle()), contents(BUILT)
    assert made.keys() == served.keys(), "run `make page-scripts`"
    assert not [name for name in made if made[name] != served[name]], "run `make page-scripts`"


def test_every_type_is_right() -> None:
    check_types()
