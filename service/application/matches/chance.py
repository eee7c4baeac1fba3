"""The service's part in chance: commit to a seed, answer draws from it, and reveal it."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from domain.chance import generator, seeds
from domain.chance.draws import Draw
from domain.match.commands import CommitSeed, RevealSeed, SettleDraw
from domain.match.events import MatchCreated
from domain.match.state import Match
from service.event_store.integrity.digests import RecordAltered
from service.event_store.secret_store import DAMAGED, MatchSecrets, SeedStored


def commit_seed(
    match_id: str, created: MatchCreated, names: Sequence[str], seed_row: SeedStored
) -> CommitSeed:
    """The command that commits to the first seed; the service cannot choose another one later.
    `names` are those for whom the match was created; their salts are given with it."""
    commitment = seeds.commit_seed(
        match_id, seed_row.epoch, created, seed_row.seed, seed_row.salts, names
    )
    return CommitSeed(commitment, seed_row.salts)


def commit_next(match: Match, seed_row: SeedStored) -> CommitSeed:
    """The same of a later epoch. What it commits to besides its seed is that of the epoch before,
    though a name may be withheld since."""
    assert match.epoch is not None, "a rewind has undone its draws"
    commit = generator.commit(match.id, seed_row.epoch, seed_row.seed)
    return CommitSeed(replace(match.epoch.committed, epoch=seed_row.epoch, commit=commit))


def check_seed(secrets: MatchSecrets, match: Match) -> None:
    """Raises RecordAltered unless the seed of the latest epoch is the one that the match committed
    to: what a damaged one draws is fair to no one, and no verifier accepts it."""
    if match.epoch is None:
        return
    commitment = match.epoch.committed
    seed = next(
        (seed_row.seed for seed_row in secrets.seeds if seed_row.epoch == commitment.epoch), b""
    )
    if generator.commit(match.id, commitment.epoch, seed) != commitment.commit:
        raise RecordAltered(UUID(match.id), DAMAGED)


def answer_draw(secrets: MatchSecrets, match: Match, draw: Draw) -> SettleDraw:
    """The answer to a draw. It is deterministic: computing it again gives the same outcome."""
    epoch = match.epoch
    assert epoch is not None and epoch.transcript is not None, "draws come after the sealing"
    number = epoch.committed.epoch
    seed = seed_of(secrets, number).seed
    return SettleDraw(*seeds.answer_draw(seed, epoch.transcript, number, draw))


def seed_of(secrets: MatchSecrets, epoch: int) -> SeedStored:
    """The stored seed of an epoch."""
    return next(seed_row for seed_row in secrets.seeds if seed_row.epoch == epoch)


def seeds_to_reveal(secrets: MatchSecrets, match: Match) -> list[RevealSeed]:
    """The seeds to reveal now: all of them once the match is over, none before."""
    if not match.over or match.epoch is None or match.epoch.revealed:
        return []
    last = match.epoch.committed.epoch
    return [
        RevealSeed(seed_row.epoch, seed_row.seed)
        for seed_row in secrets.seeds
        if seed_row.epoch <= last
    ]
