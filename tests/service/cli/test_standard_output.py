"""Standard output that is full, closed or not read to its end, Ctrl-C, and files in encodings of
other systems: a sentence and a status of its own, never a traceback or a verdict."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import rich_click as click
from click.testing import CliRunner

from service.cli import COMMANDS, Commands, main
from service.cli.auditing.audit_sources import UNVERIFIED
from service.cli.standard_output import INTERRUPTED, NOT_WRITTEN, READER_CLOSED
from service.cli.typed_files import decode_text
from tests.corpus.record import KEY_FILE
from tests.support.repository import TESTS
from tests.support.servers.live_server import Live
from tests.support.waiting import wait_until

CORPUS = TESTS / "corpus"
BUNDLE = CORPUS / "recorded.dollar-prize.manual.arb"
ARBITER = (sys.executable, "-m", "service.cli")
FULL = Path("/dev/full")

VERIFY = ("verify", str(BUNDLE), "--key", str(CORPUS / KEY_FILE))
PRINTING = ((*VERIFY, "--json"), ("replay", str(BUNDLE)))


def arbiter(*arguments: str, stdout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ARBITER, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_full_standard_output_is_named(arguments: tuple[str, ...]) -> None:
    with FULL.open("wb") as full:
        done = arbiter(*arguments, stdout=full.fileno())
    assert done.returncode == NOT_WRITTEN, done.stderr
    *before, said = done.stderr.splitlines()
    assert said == "Standard output cannot be written: No space left on device"
    assert "Traceback" not in "".join(before)


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_reader_that_is_gone_ends_it_without_a_word(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = arbiter(*arguments, stdout=writing)
    os.close(writing)
    assert done.returncode == READER_CLOSED
    assert done.stderr.strip() in ("", UNVERIFIED)


def test_a_closed_standard_output_leaves_the_verdict() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *ARBITER, *VERIFY], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_service_is_reached_although_the_reader_of_its_match_is_gone(live: Live) -> None:
    match = live.create("twelve-chips")
    reading, writing = os.pipe()
    os.close(reading)
    done = arbiter("replay", match.id, "--url", live.url, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (READER_CLOSED, "")


# Ctrl-C.


def test_ctrl_c_is_a_status_of_its_own() -> None:
    running = subprocess.Popen(
        [*ARBITER, "simulate", "--matches", "1000000"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=_interruptible,
    )
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    wait_until(lambda: bool(children.read_text()))
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert (running.returncode, said.split()) == (INTERRUPTED, [b"Interrupted"])


def _interruptible() -> None:
    """A shell's background job ignores Ctrl-C, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_every_command_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(monkeypatch, name, KeyboardInterrupt)
    done = CliRunner().invoke(main, [name])
    assert (done.exit_code, done.stderr) == (INTERRUPTED, "Interrupted\n")


def test_so_does_ctrl_c_at_a_question_but_no_other_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    typed: list[type[BaseException]] = [KeyboardInterrupt, EOFError]

    def ask() -> None:
        click.prompt("Which")

    def answer(_: str) -> str:
        raise typed.pop(0)

    monkeypatch.setattr("click.termui.visible_prompt_func", answer)
    monkeypatch.setattr(Commands, "get_command", lambda *_: click.Command("ask", callback=ask))
    for status in (INTERRUPTED, 1):
        with pytest.raises(SystemExit) as ended:
            main.main(["ask"])
        assert ended.value.code == status


def interrupted(monkeypatch: pytest.MonkeyPatch, name: str, by: type[BaseException]) -> None:
    """The command is interrupted as soon as it runs."""

    def stop(*_: object, **__: object) -> None:
        raise by

    command = main.get_command(click.Context(main), name)
    assert command is not None
    monkeypatch.setattr(command, "make_context", stop)


# Files that people hand in.


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_key_is_read_in_what_other_systems_write(encoding: str, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_bytes((CORPUS / KEY_FILE).read_text().encode(encoding))
    assert CliRunner().invoke(main, ["verify", str(BUNDLE), "--key", str(keys)]).exit_code == 0


@pytest.mark.parametrize(
    ("option", "content"),
    [
        ("--key", b"\xff\xfea"), ("--key", b"\xfe\xff\xd8\x00"), ("--key", b"\xff"),
        ("--checkpoint", b"\x80key"), ("--receipt", b"\xef\xbb\xbf\xff"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_text_is_named(option: str, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "given.txt"
    file.write_bytes(content)
    arguments = [*VERIFY, option, str(file)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 64
    assert "is no text in UTF-8 or UTF-16" in " ".join(done.stderr.replace("│", "").split())


def test_nor_is_a_key_file(tmp_path: Path) -> None:
    file = tmp_path / "given.txt"
    file.write_bytes(b"\xff\xfea")
    done = CliRunner().invoke(main, ["keys", "renew", "--key-file", str(file)])
    assert done.exit_code == 2
    assert "is no text in UTF-8 or UTF-16" in " ".join(done.stderr.replace("│", "").split())


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_is_read_in_either_order(mark: bytes) -> None:
    order = "utf-16-le" if mark == b"\xff\xfe" else "utf-16-be"
    assert decode_text(mark + "Łukasz".encode(order)) == "Łukasz"
