"""Checks the receipts of a tournament's players: what was acknowledged is in the log, as it was,
and so is all that the player had been told by then."""

from collections.abc import Iterator

from msgspec.structs import replace

from domain.proof.commitments import hash_of_leaf
from domain.proof.receipts import Binding, ReceiptText
from domain.proof.seen import seen
from domain.tournament.stage_events import TournamentClosed
from projections.audience.disclosure import MODERATOR
from projections.evidence.case import JudgedBundle, Said, Wrong
from projections.evidence.saved_notes import BESIDES, has_key, said_by, saved_note
from projections.evidence.tournament_log import PlayerInput, Stored, player_inputs


def receipts(case: JudgedBundle) -> Said:
    """Checks every receipt, in the bundle or given besides, and that none is missing."""
    events = (None if one is None else one.event for one in case.records)
    closed = any(isinstance(event, TournamentClosed) for event in events)
    if closed != (case.seen_key is not None):
        raise Wrong("the key of what was seen is there exactly when the tournament is closed")
    inputs = player_inputs(case.id, _stored(case))
    _check_listed(case, inputs)
    saved = list(map(saved_note, case.inputs.receipts))
    count = len(case.receipts) + len(saved)
    if not count:
        return "PASS", "there are none in the bundle, and none were given"
    if not has_key(case):
        return "SEALED", f"no key of receipts was given: {count:,} are not judged"
    said = [said_by(case, one, BESIDES) for one in saved]
    for one in said:
        _check_saved(case, inputs, one)
    honoured = f"{count:,} receipts are honoured"
    if closed and all(_opened(case, one.seat) for one in said):
        return "PASS", honoured
    return "SEALED", f"{honoured}, but what their players had been told cannot be shown"


def _stored(case: JudgedBundle) -> Iterator[Stored]:
    for line, leaf, record in zip(case.lines, case.leaves, case.records, strict=True):
        yield record, leaf.p if isinstance(leaf.p, bytes) else b"", hash_of_leaf(line)


def _check_listed(case: JudgedBundle, inputs: list[PlayerInput]) -> None:
    """Checks that the bundle has exactly one for each input of its audience, in order."""
    audience = case.manifest.audience
    due = [one for one in inputs if audience in (MODERATOR, one.player)]
    for place, found in enumerate(case.receipts):
        said = said_by(case, found, "")
        if place == len(due):
            raise Wrong("there is a receipt too many")
        _check(case, due[place], said)
    if len(case.receipts) < len(due):
        raise Wrong(f"there is no receipt for event {due[len(case.receipts)].index}")


def _check_saved(case: JudgedBundle, inputs: list[PlayerInput], said: ReceiptText) -> None:
    fitting = [
        one
        for one in inputs
        if (one.player, one.commitment) == (said.seat, said.binding.commitment)
    ]
    if not fitting:
        raise Wrong(
            f"the receipt{BESIDES} of player {said.seat} for their event {said.count} is for "
            "something that is not in the log: it has been dropped"
        )
    # Equal events at one instant have one commitment.
    if all(_differing(case, one, said) is not None for one in fitting):
        _check(case, fitting[0], said)


def _check(case: JudgedBundle, one: PlayerInput, said: ReceiptText) -> None:
    other = _differing(case, one, said)
    if other is not None:
        whose = f"the receipt of player {said.seat}"
        raise Wrong(f"{whose} says another {other} than event {one.index}")


def _differing(case: JudgedBundle, one: PlayerInput, said: ReceiptText) -> str | None:
    """The first field in which a receipt differs from what the log says of an input."""
    bound = said.binding
    opened = _opened(case, one.player)
    told = bound.seen
    if case.seen_key is not None and opened:
        told = seen(case.seen_key, bound.nonce, one.chain)
    wanted = Binding(one.commitment, one.seed_committed, bound.nonce, told)
    given = one.receipt(case.manifest.subject, wanted)
    if not opened:
        given = replace(given, count=said.count)
    fields = ReceiptText.__struct_fields__
    other = next((name for name in fields if getattr(given, name) != getattr(said, name)), None)
    if other != "binding":
        return other
    return next(
        name for name in Binding.__struct_fields__ if getattr(wanted, name) != getattr(bound, name)
    )


def _opened(case: JudgedBundle, player: object) -> bool:
    """Whether all that a player may see is opened."""
    return case.manifest.audience in (MODERATOR, player)
