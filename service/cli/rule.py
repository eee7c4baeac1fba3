"""`arbiter rule`: a ruling on a match of a running service: asked for, previewed, and confirmed."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

import rich_click as click
from msgspec import UNSET, Struct
from rich.text import Text

from arbiter_client import (
    Arbiter,
    Disconnected,
    Match,
    Preview,
    ProblemError,
    Ruled,
    Stale,
)
from projections.disclosure import MODERATOR
from projections.event_numbers import Numbering
from projections.plain_text import Names, plain
from service.cli.audiences import served_seating
from service.cli.audit_output import timeline_numbering, timeline_table
from service.cli.audit_sources import Source, read_source
from service.cli.console import can_ask, command_line, out
from service.cli.ruling_fields import KINDS, REAPPLIED, Fields, body_of, option
from service.cli.ruling_output import (
    consequences,
    names_events,
    ordered,
    outcome_table,
    ruling_text,
)
from service.cli.service_connection import (
    LOCAL,
    connected_service,
    key_option,
    match_at,
    read_key,
    said_of,
    sentences,
    url_option,
)
from service.cli.typed_match import AtService

_RULING = re.compile(r"[A-Za-z0-9-]{1,64}")

STALE = "something has happened in the match since the preview, and nothing was ruled: try again"


class Asked(Struct, frozen=True):
    """What one of the commands needs: the match at a service, with the names of its seats, as it
    was typed, whether somebody can be asked, and how to find another match."""

    service: Arbiter
    id: str
    typed: Sequence[str]
    names: Names
    asks: bool
    yes: bool
    id_of: Callable[[str], str]

    @property
    def match(self) -> Match:
        """The match, by the key that is the service's now."""
        return self.service.match(self.id)

    def confirm(self, question: str) -> None:
        """Raises Abort if the answer is no."""
        if not self.yes:
            click.confirm(question, abort=True)


@click.command("rule")
@click.argument("match")
@click.argument("kind", type=click.Choice(KINDS), required=False)
@click.option("--reason", help="Why: everybody who sees the ruling reads it.")
@click.option("--rule", help="The rule of the game or of the event by which it is made.")
@click.option("--appeals", help="The id of the ruling about which it decides.")
@click.option("--case", help="The id of the case that it closes.")
@click.option("--ask-seats", is_flag=True, help="Every seat is asked; their consent will do.")
@click.option("--deadline", help="extend: the new deadline, like 2026-11-22T20:15:00Z.")
@click.option("--seconds", type=click.IntRange(1), help="extend: that many more.")
@click.option("--to", help="note: public, sealed (for moderators), or a seat.")
@click.option("--text", help="note: what it says.")
@click.option("--severity", help="note: clarification, warning or uphold.")
@click.option("--winner", multiple=True, help="result: who wins; may be repeated.")
@click.option("--loser", multiple=True, help="result: who loses. [default: all others]")
@click.option("--shared", is_flag=True, help="result: the winners share the victory.")
@click.option("--score", multiple=True, help="result: NAME=N, for each seat.")
@click.option("--because", help="result: forfeit or adjudicated.")
@click.option("--replaced-by", help="void: the match that is played instead.")
@click.option(
    "--before",
    metavar="N",
    help="rewind: a public event, p6 in the public's count or 8 in the moderators'.",
)
@click.option("--redraw", multiple=True, help="rewind: ID=OUTCOME, like setup=heads,tails.")
@click.option(
    "--strike",
    metavar="N",
    multiple=True,
    help="rewind: this action, by the moderators' number, shall not have been.",
)
@click.option(
    "--admit",
    metavar="N",
    multiple=True,
    help="rewind: this late action, by the moderators' number, shall count.",
)
@click.option("--reapply", type=click.Choice(REAPPLIED), help="rewind: judge what follows again.")
@click.option("--seat", help="replace-seat: whose seat.")
@click.option("--name", help="replace-seat: who takes it over.")
@click.option(
    "--has-looked-reason", help="replace-seat, --second: why somebody who has looked plays."
)
@click.option("--list", "listing", is_flag=True, help="Show the rulings of the match.")
@click.option("--second", metavar="ID", help="Carry out this pending ruling of somebody else.")
@click.option("--withdraw", metavar="ID", help="Give up this pending ruling.")
@click.option("--yes", is_flag=True, help="Do not ask whether to go on after the preview.")
@url_option(LOCAL, "The service, if MATCH is an id.")
@key_option
def rule(
    match: str,
    kind: str | None,
    listing: bool,
    second: str | None,
    withdraw: str | None,
    yes: bool,
    url: str,
    key_file: TextIO | None,
    **given: Any,
) -> None:
    """Rule on MATCH when something went wrong, by the key of a moderator or an organiser; what was
    not given is asked. What the ruling would change is shown before it is made.

    MATCH is the address of a match on a running service, like
    https://play.example.org/v1/matches/ID, its id, or the beginning of one. Exit status 0: done, or
    waiting for a second person; 1: refused; 2: not understood.
    """
    asks = can_ask()
    _check_one(kind, listing, second, withdraw, given)
    if not (listing or asks):
        _check_unasked(kind, second or withdraw, yes)
    typed = ["rule", match, *(["--url", url] if url != LOCAL else [])]
    place = AtService(match, url, read_key(key_file))
    address, own = match_at(place.address())
    with connected_service(address, place.key) as service:
        names = served_seating(service.match(own)).seats
        asked = Asked(
            service=service, id=own, typed=typed, names=names, asks=asks, yes=yes, id_of=place.id_of
        )
        if listing:
            for one in asked.match.rulings():
                out.print(ruling_text(one, asked.names))
        elif withdraw is not None:
            _withdraw(asked, withdraw)
        elif second is not None:
            _second(asked, second, given["has_looked_reason"])
        else:
            _rule(asked, kind, given)


