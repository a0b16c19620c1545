"""Prices and costs: whole micro-credits, one division, rounded up once."""

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai.limits import AI_PRICE_CREDITS_MAX, AI_TOKENS_MAX
from svc.domain.ai.money import Credits, Price, Prices, cost, credits_text, micro_credits
from svc.domain.ai.usage import Usage, read_usage, text_bytes, tokens_in
from svc.domain.errors import InvalidValue

prices = st.integers(0, AI_PRICE_CREDITS_MAX * 1_000_000)
tokens = st.integers(0, AI_TOKENS_MAX)


@given(st.builds(Prices, prices, prices, prices), st.tuples(tokens, tokens, tokens))
def test_a_cost_is_the_exact_one_rounded_up_once(price: Prices, counts: tuple[int, int, int]):
    """As fractions say it, never by less and never by a whole micro-credit more."""
    prompt, cached, out = counts[0], min(counts[:2]), counts[2]

    total = (prompt - cached) * price.input + cached * price.cached_input + out * price.output
    exact = Fraction(total, 1_000_000)

    assert 0 <= cost(price, Usage(prompt, cached, out)) - exact < 1


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(), 0),
        (Usage(1, 0, 0), 1),
        (Usage(1_000_000, 0, 0), 150_000),
        (Usage(1_000_000, 1_000_000, 0), 75_000),
        (Usage(1_000, 400, 500), 90 + 30 + 300),
        (Usage(3, 1, 1), 1),
    ],
)
def test_the_parts_of_a_cost_are_rounded_together(usage: Usage, expected: int):
    """0.45 and 0.6 of a micro-credit are two parts of one sum."""
    assert expected == cost(Prices(150_000, 75_000, 600_000), usage)


@given(st.decimals(0, AI_PRICE_CREDITS_MAX, places=6, allow_nan=False, allow_infinity=False))
def test_a_price_is_read_to_the_digit(price: Decimal):
    """As a decimal, as a text, and shown again as the same."""
    expected = int((price * 1_000_000).to_integral_value(ROUND_CEILING))

    assert expected == Price.read(price) == Price.read(f"{price:f}")
    assert expected == Price.read(str(Price.read(price)))


@pytest.mark.parametrize(
    "raw", [0.15, True, None, "", "-1", "1e3", "0.0000001", "10000.000001", "1,5", "٣", [1]]
)
def test_what_is_no_price_is_refused(raw: Any):
    """A float too, whatever its value: what it was before cannot be known."""
    with pytest.raises(InvalidValue):
        Price.read(raw)


@given(st.integers(-(10**15), 10**15))
def test_credits_are_shown_as_they_are_read(amount: int):
    """Nothing is lost on the way."""
    shown = credits_text(amount)

    assert abs(amount) == micro_credits(shown.removeprefix("-"))
    assert shown.startswith("-") == (amount < 0)
    assert "1.5" == str(Credits(1_500_000))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(3, 0, 4)),
        (
            {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}},
            Usage(3, 2, 4),
        ),
        (
            {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 9}},
            Usage(3, 3, 4),
        ),
        ({"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": None}, Usage(3, 0, 4)),
        (
            {"prompt_tokens": 10**30, "completion_tokens": 10**30},
            Usage(AI_TOKENS_MAX, 0, AI_TOKENS_MAX),
        ),
        (
            {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": -1}},
            None,
        ),
        ({"prompt_tokens": -3, "completion_tokens": 4}, None),
        ({"prompt_tokens": 3.0, "completion_tokens": 4}, None),
        ({"prompt_tokens": True, "completion_tokens": 4}, None),
        ({"prompt_tokens": "3", "completion_tokens": 4}, None),
        ({"prompt_tokens": 3}, None),
        ({}, None),
        ([3, 4], None),
        (None, None),
    ],
)
def test_usage_is_whole_numbers_or_none(value: Any, expected: Usage | None):
    """Cached tokens are at most all; more than any model takes is cut."""
    assert expected == read_usage(msgspec.json.encode(value))


def test_the_estimate_is_by_bytes():
    """Four bytes of UTF-8 are a token, and what is begun is one; names of members do not count."""
    assert [0, 1, 1, 2] == [tokens_in(size) for size in (0, 1, 4, 5)]
    assert 3 + 2 + 4 == text_bytes({"role": "abc", "content": [{"text": "ä"}, "🙂", 12, None]})
