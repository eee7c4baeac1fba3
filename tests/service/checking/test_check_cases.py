"""`arbiter check` judges cases: what was done in them, and whether their match and their readers
know of it."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest

from projections.audience.disclosure import Viewer
from service.application.matches.creation import NewMatch
from service.event_store.case_streams import CaseLists
from service.event_store.reading import reading
from service.event_store.secret_store import decoded_secrets
from service.instance import Instance
from tests.support.cli.store_with_history import findings, report
from tests.support.http.case_client import appeal, close, do, opened, say
from tests.support.http.ruling_client import previewed, rule, ruled
from tests.support.http.tournament_client import cup, staged
from tests.support.instance.damage import digest_anew, flipped, rows_of
from tests.support.instance.tournament_play import played, settled
from tests.support.servers.live_server import Player, serving


@pytest.fixture(scope="module")
def discussed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, UUID, UUID]:
    """A store with cases of a running match, of one that is over, and of a tournament; the match,
    and its case."""
    folder = tmp_path_factory.mktemp("cases")
    with serving(folder) as live:
        match, over = live.started("dollar-prize"), live.create("dollar-prize")
        case = discuss(match.seats, match.moderator, match.organiser)
        opened(over.seats[0])
        assert rule(over.moderator, "void", previewed(over.moderator, "void")).status_code == 201
        discuss(over.seats, over.moderator, over.organiser)
        spring = cup(live)
        staged(spring, published=True)
        clients = [*map(spring.player, (0, 1)), spring.moderator(), live.organiser]
        ann, ben, mo, staff = (Player(one, spring.id, "tournaments") for one in clients)
        again = discuss((ann, ben), mo, staff, "player")
        ruled(spring.by(live.judge), kind="penalty", player=0, points=1, case=again)
    return folder, UUID(match.id), UUID(case)


def discuss(
    parties: Sequence[Player], moderator: Player, organiser: Player, party: str = "seat"
) -> str:
    """A case in which everything is done that can be."""
    case = opened(parties[0])
    assert do(moderator, case, "parties", {party: 1}).status_code == 204
    assert say(parties[1], case, "It lay on the table.").status_code == 201
    assert close(moderator, case).status_code == 204
    assert appeal(parties[1], case).status_code == 204
    assert do(organiser, case, "publish").status_code == 204
    return case


@pytest.fixture
def folder(discussed: tuple[Path, UUID, UUID], tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(discussed[0], tmp_path / "store")
    return tmp_path / "store"


def case_list(folder: Path, match: UUID, reader: Viewer) -> UUID:
    """The stream of a list of the match's cases."""
    sqlite = {"PERSISTENCE_MODULE": "service.event_store.sqlite"}
    with reading(sqlite | {"SQLITE_DBNAME": str(folder / "arbiter.db")}) as store:
        secrets = decoded_secrets(store.head(match).secrets)
    assert secrets is not None
    return CaseLists(match, secrets.log_key).of(reader)


def test_cases_in_which_nothing_is_wrong_are_clean(folder: Path) -> None:
    status, found = report(folder)
    assert (status, found["status"], found["findings"]) == (0, "clean", [])
    assert (found["matches"], found["cases"]) == (2, 4)


def test_a_flipped_bit_in_a_case_is_found(folder: Path, discussed: tuple[Path, UUID, UUID]) -> None:
    _, _, case = discussed
    with rows_of(folder / "arbiter.db", case) as rows:
        rows.put(flipped(rows.all()[2], 400))
    assert ("digests", str(case), 6) in findings(folder)


def test_something_that_does_not_follow_is_found(
    folder: Path, discussed: tuple[Path, UUID, UUID]
) -> None:
    _, _, case = discussed
    database = folder / "arbiter.db"
    with rows_of(database, case) as rows:
        every = rows.all()
        # Someone closes it twice.
        rows.put(every[4]._replace(topic=every[3].topic, state=every[3].state))
    digest_anew(database, case)
    found = findings(folder)
    assert ("cases", str(case), 5) in found
    assert ("cases", str(case), None) in found, "the match was told of an appeal"


@pytest.mark.parametrize("reader", ["moderator", 0, 1, "public"])
def test_a_case_that_is_missing_on_a_list_is_found(
    folder: Path, discussed: tuple[Path, UUID, UUID], reader: Viewer
) -> None:
    _, match, case = discussed
    with rows_of(folder / "arbiter.db", case_list(folder, match, reader)) as rows:
        rows.delete_all()
        rows.forget_digest()
    assert {(part, stream) for part, stream, _ in findings(folder) if part == "cases"} == {
        ("cases", str(case))
    }


# Names that are withheld.


async def test_a_store_in_which_names_are_withheld_is_clean(
    instance: Instance, cup: UUID, database: Path
) -> None:
    match = await played(instance, cup)
    await settled(instance, cup)
    await instance.notary.checkpoint(match)
    await instance.notary.checkpoint(cup)
    alone = (await instance.creation.match(NewMatch("dollar-prize", ("Quentin", "Ben")))).id
    await instance.withheld_names.of_player(cup, 0)
    await instance.withheld_names.of_seat(alone, 0)
    status, found_there = await asyncio.to_thread(report, database.parent)
    assert (status, found_there["findings"], found_there["unjudged"]) == (0, [], [])
    for stream in (cup, match, alone):
        held = [bytes(state) for state in instance.store.states(stream)]
        assert not [state for state in held if b"Quentin" in state or b"\xa3Ann" in state]
