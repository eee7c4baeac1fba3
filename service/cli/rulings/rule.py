"""`arbiter rule`: a ruling on a match of a running service: asked for, previewed, and confirmed."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

import rich_click as click
from msgspec import UNSET, Struct
from rich.text import Text

from arbiter_client import Arbiter, Disconnected, Match, Preview, ProblemError, Ruled, Stale
from projections.audience.disclosure import MODERATOR
from projections.audience.event_numbers import Numbering
from projections.texts.plain_text import Names, plain
from service.cli.audiences import served_seating
from service.cli.auditing.audit_output import timeline_numbering, timeline_table
from service.cli.auditing.audit_sources import read_source
from service.cli.console import can_ask, command_line, out
from service.cli.playing.typed_match import at_service
from service.cli.rulings.ruling_fields import KINDS, Fields, body_of, field_options, option
from service.cli.rulings.ruling_output import consequences, ordered, outcome_table, ruling_text
from service.cli.service_connection import (
    LOCAL,
    connected_service,
    key_option,
    said_of,
    url_option,
)

LOOKED = "has_looked_reason"
"""The one field that seconding takes, too."""


def ruling_id(text: str) -> str:
    """The id of a ruling."""
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", text):
        raise click.UsageError(f"{text!r} is no id of a ruling")
    return text


class RuleContext(Struct, frozen=True):
    """What the command needs: the match at a service, with the names of its seats, as it was typed,
    and whether someone can be asked."""

    service: Arbiter
    id: str
    typed: Sequence[str]
    names: Names
    asks: bool
    yes: bool

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
@field_options
@click.option("--list", "listing", is_flag=True, help="Show the rulings of the match.")
@click.option(
    "--second", type=ruling_id, metavar="ID", help="Carry out this pending ruling of somebody else."
)
@click.option("--withdraw", type=ruling_id, metavar="ID", help="Give up this pending ruling.")
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
    https://play.example.org/v1/matches/ID, or its id. Exit status 0: done, or
    waiting for a second person; 1: refused; 2: not understood.
    """
    asks = can_ask()
    other = second or withdraw or listing
    if sum(map(bool, (kind, listing, second, withdraw))) > 1:
        raise click.UsageError("a KIND, or one of --list, --second and --withdraw")
    fields = [name for name in given if given[name] and not (second and name == LOOKED)]
    if fields and other:
        raise click.UsageError(f"{option(fields[0])} goes with a KIND")
    if not (asks or kind or other):
        raise click.UsageError(f"a KIND is needed where nobody can be asked: {', '.join(KINDS)}")
    if not (asks or listing or yes):
        raise click.UsageError("--yes is needed where nobody can be asked")
    typed = ["rule", match, *(["--url", url] if url != LOCAL else [])]
    place = at_service(match, url, key_file)
    with connected_service(place.url, place.key) as service:
        own = str(place.id)
        names = served_seating(service.match(own)).seats
        asked = RuleContext(service, own, typed, names, asks=asks, yes=yes)
        if listing:
            for one in asked.match.rulings():
                out.print(ruling_text(one, asked.names))
        elif withdraw is not None:
            _show(asked, withdraw)
            asked.confirm("Give it up?")
            asked.match.withdraw(withdraw)
            out.print("It is withdrawn.")
        elif second is not None:
            _second(asked, second, given[LOOKED])
        else:
            _rule(asked, kind, given)


def _rule(asked: RuleContext, kind: str | None, given: Mapping[str, Any]) -> None:
    fields = Fields(given, asked.names, asks=asked.asks, asks_all=kind is None)
    if kind is None:
        kind = str(click.prompt("The kind of ruling", type=click.Choice(KINDS)))
    body = body_of(kind, fields)
    preview = _preview(asked, lambda: asked.match.preview(body))
    asked.confirm(f"Rule so ({kind})?")
    _carry_out(asked, lambda: asked.match.rule(body, if_match=preview), "ask_seats" in body)


def _second(asked: RuleContext, ruling: str, reason: str | None) -> None:
    _show(asked, ruling)
    more = {} if reason is None else {LOOKED: reason}
    preview = _preview(asked, lambda: asked.match.preview_second(ruling, **more))
    asked.confirm("Carry it out?")
    _carry_out(asked, lambda: asked.match.second(ruling, if_match=preview, **more))


def _show(asked: RuleContext, ruling: str) -> None:
    """Shows what is seconded or withdrawn, if it is on the list."""
    for one in asked.match.rulings():
        if one.ruling == ruling:
            out.print(ruling_text(one, asked.names))
            out.print(ordered(one, asked.names))


def _preview(asked: RuleContext, previewed: Callable[[], Preview]) -> Preview:
    """Shows what would change."""
    try:
        preview = previewed()
    except ProblemError as refused:
        if refused.code != "key_not_renewed":
            raise
        renewing = command_line("keys", "renew")
        raise click.ClickException(f"{said_of(refused).message} {renewing} does that.") from None
    out.print(outcome_table(preview, asked.names))
    entries = []
    if preview.undone or preview.misfit or any(one.events for one in preview.learnt):
        try:
            entries = list(read_source(asked.match, MODERATOR).entries)
        except ProblemError:
            entries = []  # An organiser is told numbers alone.
    known = timeline_numbering(entries) if entries else Numbering()
    for text in consequences(preview, asked.names, known):
        out.print(text)
    undone = [one for one in entries if one.number in preview.undone]
    if undone:
        out.print(timeline_table(asked.names, undone, known))
    return preview


def _carry_out(
    asked: RuleContext, carried_out: Callable[[], Ruled], seats_asked: bool = False
) -> None:
    """Makes the ruling once, as it was previewed, and says what has become of it."""
    try:
        ruled = carried_out()
    except Stale:
        raise click.ClickException(
            "something has happened in the match since the preview, and nothing was ruled: "
            "try again"
        ) from None
    except Disconnected as error:
        raise click.ClickException(
            f"the service has not answered ({plain(str(error))}): whether the ruling was made, "
            "--list tells"
        ) from None
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
