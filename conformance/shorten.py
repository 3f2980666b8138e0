"""Makes a failing trace shorter while it still breaks the same rule, by making its moves again on fresh runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import Asking, Cause

from .recorder import Move, Moves

_IDS = ("command_id", "run", "call", "supersedes", "compensates", "child", "source", "request")
"""The fields that name what must not be met again: commands, runs and calls, and what a run is asked for or read from.

A source of findings is renamed along with the runs, wherever it is named.
"""
_SPANS = ("seconds", "fresh_seconds")


def shorten(moves: Sequence[Move], still_fails: Callable[[Moves], bool]) -> Moves:
    """The shortest form found: drop stretches of moves, long ones first, then let every answer be heard."""
    short = tuple(moves)
    size = max(1, len(short) // 2)
    while size:
        at = 0
        while at < len(short):
            shorter = short[:at] + short[at + size :]
            if still_fails(shorter):
                short = shorter
            else:
                at += size
        size //= 2
    for at, move in enumerate(short):
        heard = (*short[:at], replace(move, fate="answered"), *short[at + 1 :])
        if move.fate != "answered" and still_fails(heard):
            short = heard
    return short


def relabelled(moves: Sequence[Move], old: str, new: str) -> Moves:
    """The same moves about other runs: every id that starts with `old` starts with `new` instead."""
    return _each(moves, lambda cause: _relabelled(cause, old, new))


def lengthened(moves: Sequence[Move], times: int) -> Moves:
    """The same moves with every span of the store's clock so many times as long."""
    return _each(moves, lambda cause: _lengthened(cause, times))


def _each(moves: Sequence[Move], changed: Callable[[Any], Any]) -> Moves:
    """The moves with each cause changed, whoever asks."""
    return tuple(
        replace(move, cause=replace(move.cause, command=changed(move.cause.command)))
        if isinstance(move.cause, Asking)
        else replace(move, cause=changed(move.cause))
        for move in moves
    )


def _relabelled(cause: Cause, old: str, new: str) -> Cause:
    changed = {
        name: new + value.removeprefix(old)
        for name in _IDS
        if (value := getattr(cause, name, None)) is not None and value.startswith(old)
    }
    return replace(cause, **changed)


def _lengthened(cause: Cause, times: int) -> Cause:
    spans = {name: value * times for name in _SPANS if (value := getattr(cause, name, None)) is not None}
    return replace(cause, **spans)
