"""Checks chance: every draw is derived again from the revealed seed."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from domain.chance import generator, seeds
from domain.chance.draws import Draw
from domain.events import Event
from domain.games import rules_of
from domain.match.events import (
    AwaitingChanged,
    ClientSeedGiven,
    DrawAsked,
    DrawSettled,
    MatchCreated,
    NameSalted,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeatNamed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)
from domain.rulings.events import MatchRewound
from projections.evidence.case import JudgedBundle, Said, Wrong

SEED_BYTES, NAME_SALT_BYTES = 32, 16
SEEDS = (SeedCommitted, NameSalted, ClientSeedGiven, SeedSealed, SeedRevealed, SealedSeedRevealed)


class SettledDraw(Struct, frozen=True):
    """A settled draw, its index, and what was asked; None if that is sealed."""

    index: int
    event: DrawSettled | SealedDrawSettled
    asked: Draw | None


class EpochChance(Struct):
    """The chance of one epoch: what was committed to, added, sealed and revealed, and its draws."""

    committed: SeedCommitted
    clients: dict[int, bytes] = {}
    salts: dict[int, bytes] = {}
    sealed: SeedSealed | None = None
    seed: bytes | None = None
    drawn: list[SettledDraw] = []


def _by_hand(case: JudgedBundle) -> bool:
    """Whether draws were entered by hand. Raises Wrong if there are seeds nevertheless."""
    if case.created.chance != "manual":
        return False
    after_rewind = False
    for index, event in case.events:
        after_rewind = after_rewind or isinstance(event, MatchRewound)
        if isinstance(event, SEEDS):
            raise Wrong(f"event {index} is of a seed, where draws are entered by hand")
        by = event.by if isinstance(event, DrawSettled | SealedDrawSettled) else "manual"
        if by == "server" or (by == "ruling" and not after_rewind):
            raise Wrong(f"event {index} is no draw entered by hand")
    return True


def draws(case: JudgedBundle) -> Said:
    """Every draw whose seed is revealed to this audience has the outcome that follows from it."""
    if _by_hand(case):
        return "MANUAL", "draws were entered by hand: nothing derives them"
    epochs = _epochs(case)
    if not epochs:
        raise Wrong("no seed was committed to")
    _check_revealed(epochs)
    derived_count, unseen, names = 0, 0, _first_names(case)
    for epoch in epochs:
        _check_epoch(case.id, case.created, names, epoch)
        if epoch.committed.names != epochs[0].committed.names:
            raise Wrong(f"epoch {epoch.committed.epoch}: the names are others than in epoch 0")
        for draw in epoch.drawn:
            is_checked = _check_draw(epoch, draw)
            derived_count, unseen = derived_count + is_checked, unseen + (not is_checked)
    text, unknown = f"{derived_count:,} draws come out as recorded", _open(case, epochs, unseen)
    return ("PASS", text) if unknown is None else ("SEALED", f"{text}; {unknown}")


def _open(case: JudgedBundle, epochs: Iterable[EpochChance], unseen: int) -> str | None:
    """Why some draws could not be derived again."""
    if any(epoch.seed is None for epoch in epochs):
        return "a seed is not revealed to this audience"
    if unseen:
        return f"of {unseen} draws it is not opened what was asked"
    if any(isinstance(event, NameSalted | SeatNamed) for event in _withheld(case)):
        return "a name is withheld, which the hash of the roster commits to"
    return "draws may be sealed" if case.sealed and _hides(case) else None


def _check_revealed(epochs: Iterable[EpochChance]) -> None:
    """Raises Wrong if some seeds are revealed and others are not."""
    if any(epoch.seed is not None for epoch in epochs):
        for epoch in epochs:
            if epoch.seed is None:
                raise Wrong(f"epoch {epoch.committed.epoch}: the seed is not revealed with others")


def _hides(case: JudgedBundle) -> bool:
    """Whether a sealed event may be a draw."""
    try:
        return rules_of(case.created).hides_draws
    except KeyError:
        return True


def _epochs(case: JudgedBundle) -> list[EpochChance]:
    """What the record says of chance, epoch by epoch. A rewind that ends the match itself, by the
    inputs that it judges again, begins none."""
    epochs: list[EpochChance] = []
    begins, withheld = True, case.withheld
    draw_announced: AwaitingChanged | None = None
    draw_asked: DrawAsked | None = None
    for index, record in case.events:
        match record:
            case AwaitingChanged():
                draw_announced = record
            case DrawAsked():
                draw_asked = record
            case MatchRewound():
                begins = True
            case SeedCommitted():
                if not begins or record.epoch != len(epochs):
                    raise Wrong(f"event {index} begins a new epoch, and nothing was rewound")
                epochs.append(EpochChance(record, {}, {}, drawn=[]))
                begins = False
            case DrawSettled() | SealedDrawSettled() if epochs:
                if begins:
                    raise Wrong(f"event {index} settles a draw from the seed of another branch")
                epochs[-1].drawn.append(
                    SettledDraw(index, record, _draw_of(index, record, draw_announced, draw_asked))
                )
            case _ if not (isinstance(record, NameSalted) and index in withheld):
                _note_seed(index, record, epochs)
    return epochs


def _first_names(case: JudgedBundle) -> Mapping[int, str]:
    """The names of those for whom the match was created, by seat."""
    names, withheld = dict[int, str | None](), case.withheld
    for index, event in case.events:
        if isinstance(event, SeatNamed):
            names.setdefault(event.seat, None if index in withheld else event.name)
    return {seat: name for seat, name in names.items() if name is not None}


def _withheld(case: JudgedBundle) -> Iterator[Event]:
    return (event for index, event in case.events if index in case.withheld)


def _note_seed(index: int, event: Event, epochs: list[EpochChance]) -> None:
    if not isinstance(event, SEEDS) or isinstance(event, SeedCommitted):
        return
    if not epochs:
        raise Wrong(f"event {index} is of a seed that nobody has committed to")
    last = epochs[-1]
    match event:
        case ClientSeedGiven() | NameSalted() | SeedSealed():
            _note_before_start(index, event, last)
        case SeedRevealed(epoch, seed) | SealedSeedRevealed(epoch, seed):
            if not 0 <= epoch < len(epochs) or epochs[epoch].seed is not None:
                raise Wrong(f"event {index} reveals a seed that cannot be revealed")
            epochs[epoch].seed = seed


def _note_before_start(
    index: int, event: ClientSeedGiven | NameSalted | SeedSealed, last: EpochChance
) -> None:
    """Events that can only happen before the seed is sealed, and the sealing."""
    if last.sealed is not None:
        raise Wrong(f"event {index} comes after the seed was sealed")
    match event:
        case ClientSeedGiven(seat, seed):
            last.clients[seat] = seed.encode()
        case NameSalted(seat, salt):
            if seat in last.salts or last.committed.epoch:
                raise Wrong(f"event {index} salts a name once more")
            last.salts[seat] = salt
        case SeedSealed():
            if event.epoch != last.committed.epoch:
                raise Wrong(f"event {index} seals the seed of another epoch")
            last.sealed = event


def _draw_of(
    index: int,
    settlement: DrawSettled | SealedDrawSettled,
    draw_announced: AwaitingChanged | None,
    draw_asked: DrawAsked | None,
) -> Draw | None:
    """The draw that was asked for, as far as this audience may see it."""
    if isinstance(settlement, SealedDrawSettled):
        if draw_asked is None or draw_asked.id != settlement.id:
            raise Wrong(f"event {index} settles a draw that nobody has asked for")
        return Draw(draw_asked.id, draw_asked.parts)
    awaited = None if draw_announced is None else draw_announced.draw
    if awaited is None or awaited.id != settlement.id or awaited.parts is None:
        raise Wrong(f"event {index} settles a draw that nobody has asked for")
    return Draw(awaited.id, awaited.parts)


def _check_epoch(
    match_id: str, created: MatchCreated, names: Mapping[int, str], epoch: EpochChance
) -> None:
    """`names` are those for whom the match was created, as far as they can be read."""
    commitment, number = epoch.committed, epoch.committed.epoch
    if commitment.scheme != generator.SCHEME:
        raise Wrong(f"epoch {number}: the scheme {commitment.scheme} is not known")
    if commitment.rules_hash != seeds.match_rules_hash(created):
        raise Wrong(f"epoch {number}: the hash of the rules is another")
    roster = generator.digest("arbiter-rng/1/roster", *commitment.names)
    if len(commitment.names) != created.seats or commitment.roster_hash != roster:
        raise Wrong(f"epoch {number}: the hash of the roster is another")
    for seat, salt in epoch.salts.items():
        name = names.get(seat)
        name_hash = commitment.names[seat] if name is None else generator.digest(salt, name)
        if len(salt) != NAME_SALT_BYTES or commitment.names[seat] != name_hash:
            raise Wrong(f"epoch {number}: the name of seat {seat} is not the one committed to")
    _check_sealed(match_id, epoch)
    if epoch.seed is not None:
        commit = generator.commit(match_id, number, epoch.seed)
        if len(epoch.seed) != SEED_BYTES or commit != commitment.commit:
            raise Wrong(f"epoch {number}: the seed revealed is not the one committed to")
    ids = set[str]()
    for draw in epoch.drawn:
        if draw.event.id in ids:
            raise Wrong(f"event {draw.index}: a draw of this id was settled before")
        ids.add(draw.event.id)


def _check_sealed(match_id: str, epoch: EpochChance) -> None:
    number = epoch.committed.epoch
    if epoch.sealed is None:
        if epoch.drawn:
            raise Wrong(f"epoch {number}: there are draws, and the seed was never sealed")
        return
    if epoch.sealed != seeds.sealing(match_id, epoch.committed, epoch.clients):
        raise Wrong(f"epoch {number}: what was sealed is not what was committed to and added")


def _check_draw(epoch: EpochChance, draw: SettledDraw) -> bool:
    """Whether a draw could be derived again. Raises Wrong if the outcome differs."""
    settlement = draw.event
    if settlement.by != "server":
        raise Wrong(f"event {draw.index} was entered by hand, where the service draws")
    if draw.asked is None or epoch.sealed is None or epoch.seed is None:
        return False
    number = epoch.committed.epoch
    outcome, commit = seeds.answer_draw(epoch.seed, epoch.sealed.transcript, number, draw.asked)
    if settlement.outcome != outcome or settlement.key_commit != commit:
        name = generator.draw_name(number, settlement.id)
        raise Wrong(f"event {draw.index}: the draw {name} comes out otherwise")
    return True
