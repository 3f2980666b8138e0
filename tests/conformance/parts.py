"""Work that other processes are given. They import it by this name, from the path of whoever asks them."""

import os
import signal
import threading


def doubled(number: int) -> int:
    return 2 * number


def where(_: int) -> int:
    return os.getpid()


def fails_at_two(number: int) -> int:
    if number == 2:
        raise ValueError("two is too much")
    return number


def dies_at_two(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def hears_ctrl_c(number: int) -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return number


def never_ends_but_at_zero(number: int) -> int:
    if number:
        threading.Event().wait()
    return number
