"""Matches in a data folder, and what users have saved of them outside the service."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from domain.proof.notes import verifier_key
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import Report, verify
from tests.support.http.match_play import play_out
from tests.support.servers.live_server import Answer, Live, LiveMatch, body_of, serving

SIDE = {"type": "choose_side", "side": "heads"}


@dataclass(frozen=True)
class Saved:
    """A match, and what a user has saved of it outside the service."""

    id: str
    keys: tuple[str, ...]
    moderator_key: str
    checkpoint: str = ""
    receipts: tuple[str, ...] = ()

    def at(self, live: Live) -> LiveMatch:
        return live.match(self.id, self.keys, self.moderator_key)


@dataclass(frozen=True)
class World:
    """A data folder. `over` has been played to its end, `running` has not; parts of both are
    signed, nothing of `bare` is."""

    folder: Path
    over: Saved
    running: Saved
    bare: Saved

    def copied(self, folder: Path) -> Path:
        return Path(shutil.copytree(self.folder, folder / "copy"))


def made(folder: Path) -> World:
    """Plays the matches of a world in the folder."""
    with serving(folder) as live:
        over = live.create("twelve-chips", options={"tokens_to_win": 1})
        seeds = [given(over, 0, seed) for seed in ("dice", "more dice")]
        over.moderator.start()
        refused = acted(over, 1, {"type": "take", "chip": 1})
        play_out(over)
        running = live.started("dollar-prize")
        acts = [acted(running, 0, SIDE), acted(running, 0, {"type": "place", "coin": "penny"})]
        bare = live.started("dollar-prize")
        sides = (acted(bare, 1, SIDE), acted(bare, 0, SIDE))
        return World(
            folder,
            saved(over, checkpoint(over), [*seeds, refused]),
            saved(running, checkpoint(running), acts),
            saved(bare, "", sides),
        )


def saved(match: LiveMatch, checkpoint: str, receipts: Sequence[str]) -> Saved:
    return Saved(match.id, match.keys, match.moderator_key, checkpoint, tuple(receipts))


def given(match: LiveMatch, seat: int, seed: str) -> str:
    sender = match.seats[seat]
    answer = sender.client.post(f"{sender.path}/client-seeds", {"seed": seed})
    assert answer.status_code == 201
    return str(answer.json()["receipt"]["note"])


def acted(match: LiveMatch, seat: int, action: object) -> str:
    return str(body_of(match.seats[seat].act(action), 201, 422)["receipt"]["note"])


def request_checkpoint(match: LiveMatch) -> Answer:
    return match.moderator.client.post(f"{match.moderator.path}/checkpoints")


def checkpoint(match: LiveMatch) -> str:
    return str(body_of(request_checkpoint(match), 201)["note"])


def bundle(match: LiveMatch) -> Answer:
    return match.moderator.client.get(f"{match.moderator.path}/bundle")


def exported(live: Live, one: Saved) -> bytes:
    answer = bundle(one.at(live))
    assert answer.status_code == 200, answer.text
    return answer.content


def judged(
    live: Live, one: Saved, checkpoints: Sequence[str] = (), receipts: Sequence[str] = ()
) -> Report:
    """The verifier's verdict on the bundle of a match, given what was saved of it."""
    keys = [verifier_key(key["key"]) for key in live.anyone.get("/v1/keys").json()["keys"]]
    return verify(exported(live, one), VerifierInputs(keys, checkpoints, receipts))
