"""The screens of things, by their ids; `screens/src/places.ts` has the screens themselves."""

from collections.abc import Mapping
from typing import Final

from svc.storage.home.names import prefix_of

_PATHS: Final[Mapping[str, str]] = {
    "agr": "/app/settings/agents?run={id}",
    "apr": "/app/approvals?open={id}",
    "cnv": "/app/inbox/{id}",
    "con": "/app/settings/messengers?open={id}",
    "emb": "/app/embeds/{id}",
    "app": "/app/settings/apps",
    "frm": "/app/forms/{id}",
    "gra": "/app/settings/apps",
    "imp": "/app/settings/objects/{object}/import?import={id}",
    "inv": "/app/settings/members",
    "key": "/app/settings/api-keys",
    "obj": "/app/settings/objects/{object}",
    "org": "/app/settings/organization",
    "prp": "/app/settings/objects/{object}",
    "rol": "/app/settings/roles?open={id}",
    "sit": "/app/settings/sites",
    "sub": "/app/submissions?open={id}",
    "tea": "/app/settings/teams",
    "usr": "/app/settings/members?open={id}",
    "whk": "/app/settings/webhooks/{id}",
}
"""By the prefix of their ids; of what has no screen there is none."""


def path_of(id_: str, object_slug: str | None = None) -> str | None:
    """The address of the screen that shows the thing; *object_slug* is that of the object that it is of."""
    pattern = _PATHS.get(prefix_of(id_))
    if pattern is None or (object_slug is None and "{object}" in pattern):
        return None
    return pattern.format(id=id_, object=object_slug)
