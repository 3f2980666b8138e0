"""What an answer has cost: the amount it names, or else what its usage comes to at the price of its model."""

import json
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

MICROCENTS = 1_000_000
"""In a cent. At a price of so many dollars for a million tokens, a token costs a hundred times as many micro-cents."""


@dataclass(frozen=True, slots=True)
class Price:
    """What each token costs, in micro-cents. Discounts, as for a prompt from a cache, are not known here."""

    prompt_microcents: int
    completion_microcents: int


class _Named(BaseModel):
    model_config = ConfigDict(strict=True)

    cost_cents: NonNegativeInt | None = None


class _Usage(BaseModel):
    model_config = ConfigDict(strict=True)

    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt


class _Used(BaseModel):
    usage: _Usage


def cost_of(content: str | bytes, price: Price | None = None) -> int | None:
    """In cents, rounded up. None: the answer names no amount that can be read, or nothing to work it out from."""
    try:
        named = _Named.model_validate_json(content).cost_cents
        if named is not None or price is None:
            return named
        usage = _Used.model_validate_json(content).usage
    except ValidationError:
        return None
    microcents = usage.prompt_tokens * price.prompt_microcents + usage.completion_tokens * price.completion_microcents
    return -(-microcents // MICROCENTS)


def read_prices(text: str) -> dict[str, Price]:
    """Prices by the name of the model, from `{"name": {"prompt_microcents": 250, "completion_microcents": 1000}}`.

    Raises ValueError.
    """
    prices = json.loads(text)
    if not isinstance(prices, dict):
        raise ValueError("it is not an object")
    return {model: _price(model, price) for model, price in prices.items()}


def _price(model: str, price: object) -> Price:
    names = {"prompt_microcents", "completion_microcents"}
    if not (
        isinstance(price, dict) and price.keys() == names and all(type(v) is int and v >= 0 for v in price.values())
    ):
        raise ValueError(f"the price of {model} is not {' and '.join(sorted(names))}, whole numbers from 0")
    return Price(**price)
