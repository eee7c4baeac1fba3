"""The screen of `arbiter play`: a seat plays a match, by its menu alone."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar
from uuid import uuid4

import httpx
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from projections.audience import View
from projections.menu import MenuAnswer
from projections.plain_text import Names, plain
from service.cli.action_fields import NotAllowed, in_words
from service.cli.live_match import Cut, LiveMatch, Receipt
from service.cli.screens.action_form import ActionForm, Draft
from service.cli.screens.match_app import SCROLLING, MatchApp
from service.cli.screens.questions import Confirmation
from service.cli.screens.watch_app import WatchApp
from service.cli.service_connection import ServiceRefused

SENDING = "Sending …"
UNANSWERED = "No answer yet. It is sent again until there is one, and counts once."
STALE = "Not sent: something has happened since. Look at the board, and send it again."


class PlayApp(WatchApp, inherit_bindings=False):
    """What `arbiter watch` shows to a seat, and below it what the seat may do."""

    TITLE = "arbiter play"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "review", "Send", priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
        *SCROLLING,
    ]
    CSS = f"""{MatchApp.CSS}
    #prompt, #draft, #answer {{ height: auto; padding: 0 1; }}
    #answer {{ color: $accent; }}
    """

    def __init__(self, match: LiveMatch, now: Callable[[], float] | None = None) -> None:
        super().__init__(match, *([] if now is None else [now]))
        self.answered = 0
        self._sending = False
        self._sentences: Mapping[str, str] | None = None

    def compose(self) -> ComposeResult:
        """The match, what counts now, what the seat may do, and the latest answer."""
        yield from super().compose()
        yield Static(id="prompt", markup=False)
        yield ActionForm()
        yield Static(id="draft", markup=False)
        yield Static(id="answer", markup=False)

    async def show_view(self, shown: View) -> None:
        """Shows what the seat may do as well."""
        await super().show_view(shown)
        menu = await self.match.menu()
        self.query_one("#prompt", Static).update(prompt(menu, shown.seats))
        await self.query_one(ActionForm).offer(menu.actions, shown.seats)

    def on_action_form_drafted(self, event: ActionForm.Drafted) -> None:
        """Shows what is filled in, or what is wrong with it."""
        for shown in self.query("#draft").results(Static):  # None if the user has just quit.
            shown.update(event.text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in a field asks for confirmation."""
        event.stop()
        self.action_review()

    def action_review(self) -> None:
        """Shows what would be sent, and sends it if it is confirmed."""
        if self._sending or self.shown is None or isinstance(self.screen, Confirmation):
            return
        try:
            draft = self.query_one(ActionForm).draft()
        except NotAllowed as wrong:
            self._say(f"Not sent. {wrong}")
            return
        if draft is None:
            self._say("There is nothing to send.")
            return
        seen = self.shown

        def decided(sends: bool | None) -> None:
            if sends:
                self.work(partial(self._send, draft, seen))

        self.push_screen(Confirmation(draft.words), decided)

    async def _send(self, draft: Draft, seen: View) -> None:
        """Sends an action until it is answered, and shows the answer."""
        self._sending, key = True, str(uuid4())
        self._say(SENDING)
        try:
            while True:
                try:
                    said = await self._receipt(await self.match.act(draft.action, key, seen))
                    await self.query_one(ActionForm).forget()
                    break
                except httpx.TransportError:
                    self.take(Cut(0))
                    self._say(UNANSWERED)
        except ServiceRefused as refused:
            said = STALE if refused.code == "stale" else f"Refused: {refused.what}"
        finally:
            self._sending = False
        await self.look()
        self._say(said)
        self.answered += 1

    async def _receipt(self, receipt: Receipt) -> str:
        """A receipt in words."""
        said = f"On record as your number {receipt.seq}"
        if receipt.code is None:
            more = "" if receipt.supersedes is None else " It replaces what you sent before."
            return f"{said}.{more}"
        if self._sentences is None and self.shown is not None:
            self._sentences = await self.match.sentences(self.shown.game)
        why = plain((self._sentences or {}).get(receipt.code, receipt.code))
        return f"{said}, but it does not count: {why}"

    def _say(self, text: str) -> None:
        self.query_one("#answer", Static).update(text)


def prompt(menu: MenuAnswer, names: Names) -> Text:
    """What a menu means for its seat."""
    standing = menu.standing
    if standing is not None:
        entries = [entry for entry in menu.actions if entry.type == standing.get("type")]
        words = in_words(entries[0], standing, names) if entries else "what you have submitted"
        more = " You may replace it." if menu.actions else ""
        return Text.assemble(("What counts now  ", "bold green"), f"{words}.{more}")
    if menu.submitted:
        return Text("You have submitted. Others are awaited still.", style="bold green")
    if menu.actions:
        return Text("You are awaited." if menu.awaited else "You may act.", style="bold green")
    return Text("There is nothing for you to do now.", style="dim")
