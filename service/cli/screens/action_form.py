"""The widget in which a seat chooses what to do, from its menu alone."""

from asyncio import Lock
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.text import Text
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static
from textual.worker import Worker

from projections.menu import Entry
from projections.plain_text import Names, plain
from service.cli.action_fields import (
    ActionField,
    NotAllowed,
    action_of,
    fields_of,
    in_words,
    texts_of,
)

ACTION = "action"
"""The name of the widget that chooses between the entries of the menu."""


class Draft(NamedTuple):
    """An action that has been filled in, and the same in words."""

    action: dict[str, Any]
    words: str


class ActionForm(VerticalScroll, can_focus=False):
    """The entries of a menu: one is chosen, and its fields are filled in. What was filled in stays
    as long as the menu allows it."""

    DEFAULT_CSS = """
    ActionForm { height: auto; max-height: 50%; padding: 0 1; scrollbar-size: 1 1; }
    ActionForm Static { height: auto; }
    ActionForm Horizontal { height: auto; }
    ActionForm Label { width: 16; }
    ActionForm Select, ActionForm Input { width: 1fr; max-width: 40; }
    ActionForm .-about { color: $text-muted; }
    """

    class Drafted(Message):
        """What is filled in has changed; `text` is the draft, or what is wrong with it."""

        def __init__(self, text: Text) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()
        self._names: Names = ()
        self._chosen = ""
        self._fields: Sequence[ActionField] = ()
        self._texts: dict[str, dict[str, str]] = {}
        self._building = Lock()

    async def offer(self, entries: Sequence[Entry], names: Names) -> None:
        """Shows the entries of a menu, if they are others than before."""
        if entries == self._entries and names == self._names:
            return
        self._entries, self._names = entries, names
        if entries and self._chosen not in [entry.type for entry in entries]:
            self._chosen = entries[0].type
        await self._build()

    async def forget(self) -> None:
        """Forgets what has been filled in: it has been sent."""
        self._texts.clear()
        await self._build()

    def draft(self) -> Draft | None:
        """What is filled in, or None where there is nothing to do. Raises NotAllowed."""
        entry = self._entry()
        if entry is None:
            return None
        action = action_of(entry, self._fields, self._texts[entry.type])
        return Draft(action, in_words(entry, action, self._names))

    def on_select_changed(self, event: Select.Changed) -> None:
        """Another action or value is chosen."""
        event.stop()
        value = "" if event.value is Select.NULL else str(event.value)
        if not event.select.is_attached:
            return
        if event.select.name != ACTION:
            self._fill(event.select.name, value)
        elif value != self._chosen and value in [entry.type for entry in self._entries]:
            self._chosen = value
            _: Worker[None] = self.run_worker(self._build)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another value is typed."""
        event.stop()
        self._fill(event.input.name, event.value)

    def _entry(self) -> Entry | None:
        return next((entry for entry in self._entries if entry.type == self._chosen), None)

    def _fill(self, name: str | None, text: str) -> None:
        texts = self._texts.get(self._chosen)
        if texts is not None and name in texts:
            texts[name] = text
            self._show_draft()

    async def _build(self) -> None:
        """Makes the widgets of the chosen entry."""
        entry = self._entry()
        if entry is not None:
            self._fields = fields_of(entry, self._names)
            self._texts[entry.type] = self._kept(entry)
        async with self._building:
            await self._rebuild(entry)

    async def _rebuild(self, entry: Entry | None) -> None:
        focused = self.screen.focused is None or self in self.screen.focused.ancestors
        await self.remove_children()
        self._show_draft()
        if entry is None or entry is not self._entry():
            return
        await self.mount_all(self._widgets(entry))
        inputs = self.query("Select, Input")
        if focused and inputs:
            inputs.last().focus() if len(self._entries) == 1 else inputs.first().focus()

    def _kept(self, entry: Entry) -> dict[str, str]:
        """What was filled in as far as it is still allowed, or else the first example."""
        texts = texts_of(self._fields, entry.examples[0])
        before = self._texts.get(entry.type)
        if before is None or before.keys() != texts.keys():
            return texts
        try:
            action_of(entry, self._fields, before)
        except NotAllowed:
            return texts
        return before

    def _widgets(self, entry: Entry) -> list[Widget]:
        shown: list[Widget] = []
        if len(self._entries) > 1:
            titles = [(plain(one.title), one.type) for one in self._entries]
            choice: Select[str] = Select(
                titles, value=entry.type, allow_blank=False, name=ACTION, compact=True
            )
            shown.append(Horizontal(Label("Action"), choice))
        shown.append(_about(f"{plain(entry.title)}. {plain(entry.description)}"))
        for field in self._fields:
            if not field.fixed:
                text = self._texts[entry.type][field.name]
                label = Label(Text(field.title), markup=False)
                shown.append(Horizontal(label, _widget(field, text)))
                shown.append(_about(_description(field)))
        return shown

    def _show_draft(self) -> None:
        try:
            draft = self.draft()
        except NotAllowed as wrong:
            said = Text(str(wrong), style="yellow")
        else:
            said = Text() if draft is None else Text.assemble(("Draft  ", "dim"), draft.words)
        self.post_message(self.Drafted(said))


def _about(text: str) -> Static:
    return Static(text, classes="-about", markup=False)


def _description(field: ActionField) -> str:
    return field.description if field.values else f"{field.description} ({field.hint})"


def _widget(field: ActionField, text: str) -> Widget:
    if not field.values:
        return Input(text, name=field.name, compact=True)
    values = [(Text(one), one) for one in field.values]
    value = text if text in field.values else Select.NULL
    return Select(
        values,
        value=value,
        allow_blank=field.optional,
        prompt="nothing",
        name=field.name,
        compact=True,
    )
