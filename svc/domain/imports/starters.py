"""In whose name an import writes."""

import msgspec

from svc.domain.identity.callers import CallerKind


class Starter(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """In whose name an import writes, which is judged again at each batch."""

    kind: CallerKind
    id: str
    person_id: str | None
    role_id: str | None = None
