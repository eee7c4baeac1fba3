"""The seeds of a match: committed to before anything is known, added to by the seats, sealed at the
start, revealed at the end; and the draws that follow from them (`arbiter-rng/1`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from domain.chance import generator
from domain.chance.draws import Draw, Outcome
from domain.match.events import MatchCreated, SeedCommitted, SeedSealed
from domain.match.state import Epoch

LONGEST_SEED = 64
"""Maximum bytes of UTF-8 that a seat may add."""


def commit_seed(
    match_id: str,
    epoch: int,
    created: MatchCreated,
    seed: bytes,
    salts: Sequence[bytes],
    names: Sequence[str],
) -> SeedCommitted:
    """The commitment to a seed of 32 bytes, and to all that is fixed with it. `salts` are 16 bytes
    a seat, for the hash of its name in the roster; `names` are those for whom the match was
    created."""
    salted_names = list(zip(salts, names, strict=True))
    return SeedCommitted(
        epoch,
        generator.SCHEME,
        generator.commit(match_id, epoch, seed),
        match_rules_hash(created),
        generator.roster_hash(salted_names),
        tuple(generator.digest(salt, name) for salt, name in salted_names),
    )


def match_rules_hash(created: MatchCreated) -> bytes:
    """What is played, by which rules and options."""
    return generator.rules_hash(created.game, created.rules_version, compact(created.options))


def compact(options: Mapping[str, Any]) -> str:
    """Options as compact JSON with sorted keys."""
    return msgspec.json.encode(options, order="sorted").decode()


def seal_seed(match_id: str, epoch: Epoch) -> SeedSealed:
    """The transcript, when the seats can add nothing more."""
    seeds = {seat: seed.encode() for seat, seed in enumerate(epoch.seeds) if seed is not None}
    return sealing(match_id, epoch.committed, seeds)


def sealing(match_id: str, committed: SeedCommitted, seeds: Mapping[int, bytes]) -> SeedSealed:
    """The sealing of a seed to which the seats have added these: with it all is fixed
    from which the draws of the epoch follow."""
    clients = generator.clients(seeds)
    transcript = generator.transcript(
        match_id,
        committed.epoch,
        committed.commit,
        committed.rules_hash,
        committed.roster_hash,
        clients,
    )
    return SeedSealed(committed.epoch, clients, transcript)


def answer_draw(seed: bytes, transcript: bytes, epoch: int, draw: Draw) -> tuple[Outcome, bytes]:
    """The outcome of a draw and the commitment to its key: the same whenever it is computed."""
    name = generator.draw_name(epoch, draw.id)
    key = generator.draw_key(generator.master(seed, transcript), name)
    return generator.outcome(draw, key), generator.key_commit(name, key)
