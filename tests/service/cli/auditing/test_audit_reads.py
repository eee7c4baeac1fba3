"""`arbiter audit --fact`: who has looked, from the store, at the service, and from a bundle."""

from pathlib import Path
from typing import Any

import pytest

from service.cli.auditing.audit_sources import NOT_FOR_READERS, NOT_IN_BUNDLES
from tests.support.cli.audit_runs import Run, as_one_line, lines
from tests.support.http.evidence_client import reads
from tests.support.http.match_play import play_out
from tests.support.servers.instance_settings import KIND
from tests.support.servers.live_server import Live, LiveMatch, Player

pytestmark = pytest.mark.skipif(KIND != "sqlite", reason="the command reads the embedded store")

FACT = ("--fact", "hand-dealt seat=Ann")


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return live.started("twelve-chips")


@pytest.fixture
def address(live: Live, match: LiveMatch) -> str:
    return f"{live.url}/v1/matches/{match.id}"


def with_key(player: Player, folder: Path) -> tuple[str, str]:
    path = folder / "key"
    path.write_text(player.client.key or "")
    return ("--key-file", str(path))


def looked(answer: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """By reader, who looked at the fact, and as whom."""
    found: dict[str, list[tuple[str, str]]] = {}
    for way in answer["readers"]:
        found.setdefault(way["reader"], []).extend(
            (look["role"], look["audience"]) for look in way["looked"]
        )
    return found


STARTED = [("moderator", "moderator")]
"""The look of the moderator, who was shown the match in the answer to its start."""


def test_the_store_and_the_service_say_who_has_looked(
    run: Run, match: LiveMatch, address: str, data: Path, tmp_path: Path
) -> None:
    assert match.seats[0].view().status_code == match.seats[1].view().status_code == 200
    reads(match.moderator)  # What was noted is on disk afterwards.
    (answer,) = lines(run(match.id, *FACT, "--json", data=data))
    assert answer["reads_kept"] is True
    assert looked(answer) == {
        "public": [], "moderator": STARTED, "seat:0": [("seat", "seat:0")], "seat:1": [],
    }  # fmt: skip
    assert [way["name"] for way in answer["readers"]] == [None, None, "Ann", "Ben"]
    (own,) = [way for way in answer["readers"] if way["reader"] == "seat:0"]
    assert own["sent"]["earliest"] >= own["since"] and own["sent"]["latest"].startswith("20")
    key = with_key(match.moderator, tmp_path)
    (served,) = lines(run(address, *key, *FACT, "--json"))
    assert looked(served) == looked(answer)
    assert [way["sent"] for way in served["readers"][2:]] == [
        way["sent"] for way in answer["readers"][2:]
    ]


def test_for_people_it_names_who_looked_and_who_did_not(
    run: Run, match: LiveMatch, data: Path
) -> None:
    assert match.seats[0].view().status_code == match.moderator.view().status_code == 200
    reads(match.moderator)
    shown = run(match.id, *FACT, data=data).stdout
    assert max(map(len, shown.splitlines())) <= 80
    said = as_one_line(shown)
    assert "looked at by as at the earliest at the latest" in said
    assert "Ann (seat) Ann 20" in said
    assert "sent to no key of: nobody else" in said
    alone = as_one_line(run(match.id, *FACT, "--who", "moderator", data=data).stdout)
    assert "somebody moderators 20" in alone and "(moderator)" in alone
    assert "Ann (seat)" not in alone


def test_a_player_is_told_of_looks_when_the_match_is_over(
    run: Run, match: LiveMatch, address: str, tmp_path: Path
) -> None:
    assert match.moderator.view().status_code == 200
    key = with_key(match.seats[0], tmp_path)
    said = as_one_line(run(address, *key, *FACT).stdout)
    assert "who looked: the service does not tell this key (not_allowed)" in said
    play_out(match)
    answer, *_ = lines(run(address, *key, *FACT, "--json"))
    (moderators,) = [way for way in answer["readers"] if way["reader"] == "moderator"]
    assert [(one["role"], one["key_id"]) for one in moderators["looked"]] == [("moderator", None)]
    assert answer["reads_kept"] is True


def test_a_bundle_and_an_audience_do_not_say_who_has_looked(
    run: Run, match: LiveMatch, address: str, data: Path, tmp_path: Path
) -> None:
    assert match.seats[0].view().status_code == 200
    reads(match.moderator)
    bundle = tmp_path / "match.arb"
    got = match.moderator.client.get(f"{match.moderator.path}/bundle", as_="moderator")
    bundle.write_bytes(got.content)
    assert NOT_IN_BUNDLES in as_one_line(run(str(bundle), *FACT).stdout)
    moderating = with_key(match.moderator, tmp_path)
    for source, more in ((match.id, ()), (address, moderating)):
        shown = run(source, *FACT, *more, "--as", "seat:0", data=data).stdout
        assert NOT_FOR_READERS in as_one_line(shown) and "looked at by" not in shown
        (answer,) = lines(run(source, *FACT, *more, "--as", "seat:0", "--json", data=data))
        assert not any(looked(answer).values()) and answer["reads_kept"] is False
