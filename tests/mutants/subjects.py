"""What is measured: the files that fairness, evidence and secrecy rest on, and their tests."""

from msgspec import Struct


class Subject(Struct, frozen=True):
    """A file, and the tests that concern it: those that fail the fastest stand first."""

    file: str
    tests: tuple[str, ...]


SUBJECTS = {
    "commitments": Subject("domain/commitments.py", ("tests/domain/test_commitments.py",)),
    "randomness": Subject(
        "domain/chance/generator.py",
        ("tests/domain/test_randomness.py", "tests/domain/test_rng_reference.py"),
    ),
    "merkle": Subject("domain/merkle.py", ("tests/domain/test_merkle.py",)),
    "notes": Subject("domain/notes.py", ("tests/domain/test_notes.py",)),
    "chance": Subject(
        "domain/chance/seeds.py", ("tests/domain/test_randomness.py", "tests/domain/test_chance.py")
    ),
    "draws": Subject("domain/draws.py", ("tests/domain/test_draws.py",)),
    "disclosure": Subject("projections/disclosure.py", ("tests/projections/test_disclosure.py",)),
    "sight": Subject("projections/audience.py", ("tests/projections/test_audience.py",)),
    "submissions": Subject("domain/submissions.py", ("tests/domain/test_submissions.py",)),
    "receipts": Subject("projections/submissions.py", ("tests/projections/test_submissions.py",)),
    "deadlines": Subject(
        "domain/deadlines.py",
        ("tests/domain/test_deadlines.py", "tests/domain/test_match_absence.py"),
    ),
}
