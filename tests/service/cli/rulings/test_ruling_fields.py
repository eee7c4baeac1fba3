"""What `arbiter rule` sends for each kind (/docs/rulings#the-kinds), and what it does not
accept."""

from typing import Any

import pytest
import rich_click as click
from click.types import convert_type

from service.cli.rulings.ruling_fields import FIELDS, KINDS, Fields, body_of

NAMES = ("Ann", "Ben", "Čeněk")
WHY = "The judges have decided."


def read(name: str, value: Any) -> Any:
    """The value of an option, as the command reads it."""
    kind = convert_type(FIELDS[name].type)
    return tuple(map(kind, value)) if isinstance(value, tuple) else value and kind(value)


def body(kind: str, **given: Any) -> dict[str, Any]:
    typed = {name: read(name, value) for name, value in {"reason": WHY, **given}.items()}
    return body_of(kind, Fields(typed, NAMES, asks=False))


def sent(kind: str, **given: Any) -> dict[str, Any]:
    """The body without what all kinds have."""
    made = body(kind, **given)
    assert (made.pop("reason"), made.pop("kind")) == (WHY, kind.replace("-", "_"))
    return made


RESULT = {"winners": [0], "losers": [1, 2], "shared": False, "scores": [3, 1, 0]}
SCORES = ("ann=3", "Ben=1", "seat:2=0")


@pytest.mark.parametrize(
    ("kind", "given", "made"),
    [
        ("pause", {}, {}),
        ("resume", {"rule": "4.2", "case": "c1"}, {"rule": "4.2", "case": "c1"}),
        ("confirm", {"appeals": "a1", "ask_seats": True}, {"appeals": "a1", "ask_seats": True}),
        ("extend", {"seconds": 60}, {"seconds": 60}),
        ("extend", {"deadline": "2026-11-22T21:15+01:00"}, {"deadline": "2026-11-22T20:15:00Z"}),
        (
            "note",
            {"to": "ČENĚK", "text": "Calm.", "severity": "warning"},
            {"to": "seat:2", "text": "Calm.", "severity": "warning"},
        ),
        (
            "note",
            {"to": "sealed", "text": "Watch Ben.", "severity": "uphold"},
            {"to": "sealed", "text": "Watch Ben.", "severity": "uphold"},
        ),
        (
            "result",
            {"winner": ("Ann",), "score": SCORES, "because": "forfeit"},
            {"result": RESULT, "because": "forfeit"},
        ),
        (
            "result",
            {"winner": ("Ben", "Ann"), "shared": True, "score": SCORES, "because": "adjudicated"},
            {
                "result": {**RESULT, "winners": [0, 1], "losers": [], "shared": True},
                "because": "adjudicated",
            },
        ),
        (
            "result",
            {"winner": ("Ann",), "loser": ("Ben",), "score": SCORES, "because": "forfeit"},
            {"result": {**RESULT, "losers": [1]}, "because": "forfeit"},
        ),
        ("void", {}, {}),
        (
            "void",
            {"replaced_by": "0199aa00-0000-7000-8000-00000000ffff"},
            {"replaced_by": "0199aa00-0000-7000-8000-00000000ffff"},
        ),
        ("rewind", {"before": "12"}, {"before": 12}),
        ("rewind", {"before": "p6"}, {"before_public": 6}),
        (
            "rewind",
            {
                "before": "12",
                "reapply": "while-legal",
                "redraw": (
                    'setup=["heads","tails"]',
                    "r1/die=4",
                    "r2=heads,tails",
                    "s=[[1,2]]",
                    "d=6,1",
                ),
                "strike": ("15",),
                "admit": ("18", "20"),
            },
            {
                "before": 12,
                "changes": [
                    {"redraw": {"id": "setup", "outcome": ["heads", "tails"]}},
                    {"redraw": {"id": "r1/die", "outcome": [4]}},
                    {"redraw": {"id": "r2", "outcome": ["heads", "tails"]}},
                    {"redraw": {"id": "s", "outcome": [[1, 2]]}},
                    {"redraw": {"id": "d", "outcome": [6, 1]}},
                    {"strike": 15},
                    {"admit": 18},
                    {"admit": 20},
                ],
                "reapply": "while_legal",
            },
        ),
        ("rewind", {"strike": ("7",)}, {"changes": [{"strike": 7}]}),
        ("rewind", {"admit": ("7",), "before": "3"}, {"before": 3, "changes": [{"admit": 7}]}),
        (
            "rewind",
            {"strike": ("7",), "before": "p3"},
            {"before_public": 3, "changes": [{"strike": 7}]},
        ),
        ("replace-seat", {"seat": "ben", "name": "Zoe"}, {"seat": 1, "name": "Zoe"}),
        (
            "replace-seat",
            {"seat": "ben", "name": "Zoe", "has_looked_reason": "Nobody else is left."},
            {"seat": 1, "name": "Zoe", "has_looked_reason": "Nobody else is left."},
        ),
    ],
)
def test_the_options_of_a_kind_are_its_fields(
    kind: str, given: dict[str, Any], made: dict[str, Any]
) -> None:
    assert sent(kind, **given) == made


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("pause", {"reason": None}, "--reason is needed"),
        ("pause", {"before": "3"}, "--before is not for pause"),
        ("extend", {}, "--seconds is needed"),
        ("extend", {"seconds": 5, "deadline": "2026-11-22T20:15Z"}, "not both"),
        ("extend", {"deadline": "noon"}, "no instant"),
        ("extend", {"deadline": "2026-11-22T20:15"}, "no instant with its offset from UTC"),
        ("extend", {"deadline": "0001-01-01T00:00+"}, "no instant"),
        ("note", {"text": "Calm.", "severity": "warning"}, "--to is needed"),
        ("note", {"to": "seat:3"}, "no seat is called 'seat:3'; there are Ann, Ben, Čeněk"),
        ("note", {"to": "public", "text": "x"}, "--severity is needed"),
        ("note", {"to": "public", "text": "x", "severity": "loud"}, "not one of 'clarification'"),
        ("result", {"because": "forfeit"}, "--winner is needed"),
        ("result", {"winner": ("Dan",)}, "no seat is called 'Dan'"),
        ("result", {"winner": ("Ann",), "score": SCORES[:2]}, "the score of Čeněk"),
        ("result", {"winner": ("Ann",), "score": ("Ann",)}, "--score NAME=N"),
        ("result", {"winner": ("Ann",), "score": ("Ann=-1",)}, "'-1' is no whole number"),
        ("result", {"winner": ("Ann",), "score": SCORES}, "--because is needed"),
        ("rewind", {}, "--before is needed"),
        ("rewind", {"redraw": ("a=1",)}, "--before is needed"),
        ("rewind", {"before": "first"}, "no number of an event: p6 in the public's count, or 8"),
        ("rewind", {"before": "p0"}, "'p0' is no number of an event"),
        ("rewind", {"before": "P6"}, "'P6' is no number of an event"),
        ("rewind", {"strike": ("p6",)}, "'p6' is no whole number"),
        ("rewind", {"redraw": ("a",), "before": "3"}, "--redraw ID=OUTCOME"),
        ("rewind", {"redraw": ("a=[1",), "before": "3"}, "--redraw a: Input data was truncated"),
        ("rewind", {"strike": ("x",)}, "no whole number"),
        ("replace-seat", {"name": "Zoe"}, "--seat is needed"),
        ("replace-seat", {"seat": "Ann"}, "--name is needed"),
    ],
)
def test_what_is_missing_or_wrong_is_named(kind: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(click.UsageError) as error:
        body(kind, **given)
    assert said.casefold() in error.value.message.casefold()


def test_names_that_sound_the_same_need_a_number() -> None:
    fields = Fields({}, ("Ann", "ANN"), asks=False)
    with pytest.raises(click.UsageError):
        fields.seat("ann")
    assert (fields.seat("seat:1"), fields.seat("ANN")) == (1, 1)


# Asked one by one.


def asked(monkeypatch: pytest.MonkeyPatch, kind: str, *answers: str, **given: Any) -> Any:
    """The body, when these answers are typed to the questions, in order."""
    typed = iter(answers)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: next(typed))
    values = {name: read(name, value) for name, value in given.items()}
    made = body_of(kind, Fields(values, NAMES, asks=True, asks_all=True))
    assert list(typed) == []
    return made


