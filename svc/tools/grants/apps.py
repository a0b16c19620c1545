"""`app.*`: apps that are entered by hand, for those that can neither show metadata nor register."""

from typing import Annotated, Final

from svc.domain.errors import NotFound
from svc.domain.grants.limits import APP_NAME_CHARS_MAX, REDIRECT_URI_CHARS_MAX, REDIRECT_URIS_MAX
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.grants import apps
from svc.storage.grants.apps import MadeApp
from svc.storage.store import Tx, View
from svc.tools.grants.grants import AppId
from svc.tools.identity.members import PersonId
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

_Name = Annotated[
    str,
    about(
        description="What people read who are asked to allow it: one line.",
        min_length=1,
        max_length=APP_NAME_CHARS_MAX,
        examples=["Stock reports"],
    ),
]
_RedirectUris = Annotated[
    tuple[Annotated[str, about(min_length=1, max_length=REDIRECT_URI_CHARS_MAX)], ...],
    about(
        description="Where a person may be sent back to: https; http on localhost, 127.0.0.1 or [::1], any"
        " port; or a scheme of the app's own.",
        min_length=1,
        max_length=REDIRECT_URIS_MAX,
        examples=[["https://reports.example/callback"]],
    ),
]
_HasSecret = Annotated[
    bool, about(description="Whether it has a secret; an app on people's machines can keep none.")
]


class AppAnswer(ToolOutput, frozen=True, kw_only=True):
    """An app that was entered by hand, without its secret."""

    id: AppId
    client_id: Annotated[
        str, about(description="What to enter in the app.", examples=["app_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
    ]
    name: _Name
    redirect_uris: _RedirectUris
    secret: _HasSecret
    created_by: PersonId | None
    created_at: Timestamp


EXAMPLE: Final = AppAnswer(
    id="app_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    client_id="app_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Stock reports",
    redirect_uris=("https://reports.example/callback",),
    secret=True,
    created_by="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    created_at="2026-09-18T09:30:00.000Z",
)


class ListApps(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class AppList(ToolOutput, frozen=True, kw_only=True):
    """Apps that were entered by hand, the oldest first."""

    apps: tuple[AppAnswer, ...]


@reads("app.list", needs="security", example=ListApps(), answer=AppList(apps=(EXAMPLE,)))
def list_all(view: View, call: Call, request: ListApps) -> AppList:  # noqa: ARG001  # every tool's
    """List the apps that were entered by hand. Those that came by themselves are seen in `grant.list`."""
    listed = apps.list_all(view.conn, call.caller.organization_id)
    return AppList(apps=tuple(map(_answer_of, listed)))


class CreateApp(ToolInput, frozen=True, kw_only=True):
    """An app to be entered."""

    name: _Name
    redirect_uris: _RedirectUris
    secret: _HasSecret = False


class CreatedAppAnswer(ToolOutput, frozen=True, kw_only=True):
    """A new app."""

    id: AppId
    client_id: Annotated[
        str, about(description="What to enter in the app.", examples=["app_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
    ]
    client_secret: Annotated[
        str | None, about(description="Its secret, shown this once; null for an app without one.")
    ]


@writes(
    "app.create",
    needs="security",
    runs="person",
    shows_secret=True,
    example=CreateApp(name=EXAMPLE.name, redirect_uris=EXAMPLE.redirect_uris, secret=True),
    answer=CreatedAppAnswer(
        id=EXAMPLE.id,
        client_id=EXAMPLE.client_id,
        client_secret="svco_0f4Kq8Zt2LmN6bWc3XrV9sYdGhJ1pQeA4u7kTz",  # noqa: S106  # an example
    ),
)
def create(tx: Tx, call: Call, request: CreateApp) -> CreatedAppAnswer:
    """Enter an app that people of this organization may connect, for one that cannot register by itself.

    With `secret` the answer shows the secret of the client, this once.
    """
    created = apps.create(tx, call, request.name, request.redirect_uris, secret=request.secret)
    return CreatedAppAnswer(id=created.app.id, client_id=created.app.id, client_secret=created.secret)


class RemoveApp(ToolInput, frozen=True, kw_only=True):
    """Which app to remove."""

    id: AppId


class RemovedApp(ToolOutput, frozen=True, kw_only=True):
    """An app that is gone."""

    id: AppId
    grants_ended: Annotated[int, about(description="How many people had it connected.", ge=0, examples=[3])]


@writes(
    "app.remove",
    needs="security",
    runs="person",
    raises=(NotFound,),
    example=RemoveApp(id=EXAMPLE.id),
    answer=RemovedApp(id=EXAMPLE.id, grants_ended=3),
)
def remove(tx: Tx, call: Call, request: RemoveApp) -> RemovedApp:
    """Remove an app that was entered by hand. Who had it connected has no longer."""
    return RemovedApp(id=request.id, grants_ended=apps.remove(tx, call, request.id))


def _answer_of(app: MadeApp) -> AppAnswer:
    return AppAnswer(
        id=app.id,
        client_id=app.id,
        name=app.name,
        redirect_uris=app.redirect_uris,
        secret=app.secret_digest is not None,
        created_by=app.created_by,
        created_at=rfc3339(app.created_at),
    )
