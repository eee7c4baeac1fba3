"""Shared test code is in tests/support, in modules with descriptive names of their own."""

from collections import Counter

from tests.support.repository import TESTS

PROGRAMS = ("benchmarks", "clients", "corpus", "mutants", "oracle", "recorded")
"""Programs that record, measure, or play by generated clients stay beside their results."""
NO_HELPERS = ("conftest", "__init__", "__main__")


def test_every_shared_module_is_in_one_folder() -> None:
    elsewhere = [
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if not path.stem.startswith("test_") and path.stem not in NO_HELPERS
    ]
    allowed = ("support", *PROGRAMS)
    assert [path for path in elsewhere if not path.startswith(allowed)] == []


def test_no_two_shared_modules_have_one_name() -> None:
    names = Counter(path.stem for path in (TESTS / "support").rglob("*.py"))
    del names["__init__"]
    assert {name for name, count in names.items() if count > 1} == set()


def test_no_test_module_imports_from_another() -> None:
    borrowing = [
        f"{path.relative_to(TESTS)}: {line}"
        for path in TESTS.rglob("*.py")
        for line in path.read_text().splitlines()
        if line.startswith("from tests.") and ".test_" in line
    ]
    assert borrowing == []
