"""What keys are called, of whichever kind: an API key by its own name, a channel key by its connection's,
and a grant by its app's.
"""

from collections.abc import Collection, Mapping
from typing import Final

import sqlalchemy as sa

from svc.storage.channels.tables import channel_keys, connections
from svc.storage.identity.tables import api_keys, grants
from svc.storage.statements import LOOKED_UP_MAX, batched

_API_KEYS: Final = sa.select(api_keys.c.id, api_keys.c.name)
_GRANTS: Final = sa.select(grants.c.id, grants.c.app_name.label("name"))
_CHANNEL_KEYS: Final = sa.select(channel_keys.c.id, connections.c.name).join(
    connections, connections.c.id == channel_keys.c.connection_id
)


def names_of(conn: sa.Connection, organization_id: str, key_ids: Collection[str]) -> Mapping[str, str]:
    """The names of the organization's keys of *key_ids*, revoked ones too."""
    names: dict[str, str] = {}
    for ids in batched([*key_ids], LOOKED_UP_MAX):
        for select, keys in ((_API_KEYS, api_keys), (_GRANTS, grants), (_CHANNEL_KEYS, channel_keys)):
            found = select.where(keys.c.organization_id == organization_id, keys.c.id.in_(ids))
            names.update((row.id, row.name) for row in conn.execute(found))
    return names
