"""A feature of an instance: a record of the parts that are made together."""

from typing import Any, NoReturn, dataclass_transform


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class Feature:
    """The parts of a feature, by name; they never change. To the framework, which copies
    dataclasses because they are data, it is a class like any other."""

    def __init__(self, **parts: Any) -> None:
        vars(self).update(parts)

    def __setattr__(self, name: str, part: object) -> NoReturn:
        raise AttributeError(f"{name} is set once")
