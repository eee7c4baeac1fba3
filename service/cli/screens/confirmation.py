"""The question whether an action shall be sent."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Confirmation(ModalScreen[bool]):
    """Shows what would be sent; the answer is whether to send it."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(False)", "Back")]
    DEFAULT_CSS = """
    Confirmation { align: center middle; }
    Confirmation > Vertical {
        width: 90%; max-width: 60; height: auto; padding: 1 2;
        background: $surface; border: round $primary;
    }
    Confirmation Horizontal { height: auto; align-horizontal: right; padding-top: 1; }
    Confirmation Button { margin-left: 2; }
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """What would be sent, and two buttons."""
        with Vertical():
            yield Static(f"Send this?\n\n{self._words}", markup=False)
            with Horizontal():
                yield Button("Back", id="back", compact=True)
                yield Button("Send", id="send", variant="primary", compact=True)

    def on_mount(self) -> None:
        """Enter sends."""
        self.query_one("#send").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answers."""
        event.stop()
        self.dismiss(event.button.id == "send")
