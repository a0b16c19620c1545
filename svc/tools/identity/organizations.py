"""`organization.*`: the organization that the caller is in."""

from typing import Annotated, Final

from svc.domain.errors import Conflict
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.identity.organizations import Organization, Plan
from svc.domain.locale.times import Timestamp
from svc.domain.versions import Version
from svc.storage.identity import organizations
from svc.storage.identity.organizations import OrganizationChanges
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import IfVersion, ToolInput, ToolOutput, about, reads, writes

Name = Annotated[
    str,
    about(
        description="What the organization is called: one line.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Harbour Lamps"],
    ),
]
Country = Annotated[
    str,
    about(
        description="ISO 3166 alpha-2: where phone numbers without a country code are dialled.",
        examples=["GB"],
    ),
]
Currency = Annotated[str, about(description="ISO 4217: of amounts that name no other.", examples=["GBP"])]
Locale = Annotated[str, about(description="How its dates and numbers are written.", examples=["en_GB"])]
TimeZone = Annotated[
    str,
    about(description="Of its people, as the IANA database names it.", examples=["Europe/London"]),
]
MarketingHub = Annotated[
    bool, about(description="Whether the Marketing hub is on; without it the form endpoint takes nothing.")
]
AllowKeysElsewhere = Annotated[
    bool,
    about(description="Whether people whose home this is may have API keys in other organizations."),
]


OwnProviderFallsBack = Annotated[
    bool,
    about(
        description="Whether an AI call goes on to the service's provider, which takes credits, where an own"
        " provider gives no answer."
    ),
]


MembersMayConnectApps = Annotated[
    bool,
    about(
        description="Whether members without the permission `security` may connect apps; switching it off"
        " ends the grants that they have."
    ),
]


class OrganizationAnswer(ToolOutput, frozen=True, kw_only=True):
    """An organization."""

    id: Annotated[str, about(description="Its id.", examples=["org_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
    name: Name
    country: Country
    currency: Currency
    locale: Locale
    time_zone: TimeZone
    plan: Annotated[Plan, about(description="The plan, which counts once the trial is over.")]
    trial_ends_at: Annotated[
        Timestamp | None, about(description="When its trial, which has everything, ends or ended.")
    ]
    marketing_hub: MarketingHub
    allow_keys_elsewhere: AllowKeysElsewhere
    own_provider_falls_back_to_credits: OwnProviderFallsBack
    members_may_connect_apps: MembersMayConnectApps
    version: Version
    created_at: Timestamp


answer_of: Final = Projection(Organization, OrganizationAnswer)

EXAMPLE: Final = OrganizationAnswer(
    id="org_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Harbour Lamps",
    country="GB",
    currency="GBP",
    locale="en_GB",
    time_zone="Europe/London",
    plan="pro",
    trial_ends_at="2026-10-02T09:30:00.000Z",
    marketing_hub=True,
    allow_keys_elsewhere=False,
    own_provider_falls_back_to_credits=False,
    members_may_connect_apps=False,
    version=1,
    created_at="2026-09-18T09:30:00.000Z",
)


class GetOrganization(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: it is the caller's."""


@reads("organization.get", example=GetOrganization(), answer=EXAMPLE)
def get(view: View, call: Call, request: GetOrganization) -> OrganizationAnswer:  # noqa: ARG001  # every tool's
    """Show the organization that the caller is in: its plan, its hubs and its formats."""
    return answer_of(organizations.get(view.conn, call.caller.organization_id))


class UpdateOrganization(ToolInput, frozen=True, kw_only=True):
    """What to change; what is left out, or null, stays."""

    name: Name | None = None
    country: Country | None = None
    currency: Currency | None = None
    locale: Locale | None = None
    time_zone: TimeZone | None = None
    marketing_hub: MarketingHub | None = None
    allow_keys_elsewhere: AllowKeysElsewhere | None = None
    own_provider_falls_back_to_credits: OwnProviderFallsBack | None = None
    members_may_connect_apps: MembersMayConnectApps | None = None
    if_version: IfVersion = None


_changes_of: Final = Projection(UpdateOrganization, OrganizationChanges)


@writes(
    "organization.update",
    needs="settings",
    runs="approval",
    raises=(Conflict,),
    example=UpdateOrganization(country="GB", time_zone="Europe/London"),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateOrganization) -> OrganizationAnswer:
    """Change the organization's name, its formats, its hubs, and whether its people may have keys elsewhere.

    A change acts on the next submission and on the next call. To change `allowKeysElsewhere` or
    `membersMayConnectApps`, which decide about keys and apps, takes the permission `security` as well. The
    plan is not changed by a tool.
    """
    return answer_of(organizations.update(tx, call, _changes_of(request), if_version=request.if_version))
