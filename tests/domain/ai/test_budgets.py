"""Months of budgets: calendar months of UTC."""

import pytest

from svc.domain.ai.budgets import month_after, month_of
from svc.domain.locale.times import ms_of, rfc3339


@pytest.mark.parametrize(
    ("at", "month", "after"),
    [
        ("2026-09-30T23:59:59.999Z", "2026-09", "2026-10-01T00:00:00.000Z"),
        ("2026-10-01T00:00:00.000Z", "2026-10", "2026-11-01T00:00:00.000Z"),
        ("2026-12-31T12:00:00.000Z", "2026-12", "2027-01-01T00:00:00.000Z"),
        ("2028-02-29T00:00:00.000Z", "2028-02", "2028-03-01T00:00:00.000Z"),
    ],
)
def test_a_month_begins_at_midnight_of_its_first(at: str, month: str, after: str):
    assert (month, after) == (month_of(ms_of(at)), rfc3339(month_after(ms_of(at))))
