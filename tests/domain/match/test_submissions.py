"""The fold of a sealed phase: whose submission stands, and who has not submitted."""

import pytest

from domain.match.submissions import Sealed, opened, submitted


@pytest.mark.parametrize("seats", [1, 2, 5])
def test_a_phase_begins_without_submissions(seats: int) -> None:
    phase: Sealed[str] = opened(seats)
    assert phase.standing == (None,) * seats
    assert not phase.all_in


def test_a_seat_that_has_submitted_is_no_longer_missing() -> None:
    phase = submitted(submitted(opened(3), 2, "c"), 0, "a")
    assert phase == Sealed(("a", None, "c"))
    assert phase.all_in is False


def test_all_are_in_when_nobody_is_missing() -> None:
    phase = Sealed(("a", "b"))
    assert phase.all_in is True


def test_content_that_is_false_is_a_submission() -> None:
    phase: Sealed[object] = submitted(submitted(opened(2), 0, ()), 1, 0)
    assert phase.all_in


@pytest.mark.parametrize(
    ("seat", "standing"), [(0, ("new", "b", "c")), (1, ("a", "new", "c")), (2, ("a", "b", "new"))]
)
def test_a_seats_last_submission_replaces_its_own(seat: int, standing: tuple[str, ...]) -> None:
    assert submitted(Sealed(("a", "b", "c")), seat, "new") == Sealed(standing)


def test_nothing_in_place_of_a_submission_makes_its_seat_missing() -> None:
    assert not submitted(Sealed(("a", "b")), 1, None).all_in
