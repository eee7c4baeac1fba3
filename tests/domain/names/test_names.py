"""Names: which are good, and which are one and the same, by Unicode's own tables."""

import pytest

from domain.names import Fault, fault_in, first_fault, person_of, skeleton_of
from tests.support.names import DIFFERENT, GOOD, NOT_GOOD, SAME


@pytest.mark.parametrize("name", GOOD.values(), ids=GOOD)
def test_real_names_are_had(name: str) -> None:
    assert fault_in(name) is None


@pytest.mark.parametrize("name", NOT_GOOD.values(), ids=NOT_GOOD)
def test_what_cannot_be_read_is_no_name(name: str) -> None:
    assert fault_in(name) == "not_good"


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_a_name_is_taken_however_it_is_written(one: str, other: str) -> None:
    assert fault_in(one, [other]) == fault_in(other, [one]) == "taken"
    assert first_fault([one, other]) == "taken"


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_names_are_others(one: str, other: str) -> None:
    assert fault_in(one, [other]) is None
    assert first_fault([one, other]) is None
    assert person_of(one) != person_of(other)


def test_whose_a_name_is_is_asked_before_whether_it_is_a_good_one() -> None:
    assert fault_in("\u0410nn", ["Ann"]) == "taken"
    assert fault_in("An\u200bn", ["Ann"]) == "taken"


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["Ann", "Ben"], None),
        (["Ann", ""], "not_good"),
        (["Ann", "Ben", "ANN"], "taken"),
        ([], None),
    ],
)
def test_names_of_several_are_judged_in_order(names: list[str], fault: Fault | None) -> None:
    assert first_fault(names) == fault


@pytest.mark.parametrize("form", [skeleton_of, person_of])
def test_a_skeleton_is_its_own(form: object) -> None:
    """Or the skeleton of what is kept would differ from what is asked for."""
    for name in (*GOOD.values(), *NOT_GOOD.values()):
        assert callable(form) and form(form(name)) == form(name)
