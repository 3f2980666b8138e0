"""Evidence of every kind that a report is made from, for tests of what all reports must be."""

import pytest

from . import sample
from .hostile_sample import hostile

EVERY_KIND = pytest.mark.parametrize(
    "make",
    [sample.green, sample.violated, sample.inconclusive, sample.cut_off, hostile],
    ids=lambda make: make.__name__,
)
