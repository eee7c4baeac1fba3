"""`arbiter demo`: the addresses that it prints exist, and the commands that it prints work."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.games import GAMES
from service.cli.options import store_lock
from tests.support.http import local_http
from tests.support.instance.service_instance import settings
from tests.support.typed import ARBITER, OnTerminal, clean_environment, printed_commands, typed

DEMO = (ARBITER, "demo", "--matches", "1")


def test_it_disturbs_no_server_and_its_output_is_true_after_it_has_ended(tmp_path: Path) -> None:
    """Next to a server whose store the environment names, and behind a proxy that is away."""
    away = clean_environment(
        tmp_path,
        ARBITER_DATA=str(tmp_path / "served"),
        SQLITE_DBNAME=str(tmp_path / "served/arbiter.db"),
        HTTP_PROXY="http://127.0.0.1:9",
    )
    with store_lock(settings(tmp_path / "served/arbiter.db")):
        demo = shlex.join(map(str, DEMO))
        printed = typed(demo, away)
    assert all(game in printed for game in GAMES)
    assert not (tmp_path / "served/arbiter.db").exists()
    (data,) = re.findall(r"The matches are kept in (\S+)", printed)
    (match, *_) = re.findall(r"^ *([0-9a-f-]{36}) ", printed, re.MULTILINE)
    del away["SQLITE_DBNAME"]
    shown = typed(shlex.join([str(ARBITER), "replay", match, "--data", data]), away)
    assert json.loads(shown)["status"] == "ended"


@pytest.fixture(name="demo")
def on_terminal(tmp_path: Path) -> Iterator[OnTerminal]:
    running = OnTerminal(DEMO, clean_environment(tmp_path, TERM="xterm", NO_COLOR="1"))
    yield running
    running.close()


def test_on_a_terminal_it_stays_and_its_addresses_and_keys_work(
    demo: OnTerminal, tmp_path: Path
) -> None:
    demo.read_until("organiser key")
    addresses = re.findall(r"http://\S+(?=/v1/|/m/|  )\S*", demo.said)
    (organiser,) = re.findall(r"arb_org_\w+", demo.said)
    (seat,) = re.findall(r"arb_s0_\w+", demo.said)
    (moderator,) = re.findall(r"arb_mod_\w+", demo.said)
    assert len(addresses) == 3
    with local_http.client() as http:
        for address in addresses:
            assert http.get(address).status_code == 200, address
        match = addresses[1].removesuffix("/events?as=moderator")
        for key, what in ((seat, "receipts"), (moderator, "bundle?as=moderator")):
            opened = http.get(f"{match}/{what}", headers={"Authorization": f"Bearer {key}"})
            assert opened.status_code == 200, opened.text
        made = http.post(
            match.rpartition("/")[0],
            json={"game": "dollar-prize", "seats": ["Ann", "Ben"]},
            headers={"Authorization": f"Bearer {organiser}"},
        )
        assert made.status_code == 201
    commands = printed_commands(demo.said)
    assert len(commands) == 1
    typed(commands[0], clean_environment(tmp_path))
    assert demo.interrupt() == 0
