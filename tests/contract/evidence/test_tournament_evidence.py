"""What proves a tournament over the wire: its bundle, its checkpoints, its players' receipts."""

from msgspec.structs import replace

from domain.proof.checkpoints import parse as parse_checkpoint
from domain.proof.notes import read
from domain.proof.receipts import parse, text
from projections.evidence.case import LOG, RECEIPTS, VerifierInputs, signed_for
from projections.evidence.verify import Report, verify
from service.composition.leading import unsigned
from tests.contract.tournaments.test_stages import NAMES, added, played, publish
from tests.support.http.evidence_client import keys
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, closed_cup, cup
from tests.support.servers.live_server import Client, Live
from tests.support.waiting import wait_until


def judged(spring: LiveCup, client: Client, as_: str | None = None, **saved: list[str]) -> Report:
    answer = client.get(f"{spring.path}/bundle", as_=as_)
    assert answer.status_code == 200, answer.text
    return verify(answer.content, VerifierInputs(keys(spring.live), **saved))


def test_a_cup_proves_itself_to_everyone_once_it_is_closed(live: Live) -> None:
    spring = cup(live, players=NAMES, moderators=["Mo"], garnets={"Ann": 3})
    added(spring, format="elimination", seeding="entry")
    seed = spring.player(2).post(f"{spring.path}/client-seeds", {"seed": "at home"})
    assert seed.status_code == 201
    [mine] = live.bearing(spring.players[2]).get(f"{spring.path}/receipts").json()["receipts"]
    note = read(mine["note"])
    said = parse(note.text)
    assert signed_for(RECEIPTS, keys(live), note)
    assert (str(said.subject), said.seat) == (f"tournament {spring.id}", 2)
    spring.post("stages/1/lots", {})
    for number in (1, 2):
        assert publish(spring).status_code == 201
        played(spring, number)
        wait_until(lambda: not unsigned(live.instance.index), failure=lambda: "it is not signed")
    for client in (live.anyone, spring.player(2), spring.moderator()):
        for what in ("bundle", "checkpoint"):
            answer = client.get(f"{spring.path}/{what}")
            assert_problem(answer, 409, "tournament_not_closed")
    early = live.organiser.get(f"{spring.path}/checkpoint").json()["note"]
    for what in ("stages/1/close", "close"):
        assert spring.post(what, {}).status_code == 201
    late = live.anyone.get(f"{spring.path}/checkpoint").json()["note"]
    assert signed_for(LOG, keys(live), read(late))
    sizes = [parse_checkpoint(read(one).text).size for one in (early, late)]
    assert sizes == sorted(sizes)
    checkpoints, receipts = [early, late], [mine["note"]]
    whole = judged(spring, live.organiser, checkpoints=checkpoints, receipts=receipts)
    assert (whole.finding, whole.sealed, whole.audience) == (None, 0, "moderator")
    own = judged(spring, spring.player(2), checkpoints=checkpoints, receipts=receipts)
    assert (own.finding, own.audience) == (None, "seat:2")
    public = judged(spring, live.anyone, checkpoints=[late])
    assert (public.finding, public.tournament, public.match) == (None, spring.id, None)


def test_each_reads_what_is_theirs(live: Live) -> None:
    spring = closed_cup(live)
    path = f"{spring.path}/bundle"
    assert_problem(spring.player(0).get(path, as_="seat:1"), 403, "not_allowed")
    assert_problem(live.anyone.get(path, as_="moderator"), 403, "not_allowed")
    assert_problem(live.organiser.get(path, as_="seat:9"), 422, "no_such_player")
    assert_problem(live.anyone.get(path, as_="Ann"), 400, "bad_audience")
    assert live.organiser.get(path, as_="public").content == live.anyone.get(path).content


def test_what_only_some_may_see_does_not_lengthen_the_log_until_something_public_comes(
    live: Live,
) -> None:
    spring = closed_cup(live)
    before = live.anyone.get(f"{spring.path}/bundle").content
    spring.post("garnets", {"player": 0, "amount": 2, "reason": "the best of the day"})
    assert live.anyone.get(f"{spring.path}/bundle").content == before
    assert spring.post("players/0/name", {"name": "Eve", "reason": "married"}).is_success
    assert len(live.anyone.get(f"{spring.path}/bundle").content) > len(before)


def test_a_receipt_that_says_otherwise_is_not_honoured(live: Live) -> None:
    spring = cup(live, players=["Ann", "Ben"], moderators=[])
    path = f"{spring.path}/players/0/withdrawal"
    for _ in range(2):
        assert spring.player(0).post(path, {"reason": "ill"}).status_code == 201
        assert spring.player(0).send("DELETE", path).status_code == 204
    notes = [
        one["note"] for one in spring.player(0).get(f"{spring.path}/receipts").json()["receipts"]
    ]
    assert judged(spring, live.organiser, receipts=notes).finding is None
    assert len(notes) == 4
    said = parse(read(notes[0]).text)
    other = replace(said, binding=replace(said.binding, commitment=bytes(32)))
    forged = live.instance.signer.receipt(text(other))
    report = judged(spring, live.organiser, receipts=[forged])
    assert report.finding is not None and report.finding.claim == "receipts"
