"""Questions that a screen asks in its middle; Escape leaves them unanswered."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

T = TypeVar("T")


class Question(ModalScreen[T]):
    """A question, and below it what answers it."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss", "Back")]
    DEFAULT_CSS = """
    Question { align: center middle; }
    Question > Vertical {
        width: 90%; max-width: 60; height: auto; max-height: 90%; padding: 1 2;
        background: $surface; border: round $primary;
    }
    Question Horizontal { height: auto; align-horizontal: right; padding-top: 1; }
    Question Button { margin-left: 2; }
    Question OptionList { height: auto; max-height: 20; border: none; }
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """The question."""
        with Vertical():
            yield Static(self._words, markup=False)
            yield from self.answers()

    def answers(self) -> ComposeResult:
        """The widgets that answer it."""
        raise NotImplementedError


class Confirmation(Question[bool]):
    """Whether to send an action; Enter sends."""

    AUTO_FOCUS = "#send"

    def __init__(self, words: str) -> None:
        super().__init__(f"Send this?\n\n{words}")

    def answers(self) -> ComposeResult:
        """Two buttons."""
        with Horizontal():
            yield Button("Back", id="back", compact=True)
            yield Button("Send", id="send", variant="primary", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answers."""
        event.stop()
        self.dismiss(event.button.id == "send")


class NumberQuestion(Question[int]):
    """To which position to go."""

    def __init__(self, last: int) -> None:
        super().__init__(f"Go to which number, 0 to {last}?")

    def answers(self) -> ComposeResult:
        """A field for digits."""
        yield Input(type="integer", compact=True)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answers, if there is a number."""
        event.stop()
        self.dismiss(int(event.value) if event.value.isdecimal() else None)


class AudienceQuestion(Question[str]):
    """As which audience to look: each has its name on the wire and a name for people."""

    def __init__(self, audiences: Sequence[tuple[str, str]]) -> None:
        super().__init__("As whom?")
        self._audiences = audiences

    def answers(self) -> ComposeResult:
        """A list of them."""
        yield OptionList(
            *(Option(Text(f"{name}  {title}"), name) for name, title in self._audiences)
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answers."""
        event.stop()
        self.dismiss(event.option.id)
