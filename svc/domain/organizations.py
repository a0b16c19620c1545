"""An organization: its plan, its hubs, and the formats that its people read."""

from typing import Final, Literal

import msgspec

Plan = Literal["free", "pro", "business", "enterprise"]

PLANS_WITH_FORMS: Final[frozenset[Plan]] = frozenset({"pro", "business", "enterprise"})
"""Plans that include the form endpoint; a trial includes it too."""


class Organization(msgspec.Struct, frozen=True, kw_only=True):
    """One organization as it stands. Times are ms since the epoch."""

    id: str
    name: str
    country: str
    """ISO 3166 alpha-2: where a phone number without a country code is dialled."""
    currency: str
    """ISO 4217."""
    locale: str
    time_zone: str
    plan: Plan
    trial_ends_at: int | None
    marketing_hub: bool
    created_at: int
    closed_at: int | None = None
    allow_keys_elsewhere: bool = False
    """Whether people whose home this is may issue keys in other organizations."""

    def in_trial(self, now: int) -> bool:
        return self.trial_ends_at is not None and now < self.trial_ends_at

    def may_take_forms(self, now: int) -> bool:
        """Whether the form endpoint is open: by plan or trial, with the Marketing hub on."""
        return (
            self.closed_at is None
            and self.marketing_hub
            and (self.plan in PLANS_WITH_FORMS or self.in_trial(now))
        )
