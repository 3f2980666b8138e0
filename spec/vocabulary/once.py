"""A property that is computed once: functools.cached_property without its lock, which costs more than most of ours."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801  # used as a decorator, like property
    """Computed when it is first asked for, and kept with the object; for objects that never change."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, thing: Any, owner: type) -> T:
        value = thing.__dict__[self._name] = self._compute(thing)
        return value