def _made_mine(asked: Asked, refused: ProblemError) -> None:
    """Makes the key its holder's after this refusal, in one step. Raises it again for others, and
    where nobody can be asked."""
    if refused.code != "key_not_renewed":
        raise refused
    if not asked.asks:
        raise click.ClickException(
            f"{said_of(refused).message} {command_line('keys', 'renew')} does that."
        )
    out.print(Text(sentences(refused)), style="yellow")
    click.confirm("Make the key yours now? The old one ends", abort=True)
    new = asked.service.renew_key()
    out.print("Your key from now on, shown this once. Keep it:")
    out.print(Text(new), soft_wrap=True)


def _check_one(
    kind: str | None,
    listing: bool,
    second: str | None,
    withdraw: str | None,
    given: Mapping[str, Any],
) -> None:
    """Raises UsageError if more than one thing is asked for."""
    others = [listing, second is not None, withdraw is not None]
    if sum([kind is not None, *others]) > 1:
        raise click.UsageError("a KIND, or one of --list, --second and --withdraw")
    allowed = ("has_looked_reason",) if second is not None else ()
    fields = [one for one in given if one not in allowed and given[one] not in (None, (), False)]
    if fields and any(others):
        raise click.UsageError(f"{option(fields[0])} goes with a KIND")
    for ruling in (second, withdraw):
        if ruling is not None and not _RULING.fullmatch(ruling):
            raise click.UsageError(f"{ruling!r} is no id of a ruling")


def _check_unasked(kind: str | None, ruling: str | None, yes: bool) -> None:
    """Raises UsageError if a question would have to be asked, and there is no terminal."""
    if kind is None and ruling is None:
        raise click.UsageError(f"a KIND is needed where nobody can be asked: {', '.join(KINDS)}")
    if not yes:
        raise click.UsageError("--yes is needed where nobody can be asked")


# What is done.


def _rule(asked: Asked, kind: str | None, given: Mapping[str, Any]) -> None:
    fields = Fields(given, asked.names, asked.id_of, asks=asked.asks, asks_all=kind is None)
    if kind is None:
        kind = str(click.prompt("The kind of ruling", type=click.Choice(KINDS)))
    body = body_of(kind, fields)
    preview = _preview(asked, lambda: asked.match.preview(body))
    asked.confirm(f"Rule so ({kind})?")
    ruled = _carry_out(lambda: asked.match.rule(body, if_match=preview))
    _report(asked, ruled, seats_asked="ask_seats" in body)


def _second(asked: Asked, ruling: str, reason: str | None) -> None:
    _show(asked, ruling)
    more = {} if reason is None else {"has_looked_reason": reason}
    preview = _preview(asked, lambda: asked.match.preview_second(ruling, **more))
    asked.confirm("Carry it out?")
    ruled = _carry_out(lambda: asked.match.second(ruling, if_match=preview, **more))
    _report(asked, ruled, seats_asked=False)


def _withdraw(asked: Asked, ruling: str) -> None:
    _show(asked, ruling)
    asked.confirm("Give it up?")
    asked.match.withdraw(ruling)
    out.print("It is withdrawn.")


def _show(asked: Asked, ruling: str) -> None:
    """Shows what is seconded or withdrawn, if it is on the list."""
    for one in asked.match.rulings():
        if one.ruling == ruling:
            out.print(ruling_text(one, asked.names))
            out.print(ordered(one, asked.names))


def _preview(asked: Asked, previewed: Callable[[], Preview]) -> Preview:
    """Shows what would change."""
    try:
        preview = previewed()
    except ProblemError as refused:
        _made_mine(asked, refused)
        preview = previewed()
    out.print(outcome_table(preview, asked.names))
    source = _moderators_view(asked.match) if names_events(preview) else None
    known = Numbering() if source is None else timeline_numbering(source.entries)
    for text in consequences(preview, asked.names, known):
        out.print(text)
    if preview.undone and source is not None:
        undone = [one for one in source.entries if one.number in preview.undone]
        out.print(timeline_table(source, undone, known))
    return preview


def _moderators_view(match: Match) -> Source | None:
    """The match as moderators see it; None for an organiser, who is told numbers alone."""
    try:
        return read_source(match, MODERATOR)
    except ProblemError:
        return None


def _carry_out(ruled: Callable[[], Ruled]) -> Ruled:
    """Makes the ruling once, as it was previewed."""
    try:
        return ruled()
    except Stale:
        raise click.ClickException(STALE) from None
    except Disconnected as error:
        raise click.ClickException(
            f"the service has not answered ({plain(str(error))}): whether the ruling was made, "
            "--list tells"
        ) from None


def _report(asked: Asked, ruled: Ruled, *, seats_asked: bool) -> None:
    if ruled.status == "pending":
        out.print("It waits for a second person, for a day at the most.", style="yellow")
        out.print("Another moderator or organiser carries it out:")
        second = command_line(*asked.typed, "--second", ruled.ruling)
        out.print(Text(f"  {second}"), soft_wrap=True)
        if seats_asked:
            out.print("The consent of every seat will do instead: they have been asked.")
    elif ruled.n is None:
        out.print(Text(f"Carried out. It is not public, and has no number: {ruled.ruling}"))
    else:
        out.print(Text(f"Carried out as ruling {ruled.n}: {ruled.ruling}"))
    if ruled.key is None:
        out.print("The new key of the seat was in an answer that was lost: issue another one.")
    elif ruled.key is not UNSET:
        out.print("The new key of the seat, shown this once:")
        out.print(Text(ruled.key), soft_wrap=True)
