"""The short form of `make mutants`: planted changes survive or are killed as they should be."""

import ast
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tests.mutants import __main__ as program
from tests.mutants.equivalents import Equivalent, Outdated, listed, without_equivalents
from tests.mutants.mutants import Mutant, mutants
from tests.mutants.subjects import SUBJECTS, Subject
from tests.mutants.trials import Laboratory, Unusable

SECONDS = 5
PLANTED = '''\
"""A limit."""


def within(number: int, limit: int) -> bool:
    """Whether a number is within a limit."""
    while number > 100:
        number -= 100
    return number < limit
'''
WEAK = """\
from planted.limits import within


def test_within() -> None:
    assert within(102, 3)
    assert not within(4, 3)
"""
STRONG = f"{WEAK}    assert not within(3, 3)\n"
CHECKS = {"weak": WEAK, "strong": STRONG, "failing": f"{WEAK}    assert within(4, 3)\n", "none": ""}


@pytest.fixture(name="code")
def some_code(tmp_path: Path) -> Path:
    """Code with a limit, and tests of several strengths."""
    code = tmp_path / "code"
    (code / "planted").mkdir(parents=True)
    (code / "planted/limits.py").write_text(PLANTED)
    for name, test in CHECKS.items():
        (code / f"planted/test_{name}.py").write_text(test)
    return code


@pytest.fixture(name="laboratory")
def a_laboratory(code: Path, tmp_path: Path) -> Laboratory:
    (tmp_path / "copy").mkdir()
    return Laboratory(code, tmp_path / "copy", ("planted",))


def changed(source: str) -> set[str]:
    """The changed lines of every mutant."""
    return {mutant.after for mutant in mutants("file.py", source.encode())}


def planted(after: str) -> Mutant:
    (found,) = [m for m in mutants("planted/limits.py", PLANTED.encode()) if m.after == after]
    return found


# Which changes are made.


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("a < b", {"(a <= b)", "(a >= b)"}),
        ("0 < a <= 9", {"(0 <= a <= 9)", "(0 < a > 9)", "0 < a <= (10)", "(1) < a <= 9"}),
        ("a != b", {"(a == b)", "(a < b)", "(a > b)"}),
        ("a is None", {"(a is not None)"}),
        ("a in b", {"(a not in b)"}),
        ("a and b", {"(a or b)", "(a)", "(b)"}),
        ("a and b and c", {"(a or b or c)", "(a and b)", "(b and c)", "(a and c)"}),
        ("not a", {"(a)"}),
        ("a + b", {"(a - b)", "(a)", "(b)"}),
        ("a >> 1", {"(a << 1)", "(a)", "(1)", "a >> (2)", "a >> (0)"}),
        ("7", {"(8)", "(6)"}),
        ("True", {"(False)"}),
        ("'text'", {"('')"}),
        ("''", {"('mutant')"}),
        ("b'raw'", {"(b'')"}),
        ("f'{a}:'", {"(f'{a}')", "(f':')"}),
        ("min(a, b)", {"(max(a, b))", "(min(b, a))"}),
        ("a.startswith(b)", {"(a.endswith(b))"}),
        ("f(a, k=b)", {"(f(a))"}),
        ("a[b:c]", {"(a[:c])", "(a[b:])"}),
        ("(a, b)", {"((b,))", "((a,))"}),
        ("{a: b, c: d}", {"({c: d})", "({a: b})"}),
        ("a if b else c", {"a if (True) else c", "a if (False) else c"}),
        ("[a for a in b if c]", {"[a for a in b if (True)]", "[a for a in b if (False)]"}),
        ("int.from_bytes(a, 'big')", {"int.from_bytes(a, ('little'))"}),
    ],
)
def test_an_expression_is_changed_in_each_of_these_ways(source: str, after: set[str]) -> None:
    made = changed(f"value = {source}")
    assert {f"value = {one}" for one in after} <= made
    assert f"value = {source}" not in made


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ("if a: b()", {"if (True): b()", "if (False): b()", "if a: pass"}),
        ("while a: b()", {"while (False): b()"}),
        ("for a in b: c()", {"for a in (()): c()"}),
        ("return a", {"return None"}),
        ("a += 1", {"pass", "a += (2)", "a += (0)"}),
        ("assert a", {"pass"}),
        ("a = a | b", {"pass", "a = (a & b)"}),
        ("a[0] = b", {"pass"}),
        ("yield a", {"pass"}),
    ],
)
def test_a_statement_is_changed_or_dropped(statement: str, after: set[str]) -> None:
    assert after <= changed(f"def f(a, b):\n    {statement}\n")


@pytest.mark.parametrize(
    "source",
    ['"""A docstring."""', "import a", "a: int | None = None", "T = TypeVar('T')", "a = b | c",
     "a = dict[int, str]", "a = Literal['one', 'two']", "class A(Struct, frozen=True): pass"],
)  # fmt: skip
def test_types_imports_and_docstrings_stay(source: str) -> None:
    assert changed(source) == set()


