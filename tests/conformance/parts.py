"""Work that other processes are given. They import it by this name, from the path of whoever asks them."""

import os
import signal


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
