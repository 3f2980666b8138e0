"""The write-ahead log as a witness: which rows were written, in which transaction, and who signed it."""

from .decoding import UNCHANGED, Action, Message, Value
from .watch import Watch, watched
from .witness import Row, Transaction, Witness, WitnessLostError, WitnessUnavailableError

__all__ = [
    "UNCHANGED",
    "Action",
    "Message",
    "Row",
    "Transaction",
    "Value",
    "Watch",
    "Witness",
    "WitnessLostError",
    "WitnessUnavailableError",
    "watched",
]
