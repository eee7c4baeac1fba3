"""`arbiter rule`: a ruling on a match of a running service: asked for, previewed, and confirmed;
and how previews, rulings and what has become of them are printed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TextIO

import msgspec
import rich_click as click
from msgspec import UNSET, Struct
from rich.table import Table
from rich.text import Text

from arbiter_client import (
    Arbiter,
    Disconnected,
    Match,
    Preview,
    ProblemError,
    Result,
    Ruled,
    RulingRow,
    Stale,
    Standing,
)
from projections.audience.disclosure import MODERATOR
from projections.audience.event_numbers import Numbering, cited
from projections.texts.plain_text import Names, person, plain
from service.cli.audiences import called, served_seating
from service.cli.auditing.audit_output import listing, timeline_numbering, timeline_table
from service.cli.auditing.audit_sources import read_source
from service.cli.console import can_ask, command_line, out
from service.cli.playing.typed_match import at_service
from service.cli.rulings.ruling_fields import KINDS, Fields, body_of, field_options, option
from service.cli.service_connection import LOCAL, connected_service, key_option, said_of, url_option


def ruling_text(ruling: RulingRow, names: Names) -> Text:
    """What was ruled, what has become of it, by whom and why; its id, if that is shown."""
    number = "" if ruling.n is None else str(ruling.n)
    at = ruling.at.replace(tzinfo=None).isoformat(" ")
    to = "" if ruling.to == "public" else f" to {called(ruling.to, names)}"
    by = ", ".join("a key without a name" if name is None else plain(name) for name in ruling.by)
    status = plain(ruling.status.replace("_", " ")) + (f", by {by}" if by else "")
    text = Text(f"{number:>3}  {at}  ").append(f"{plain(ruling.kind)}{to}: ", style="bold")
    text.append(f"{status}\n     {plain(ruling.reason)}")
    return text.append(f"\n     {plain(ruling.ruling)}" if ruling.ruling else "", style="dim")


def order_text(ruling: RulingRow, names: Names) -> Text:
    """What a ruling orders, field by field; nothing if that is not shown."""
    return Text("\n".join(f"{plain(k)}: {_value(k, v, names)}" for k, v in ruling.ordered.items()))


def outcome_table(preview: Preview, names: Names) -> Table | Text:
    """Result and standings before and after."""
    rows = list(_outcomes(preview, names))
    if all(before == after for _, before, after in rows):
        return Text("The result and the standings stay as they are.")
    table = listing("", "before", "after")
    for what, before, after in rows:
        table.add_row(Text(what), Text(before), Text(after), style="" if before != after else "dim")
    return table


def consequences(preview: Preview, names: Names, numbering: Numbering) -> Iterator[Text]:
    """What would be undone, what does not fit any more, and what seats have learned and keep.
    Events are named by the public's numbers that are known, then as moderators count."""
    if preview.undone:
        undone = _numbers(preview.undone, numbering)
        yield Text(f"Undone: {undone}, as moderators count", style="bold")
    if preview.misfit is not None:
        number = cited(preview.misfit.seq, preview.misfit.public_seq)
        misfit = f"event {number}: {plain(preview.misfit.code)}"
        yield Text(f"The first later input that is not legal any more: {misfit}", style="yellow")
    for seat, events in ((learnt.seat, learnt.events) for learnt in preview.learnt):
        if events:
            who, learnt_events = person(seat, names), _numbers(events, numbering)
            yield Text(f"What {who} has received since, and keeps: {learnt_events}", style="yellow")


def result_text(result: Result | None, names: Names) -> str:
    """Who wins, and with which scores."""
    if result is None:
        return "none"
    who = ", ".join(person(seat, names) for seat in result.winners) or "nobody"
    how = "share the victory" if result.shared else "wins" if len(result.winners) < 2 else "win"
    scores = ", ".join(f"{person(seat, names)} {n}" for seat, n in enumerate(result.scores))
    return f"{who} {how}; {scores}"


def _outcomes(preview: Preview, names: Names) -> Iterator[tuple[str, str, str]]:
    before, after = preview.before, preview.after
    yield "result", result_text(before.result, names), result_text(after.result, names)
    earlier = {row.player: row for row in before.standings or ()}
    later = {row.player: row for row in after.standings or ()}
    for player in {**earlier, **later}:
        row = earlier.get(player) or later[player]
        yield plain(row.name), _tally(earlier.get(player)), _tally(later.get(player))


def _tally(row: Standing | None) -> str:
    if row is None:
        return "none"
    return f"{row.played} played: {row.won} won, {row.shared} shared, {row.lost} lost"


def _numbers(events: Sequence[int], numbering: Numbering) -> str:
    noun = "event" if len(events) == 1 else "events"
    return f"{noun} {', '.join(map(numbering.cited, events))}"