END = (WHY, "", "", "")
"""The reason; and no rule, appeal or case."""


@pytest.mark.parametrize(
    ("kind", "answers", "made"),
    [
        ("pause", (), {}),
        ("extend", ("90",), {"seconds": 90}),
        (
            "extend",
            ("0", "2026-11-22T20:15", "2026-11-22T21:15+01:00"),
            {"deadline": "2026-11-22T20:15:00Z"},
        ),
        (
            "result",
            ("Ann", "3", "1", "-", "0", "forfeit"),
            {"result": RESULT, "because": "forfeit"},
        ),
        (
            "result",
            ("ann, Ben", "y", "3", "1", "0", "adjudicated"),
            {
                "result": {**RESULT, "winners": [0, 1], "losers": [], "shared": True},
                "because": "adjudicated",
            },
        ),
        ("void", ("",), {}),
        (
            "rewind",
            ("setup=heads,tails", "", "9 11", "4", "while-legal"),
            {
                "before": 4,
                "changes": [
                    {"redraw": {"id": "setup", "outcome": ["heads", "tails"]}},
                    {"admit": 9},
                    {"admit": 11},
                ],
                "reapply": "while_legal",
            },
        ),
        ("rewind", ("", "9", "", "", ""), {"changes": [{"strike": 9}]}),
        ("replace-seat", ("Ben", "Zoe"), {"seat": 1, "name": "Zoe"}),
    ],
)
def test_every_field_is_asked_until_it_is_understood(
    monkeypatch: pytest.MonkeyPatch, kind: str, answers: tuple[str, ...], made: dict[str, Any]
) -> None:
    named = {"kind": kind.replace("-", "_"), "reason": WHY}
    one_person = kind in ("pause", "extend")
    assert asked(monkeypatch, kind, *answers, *END, *("n",) * (not one_person)) == {
        **named, **made,
    }  # fmt: skip


def test_seats_are_asked_where_two_people_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, "void", "", *END, "y")["ask_seats"] is True


def test_only_what_is_missing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"reason": WHY, "to": "public", "severity": "uphold", "rule": "7", "case": "c1"}
    made = asked(monkeypatch, "note", "It stands.", "", **given)
    assert (made["text"], made["rule"], made["case"]) == ("It stands.", "7", "c1")


def test_every_kind_of_the_contract_can_be_ruled() -> None:
    assert set(KINDS) == {
        "pause", "resume", "extend", "rewind", "replace-seat", "result", "void", "note", "confirm",
    }  # fmt: skip
