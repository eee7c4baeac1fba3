"""`arbiter serve`: what it prints is true, and can be typed."""

import sys
from pathlib import Path

import pytest

from service.cli.serve import address_of, greet
from service.settings import read_settings


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),  # noqa: S104
        ("::", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("arbiter.example", "http://arbiter.example:8000"),
    ],
)
def test_the_address_can_be_opened(host: str, address: str) -> None:
    assert address_of(host, 8000) == address


def greeting(data: Path, capsys: pytest.CaptureFixture[str], **environment: str) -> list[str]:
    greet(read_settings(data, environment=environment), 9000, 1)
    return capsys.readouterr().out.splitlines()


def test_the_first_start_shows_a_key_and_how_to_use_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/arbiter", "serve"])
    at, manual, stored, shown, key, bots, demo = greeting(tmp_path, capsys)
    assert at.startswith("Arbiter at http://127.0.0.1:9000 ")
    assert manual.endswith("http://127.0.0.1:9000/docs")
    assert stored.endswith(str(tmp_path / "arbiter.db"))
    assert "Organiser key" in shown
    assert key.startswith("arb_org_")
    assert "bots" in bots
    assert demo == f".venv/bin/arbiter demo --url http://127.0.0.1:9000 --key {key}"


def test_a_later_start_says_how_to_get_another_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/service/cli/__main__.py", "serve"])
    first = greeting(tmp_path, capsys)
    *_, later = greeting(tmp_path, capsys)
    assert later == f"Organiser keys issued: 1; another: arbiter keys new --data {tmp_path}"
    assert first[4] not in later


def test_a_configured_key_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = "k" * 32
    *_, last = said = greeting(tmp_path, capsys, ARBITER_ORGANISER_KEY=key)
    assert last == "Organiser key: the one in ARBITER_ORGANISER_KEY"
    assert key not in "".join(said)
