"""The harness finds the faults of a page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.docs.matching import Unknown, filled, matched
from tests.support.docs.pages import Typed, Unreadable, Written, steps
from tests.support.docs.running import ROOT, Reader, Wrong, follow, reader, shortened

ID = "01a2022a-5bfe-729f-b85a-09d0251e8e31"
OTHER = "01a20300-0000-7000-8000-000000000000"
KEY = f"arb_s0_{ID.replace('-', '')}_{'0f' * 32}"


def page(*lines: str, language: str = "console") -> str:
    return "\n".join(["Some words.", "", f"```{language}", *lines, "```", ""])


class TestSteps:
    def test_commands_and_their_output(self) -> None:
        assert steps(page("$ one", "1", "2", "$ two  # why")) == [
            Typed(4, "one", "1\n2"),
            Typed(7, "two  # why", ""),
        ]

    @pytest.mark.parametrize(
        "lines",
        [
            ["$ curl \\", "    here"],
            ["$ echo 'one", "two'"],
            ["$ cat <<END > file", "text", "END"],
            ["$ for each in 1 2; do", "    echo $each", "done"],
        ],
    )
    def test_a_command_goes_on_as_in_a_shell(self, lines: list[str]) -> None:
        (step,) = steps(page(*lines, "shown"))[:1]
        assert step == Typed(4, "\n".join(lines)[2:], "shown")

    def test_text_is_not_typed(self) -> None:
        assert steps(page("$ no", language="text") + page("$ no", language="")) == []

    def test_a_block_with_a_name_becomes_a_file(self) -> None:
        assert steps(page("a = 1", "", language="python bot.py")) == [
            Written(4, "bot.py", "a = 1\n\n")
        ]

    def test_a_block_in_a_comment_or_a_list_is_typed(self) -> None:
        hidden = f"<!--\n{page('$ one')}-->\n- One.\n  ```console\n  $ two\n  ```\n"
        assert [step.command for step in steps(hidden) if isinstance(step, Typed)] == ["one", "two"]

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (page("$ one", language="bash"), "line 4: bash: use console, or text"),
            (page("one"), "line 4: output of no command"),
            (page("$ echo 'one"), "line 4: the command does not end"),
            ("```console\n$ one\n", "line 1: the block does not end"),
        ],
    )
    def test_what_cannot_be_read_is_refused(self, text: str, why: str) -> None:
        with pytest.raises(Unreadable, match=why):
            steps(text)


class TestMatching:
    @pytest.mark.parametrize(
        ("shown", "printed"),
        [
            ("one", "one\n"),
            ("a … c", "a b\nb c"),
            ("…\nlast", "first\n\nmore\nlast"),
            ('{"a": [1,\n 2]}', '{"a":[1,2]}'),
            ("at 2026-01-01T00:00:00Z", "at 2027-02-03T04:05:06.789Z"),
        ],
    )
    def test_the_same(self, shown: str, printed: str) -> None:
        assert matched(shown, printed) == {}

    @pytest.mark.parametrize(
        ("shown", "printed"),
        [
            ("one", "two"),
            ("one", "one\nmore"),
            ("a … c", "a b"),
            ("at 2026-01-01T00:00:00Z", "at once"),
            ("a.c", "abc"),
            ("key arb_s0_…", "key arb_mod_00"),
            ("id 01a1…", "id 7"),
        ],
    )
    def test_something_else(self, shown: str, printed: str) -> None:
        assert matched(shown, printed) is None

    def test_placeholders_stand_for_the_first_of_their_name(self) -> None:
        shown = '{"id":"01a1…","keys":["arb_s0_…",…],"other":"01a2…","again":"01a1…"}'
        printed = f'{{"id":"{ID}","keys":["{KEY}","x"],"other":"{OTHER}","again":"{OTHER}"}}'
        assert matched(shown, printed) == {"01a1…": ID, "arb_s0_…": KEY, "01a2…": OTHER}

    def test_placeholders_take_the_shown_value_or_else_the_last_printed_one(self) -> None:
        command = "replay 01a1… --key arb_s0_…"
        outputs = [KEY, f"{OTHER} {ID}", "nothing"]
        assert filled(command, {}, outputs) == f"replay {OTHER} --key {KEY}"
        assert filled(command, {"01a1…": ID}, outputs) == f"replay {ID} --key {KEY}"

    @pytest.mark.parametrize("command", ["echo arb_mod_…", "echo …"])
    def test_a_placeholder_without_a_value_is_refused(self, command: str) -> None:
        with pytest.raises(Unknown):
            filled(command, {}, [KEY, ID])


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        ("make test PROCESSES=4", ("make -n test PROCESSES=4", False)),
        ("make serves", ("make serves", True)),
        (".venv/bin/arbiter demo --url x", (".venv/bin/arbiter demo --matches 1 --url x", True)),
        (".venv/bin/arbiter demo --matches 2", (".venv/bin/arbiter demo --matches 2", True)),
        ("arbiter simulate x --matches 1000", ("arbiter simulate x --matches 10", True)),
    ],
)
def test_slow_commands_are_shortened(command: str, typed: tuple[str, bool]) -> None:
    assert shortened(command) == typed


@pytest.fixture(name="reading", scope="module")
def a_reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with reader(tmp_path_factory.mktemp("page")) as reading:
        yield reading


class TestReading:
    """In one session, without a server."""

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (page("$ false"), r"line 4: \$ false\nexits with status 1"),
            (page("$ make -n no-such-target"), "exits with status 2"),
            (page("$ echo one", "two"), "prints something else\n--- printed\none\n--- shown\ntwo"),
            (page("$ echo one >&2", "two"), "--- printed\none"),
            (page("$ echo arb_org_…"), "nothing printed stands for arb_org_…"),
        ],
    )
    def test_every_fault_is_found(self, reading: Reader, text: str, why: str) -> None:
        (step,) = steps(text)
        assert isinstance(step, Typed)
        with pytest.raises(Wrong, match=why):
            reading.type(step)

    def test_the_session_goes_on(self, reading: Reader) -> None:
        text = page("$ export A=b", "$ echo $A", "b", f"$ echo {ID}", "01a1…", "$ echo 01a1…", ID)
        for step in steps(text):
            assert isinstance(step, Typed)
            reading.type(step)

    def test_a_page_changes_a_copy_alone(self, reading: Reader) -> None:
        reading.write(Written(1, "domain/changed.py", "print('the copy')\n"))
        reading.type(Typed(2, ".venv/bin/python -m domain.changed", "the copy"))
        assert not (ROOT / "domain/changed.py").exists()

    def test_a_command_that_ends_the_session_is_found(self, tmp_path: Path) -> None:
        with reader(tmp_path) as reading, pytest.raises(Wrong, match="ended the session"):
            reading.type(Typed(1, "exit 0", ""))


API = "http://localhost:8000/v1"


class TestServing:
    def test_a_refusal_must_be_shown(self, tmp_path: Path) -> None:
        known = page(f"$ curl -s {API}/games/chess", '{…"code":"no_such_game"}')
        unknown = page(f"$ curl -s {API}/games/chess")
        with pytest.raises(Wrong, match=r"exits with status 22\n.*\n.*no_such_game"):
            follow(steps(known + unknown), tmp_path)

    def test_a_page_starts_the_server_with_what_it_has_exported(self, tmp_path: Path) -> None:
        key = "k" * 32
        text = page(
            "$ make serve", "…", "Organiser key, shown this once:", "arb_org_…", "…",
            f"$ export ARBITER_ORGANISER_KEY={key}", "$ make serve",
            "Arbiter at http://127.0.0.1:8000  …", "Organiser key: the one in …",
            f'$ curl -s {API}/matches -H "Authorization: Bearer {key}" \\',
            """  -d '{"game":"dollar-prize","seats":["Ann","Ben"]}'""", '{"id":"01a1…",…}',
        )  # fmt: skip
        follow(steps(text), tmp_path)
