"""Which organization a signed-in person's request names: `?org=`, or the header `X-Organization-Id`."""

from typing import Final
from urllib.parse import parse_qs

from svc.domain.errors import Fault, InvalidInput
from svc.http.fast_path import Request

ORGANIZATION_HEADER: Final = "X-Organization-Id"


def organization_in(request: Request) -> str | None:
    """The id of the organization that *request* names; None where it names none, which is the home.

    Raises `InvalidInput` for more than one, since a guess could change the wrong organization.
    """
    named = set(parse_qs(request.query.decode("latin-1")).get("org", ()))
    if header := request.text(ORGANIZATION_HEADER.lower()):
        named.add(header)
    if len(named) > 1:
        detail = f"the query's org and the header {ORGANIZATION_HEADER} name different organizations"
        raise InvalidInput([Fault("", "invalid_value", detail)])
    return next(iter(named), None)