def _value(name: str, value: Any, names: Names) -> str:
    if name == "seat" and isinstance(value, int):
        return person(value, names)
    if name == "to" and isinstance(value, str):
        return called(value, names)
    if name == "result" and value is not None:
        return result_text(msgspec.convert(value, Result), names)
    return plain(value if isinstance(value, str) else msgspec.json.encode(value).decode())


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
    "--second",
    type=ruling_id,
    metavar="ID",
    help="Carry out this pending ruling of another person.",
)
@click.option("--withdraw", type=ruling_id, metavar="ID", help="Withdraw this pending ruling.")
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
    **options: Any,
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
    fields = [name for name in options if options[name] and not (second and name == LOOKED)]
    if fields and other:
        raise click.UsageError(f"{option(fields[0])} goes with a KIND")
    if not (asks or kind or other):
        raise click.UsageError(f"a KIND is needed where nobody can be asked: {', '.join(KINDS)}")
    if not (asks or listing or yes):
        raise click.UsageError("--yes is needed where nobody can be asked")
    command = ["rule", match, *(["--url", url] if url != LOCAL else [])]
    place = at_service(match, url, key_file)
    with connected_service(place.url, place.key) as service:
        own = str(place.id)
        names = served_seating(service.match(own)).seats
        context = RuleContext(service, own, command, names, asks=asks, yes=yes)
        if listing:
            for ruling_row in context.match.rulings():
                out.print(ruling_text(ruling_row, context.names))
        elif withdraw is not None:
            _show(context, withdraw)
            context.confirm("Give it up?")
            context.match.withdraw(withdraw)
            out.print("It is withdrawn.")
        elif second is not None:
            _second(context, second, options[LOOKED])
        else:
            _rule(context, kind, options)


def _rule(context: RuleContext, kind: str | None, options: Mapping[str, Any]) -> None:
    fields = Fields(options, context.names, asks=context.asks, asks_all=kind is None)
    if kind is None:
        kind = str(click.prompt("The kind of ruling", type=click.Choice(KINDS)))
    body = body_of(kind, fields)
    preview = _preview(context, lambda: context.match.preview(body))
    context.confirm(f"Rule so ({kind})?")
    _carry_out(context, lambda: context.match.rule(body, if_match=preview), "ask_seats" in body)


def _second(context: RuleContext, ruling: str, reason: str | None) -> None:
    _show(context, ruling)
    more = {} if reason is None else {LOOKED: reason}
    preview = _preview(context, lambda: context.match.preview_second(ruling, **more))
    context.confirm("Carry it out?")
    _carry_out(context, lambda: context.match.second(ruling, if_match=preview, **more))


def _show(context: RuleContext, ruling: str) -> None:
    """Shows what is seconded or withdrawn, if it is on the list."""
    for ruling_row in context.match.rulings():
        if ruling_row.ruling == ruling:
            out.print(ruling_text(ruling_row, context.names))
            out.print(order_text(ruling_row, context.names))


def _preview(context: RuleContext, previewed: Callable[[], Preview]) -> Preview:
    """Shows what would change."""
    try:
        preview = previewed()
    except ProblemError as refused:
        if refused.code != "key_not_renewed":
            raise
        renewing = command_line("keys", "renew")
        raise click.ClickException(f"{said_of(refused).message} {renewing} does that.") from None
    out.print(outcome_table(preview, context.names))
    entries = []
    if preview.undone or preview.misfit or any(entry.events for entry in preview.learnt):
        try:
            entries = list(read_source(context.match, MODERATOR).entries)
        except ProblemError:
            entries = []  # An organiser is told numbers alone.
    numbering = timeline_numbering(entries) if entries else Numbering()
    for text in consequences(preview, context.names, numbering):
        out.print(text)
    undone = [entry for entry in entries if entry.number in preview.undone]
    if undone:
        out.print(timeline_table(context.names, undone, numbering))
    return preview


def _carry_out(
    context: RuleContext, carried_out: Callable[[], Ruled], seats_asked: bool = False
) -> None:
    """Makes the ruling once, as it was previewed, and says what has become of it."""
    try:
        answer = carried_out()
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
    if answer.status == "pending":
        out.print("It waits for a second person, for a day at the most.", style="yellow")
        out.print("Another moderator or organiser carries it out:")
        second = command_line(*context.typed, "--second", answer.ruling)
        out.print(Text(f"  {second}"), soft_wrap=True)
        if seats_asked:
            out.print("The consent of every seat will do instead: they have been asked.")
    elif answer.n is None:
        out.print(Text(f"Carried out. It is not public, and has no number: {answer.ruling}"))
    else:
        out.print(Text(f"Carried out as ruling {answer.n}: {answer.ruling}"))
    if answer.key is None:
        out.print("The new key of the seat was in an answer that was lost: issue another one.")
    elif answer.key is not UNSET:
        out.print("The new key of the seat, shown this once:")
        out.print(Text(answer.key), soft_wrap=True)
