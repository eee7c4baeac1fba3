"""The fold of a sealed phase: whose submission stands, and who has not submitted."""

from domain.match.submissions import Sealed, open_phase, submit


def test_content_that_is_false_is_a_submission() -> None:
    phase: Sealed[object] = submit(submit(open_phase(2), 0, ()), 1, 0)
    assert phase.all_in


def test_nothing_in_place_of_a_submission_makes_its_seat_missing() -> None:
    assert not submit(Sealed(("a", "b")), 1, None).all_in