def test_limits_of_a_type_are_changed() -> None:
    source = "class A:\n    b: Annotated[int, Meta(ge=1)]\n"
    assert {f"b: Annotated[int, Meta(ge=({n}))]" for n in (0, 2)} <= changed(source)


def test_a_mutant_names_its_place() -> None:
    mutant = planted("return (number <= limit)")
    assert (mutant.function, mutant.line, mutant.before) == ("within", 8, "return number < limit")
    assert mutant.source.decode() == PLANTED.replace("number < limit", "(number <= limit)")
    assert str(mutant).startswith("planted/limits.py:8 (within)")


# Trials.


def test_a_planted_change_survives_weak_tests_and_not_strong_ones(
    laboratory: Laboratory, code: Path
) -> None:
    file, source = "planted/limits.py", planted("return (number <= limit)").source
    assert laboratory.survives(file, source, ["planted/test_weak.py"], SECONDS)
    assert not laboratory.survives(file, source, ["planted/test_strong.py"], SECONDS)
    assert (code / file).read_text() == (laboratory.folder / file).read_text() == PLANTED


def test_a_mutant_without_an_end_is_killed(laboratory: Laboratory) -> None:
    endless = planted("while (number >= 100):").source.replace(b"number -= 100", b"number = 100")
    assert not laboratory.survives("planted/limits.py", endless, ["planted/test_weak.py"], 1)


def test_what_is_no_python_is_no_mutant(laboratory: Laboratory) -> None:
    with pytest.raises(SyntaxError):
        laboratory.survives("planted/limits.py", b"def", ["planted/test_weak.py"], SECONDS)


def test_a_mutant_that_cannot_be_imported_is_killed(laboratory: Laboratory) -> None:
    source = b"raise ValueError"
    assert not laboratory.survives("planted/limits.py", source, ["planted/test_weak.py"], SECONDS)


@pytest.mark.parametrize("name", ["failing", "none", "missing"])
def test_tests_that_fail_or_are_missing_say_nothing(laboratory: Laboratory, name: str) -> None:
    with pytest.raises(Unusable):
        laboratory.seconds_needed([f"planted/test_{name}.py"])


# The program.


def test_survivors_are_named_and_the_target_is_missed(
    code: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = ("weak", "strong")
    subjects = {k: Subject("planted/limits.py", (f"planted/test_{k}.py",)) for k in kinds}
    monkeypatch.setattr(program, "ROOT", code)
    monkeypatch.setattr(program, "SUBJECTS", subjects)
    monkeypatch.setattr(program, "COPIED", ("planted",))
    monkeypatch.setattr(program, "out", Console(file=sys.stdout, width=110))
    only = planted("return (number <= limit)")
    monkeypatch.setattr(program, "mutants", lambda *_: [only])
    assert program.main(["weak", "strong"], 60, 1, 1) == 1
    printed = capsys.readouterr().out
    assert printed.count(str(only)) == 1
    rows = [line.split("│") for line in printed.splitlines() if line.startswith("│")]
    cells = {row[1].strip(): [cell.strip() for cell in row[2:-1]] for row in rows}
    assert cells["weak"] == ["1", "0", "1", "0", "1", "0.0 %", "missed"]
    assert cells["strong"] == ["1", "0", "1", "1", "0", "100.0 %", "met"]
    assert program.main(["strong"], 60, 1, 1) == 0


def test_a_sample_is_the_same_for_one_seed_and_another_for_another() -> None:
    first, again, other = (
        program.sampled("draws", SUBJECTS["draws"], 30, seed).tried for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len(set(first)) == len(set(other)) == 30


def test_a_sample_of_0_is_all() -> None:
    every = program.sampled("draws", SUBJECTS["draws"], 0, 1)
    assert len(every.tried) == every.made - every.equivalent


# What is measured.


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_subject_has_mutants_and_its_equivalents_are_among_them(name: str) -> None:
    subject = SUBJECTS[name]
    found = program.sampled(name, subject, 0, 1)
    assert found.equivalent == sum(one.file == subject.file for one in listed())
    assert len(found.tried) >= 20
    assert all((program.ROOT / test).is_file() for test in subject.tests)
    for mutant in found.tried:
        compile(mutant.source, mutant.file, "exec", ast.PyCF_ONLY_AST)


def test_every_equivalent_is_of_a_subject_and_has_a_reason() -> None:
    assert {one.file for one in listed()} <= {subject.file for subject in SUBJECTS.values()}
    assert all(one.why.endswith(".") for one in listed())


def test_an_equivalent_that_describes_no_mutant_is_an_error() -> None:
    only = planted("return (number <= limit)")
    known = Equivalent(only.file, only.function, only.before, only.after, "Planted.")
    assert without_equivalents(only.file, [only], [known]) == []
    assert without_equivalents("another.py", [only], [known]) == [only]
    with pytest.raises(Outdated):
        without_equivalents(only.file, [], [known])
    with pytest.raises(Outdated):
        without_equivalents(only.file, [only, only], [known])
