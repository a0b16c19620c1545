"""Money of the gateway: whole micro-credits. One credit is a million of them.

A price is credits per million tokens with at most six decimals, so it is a whole number of micro-credits per
million tokens. No float ever holds money: a price that came as one would have been rounded already.
"""

import re
from decimal import Decimal
from typing import Any, ClassVar, Final, Self

import msgspec

from svc.domain.ai.limits import AI_BALANCE_CREDITS_MAX, AI_PRICE_CREDITS_MAX
from svc.domain.ai.usage import Usage
from svc.domain.errors import InvalidValue

MICRO: Final = 1_000_000
"""Micro-credits in a credit, and the tokens that a price is for."""
_DECIMALS: Final = 6
_AMOUNT: Final = re.compile(r"[0-9]{1,15}(\.[0-9]+)?")


class Credits(int):
    """Micro-credits that are read from credits, and shown as credits: `0.15`, `"0.15"`."""

    __slots__ = ()
    credits_max: ClassVar[int] = AI_BALANCE_CREDITS_MAX

    @classmethod
    def read(cls, raw: Any) -> Self:
        """Raises `InvalidValue` for what is no amount of credits, floats too."""
        return cls(micro_credits(raw, cls.credits_max))

    def __str__(self) -> str:
        return credits_text(self)


class Price(Credits):
    """Micro-credits per million tokens, which is read from credits per million tokens."""

    __slots__ = ()
    credits_max: ClassVar[int] = AI_PRICE_CREDITS_MAX


class Prices(msgspec.Struct, frozen=True):
    """What the tokens of a model cost, in micro-credits per million of them."""

    input: int
    cached_input: int
    output: int

    @property
    def dearest_input(self) -> int:
        """The dearer of the two prices of input."""
        return max(self.input, self.cached_input)


FREE: Final = Prices(0, 0, 0)


def cost(prices: Prices, usage: Usage) -> int:
    """What *usage* costs, in micro-credits: one division, rounded up once."""
    fresh = usage.prompt_tokens - usage.cached_tokens
    total = (
        fresh * prices.input
        + usage.cached_tokens * prices.cached_input
        + usage.completion_tokens * prices.output
    )
    return -(-total // MICRO)


def micro_credits(raw: Any, credits_max: int = AI_BALANCE_CREDITS_MAX) -> int:
    """Credits as a number or a text, in micro-credits. Raises `InvalidValue`, for floats too."""
    if isinstance(raw, bool) or not isinstance(raw, int | Decimal | str):
        raise InvalidValue("expected a number, or a text with one")
    text = raw.strip() if isinstance(raw, str) else f"{raw:f}" if isinstance(raw, Decimal) else str(raw)
    if not _AMOUNT.fullmatch(text):
        raise InvalidValue("expected a number of credits, 0 or more, such as 0.15")
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > _DECIMALS:
        raise InvalidValue(f"expected at most {_DECIMALS} decimals")
    amount = int(whole) * MICRO + int(fraction.ljust(_DECIMALS, "0"))
    if amount > credits_max * MICRO:
        raise InvalidValue(f"expected at most {credits_max:,}")
    return amount


def credits_text(amount: int) -> str:
    """An *amount* of micro-credits in credits, without needless zeros: `1.5`."""
    whole, rest = divmod(abs(amount), MICRO)
    fraction = f".{rest:06}".rstrip("0").rstrip(".")
    return f"{'-' if amount < 0 else ''}{whole}{fraction}"
