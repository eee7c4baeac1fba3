"""A show of sixteen over HTTP, from the first main match to the champion. Its bundle is judged as
it is, and after changes by an operator who has every key of the service."""

from functools import partial
from random import Random
from uuid import UUID

import pytest

from domain.encoding import encode
from domain.proof.checkpoints import text as checkpoint_text
from domain.tournament.events import GarnetsPosted, MatchSettled
from domain.tournament.stage_events import LotsDrawn, PlayerEliminated, StageClosed
from projections.audience.disclosure import MODERATOR
from projections.evidence.archive import match_in, pack, unpack
from projections.evidence.bundle import TournamentLog, bundle
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from tests.contract.tournaments.test_stages import live_match
from tests.support.evidence.forged_bundles import outcome
from tests.support.evidence.tournament_bundles import Change
from tests.support.evidence.tournament_forgeries import each_pairing, edit, turned, won_by_other
from tests.support.http.evidence_client import keys
from tests.support.http.match_play import play_out
from tests.support.http.tournament_client import LiveCup, cup, publish, shown_round, staged
from tests.support.servers.live_server import Json, Live, LiveMatch, body_of
from tests.support.waiting import wait_until

NAMES = [f"Player no. {number}" for number in range(16)]
CHOICE_HOURS = 0.003
"""About eleven seconds: in the first episode the candidate chooses, afterwards lots do."""
SETTINGS: Json = {"published": False, "round": {"start": "at_once"}, "moderators": "all"}
FINAL: Json = {"format": "elimination", "best_of": 3, "entrants": {"stage": 1, "places": [1, 2]}}


FORGERIES: dict[str, tuple[Change, str]] = {
    "nothing": (list, "matches sealed+results sealed"),
    "a result": (edit(MatchSettled, 0, result=won_by_other), "results"),
    "who goes home": (edit(PlayerEliminated, player=99), "results"),
    "a pairing": (each_pairing(lambda one: {"players": one.players[::-1]}, 4), "pairings"),
    "a lot": (edit(LotsDrawn, 0, outcome=turned("outcome")), "lots"),
    "a place": (edit(StageClosed, places=turned("places")), "standings"),
    "a posting": (edit(GarnetsPosted, 40, amount=lambda one: one.amount + 1), "postings"),
}


def by_luck(match: LiveMatch, luck: Random, without: str = "") -> None:
    """Bots play a match with sealed phases by their menus, and send nothing that has the field
    `without`. The moderator closes a phase that does not end by what they have sent."""
    while (seen := match.moderator.view().json())["status"] == "running":
        for seat in seen["awaiting"]["seats"]:
            if entries := match.seats[seat].menu().json()["actions"]:
                examples = [one for one in luck.choice(entries)["examples"] if not one.get(without)]
                body_of(match.seats[seat].act(luck.choice(examples)), 201)
        after = match.moderator.view().json()
        if after["status"] == "running" and after["awaiting"] == seen["awaiting"]:
            body_of(match.moderator.close_phase(), 201)


def played(show: LiveCup, stage: int, number: int, luck: Random) -> bool:
    """Plays what runs of a round; whether it is closed. In the first main match no one votes off
    the stage, so that all of group A are immune, and one of group B is the only candidate."""
    one = shown_round(show, stage, number)
    episode = one["show"] or {"death": [], "choice_until": None}
    rows = {row["match"]: row for row in show.shown()["matches"]}
    for match in [*one["pairings"][0]["matches"], *episode["death"]]:
        if rows[match]["status"] == "running":
            table = live_match(show, match, rows[match]["players"])
            if rows[match]["game"] == "together":
                by_luck(table, luck, without="a" if number == 1 else "")
            elif rows[match]["game"] == "grouping-bw":
                by_luck(table, luck)
            else:
                play_out(table)
    if number == 1 and episode["choice_until"] is not None:
        spared = {episode["chooser"], *episode["immune"]}
        other = next(player for player in one["pairings"][0]["players"] if player not in spared)
        path = f"{show.path}/stages/{stage}/rounds/{number}/opponent"
        body_of(show.player(episode["chooser"]).post(path, {"player": other}), 201)
    return bool(one["status"] == "closed")


def purses(show: LiveCup) -> dict[int, int]:
    rows = show.ledger().json()["balances"]
    return {row["player"]: row["garnets"] for row in rows if row["account"] == "player"}


def episodes(show: LiveCup, luck: Random) -> list[Json]:
    """Plays the show until two are left. Each brings a garnet into Together, which needs four."""
    seen: list[Json] = []
    while body_of(show.live.anyone.get(f"{show.path}/stages/1"), 200)["status"] != "closed":
        number, order = len(seen) + 1, body_of(show.post("stages/1/lots", {}), 201)["order"]
        brought = [min(1, purses(show).get(player, 0)) for player in order]
        together: Json = {"game": "together", "options": {"garnets": brought}}
        publish(show, 1, main=together if len(order) > 3 else {"game": "liars-dice"})
        wait_until(partial(played, show, 1, number, luck), 60)
        seen.append(shown_round(show, 1, number)["show"])
    return seen


def forged(show: LiveCup, honest: bytes, change: Change) -> bytes:
    """The bundle of staff after a change, signed anew with the keys of the service."""
    signer, read = show.live.instance.signer, show.live.instance.notary.read(UUID(show.id))
    log = TournamentLog(show.id, [encode(one) for one in change(list(read.records))], read.key)
    files = unpack(honest).items()
    inside = {match: part for name, part in files if (match := match_in(name)) is not None}
    note = signer.log(checkpoint_text(log.checkpoint()))
    return bundle(log, MODERATOR, note, signer.log, signer.receipt, inside)


def spoilt(part: bytes, luck: Random) -> bytes:
    """The same with another byte somewhere."""
    index = luck.randrange(len(part))
    return part[:index] + bytes([part[index] ^ luck.randrange(1, 256)]) + part[index + 1 :]


@pytest.mark.slow(because="bots play about 32 matches with twelve thousand requests")
def test_a_show_of_sixteen_is_proven_by_its_bundle(live: Live) -> None:
    luck, garnets = Random(1), dict.fromkeys(NAMES, 2)
    show = cup(live, players=NAMES, moderators=["Mo"], garnets=garnets)
    staged(show, format="show", match={}, choice_hours=CHOICE_HOURS, **SETTINGS)
    seen = episodes(show, luck)
    gone = [one["eliminated"] for one in seen if one["eliminated"] is not None]
    assert len(set(gone)) == 14
    assert None not in (seen[0]["opponent"], seen[-1]["opponent"])
    assert not any(purses(show).get(player) for player in gone)
    staged(show, **SETTINGS | FINAL)
    publish(show, 2)
    wait_until(partial(played, show, 2, 1, luck), 60)
    places = body_of(show.post("stages/2/close", {}), 201)["places"]
    assert body_of(show.post("close", {}), 201)["champions"] == places[:1]
    proven(show, live.organiser.get(f"{show.path}/bundle").content, luck)


def proven(show: LiveCup, honest: bytes, luck: Random) -> None:
    """The bundle holds, and each change of it is named."""
    trusted = VerifierInputs(keys(show.live))
    for name, (change, claim) in FORGERIES.items():
        assert outcome(verify(forged(show, honest, change), trusted)) == claim, name
    assert forged(show, honest, list) == honest
    for _ in range(8):
        assert outcome(verify(spoilt(honest, luck), trusted)) == "container"
    parts = unpack(honest)
    for name, part in parts.items():
        packed = pack({**parts, name: spoilt(part, luck)})
        assert outcome(verify(packed, trusted)) in ("container", "signatures", "checkpoints"), name
