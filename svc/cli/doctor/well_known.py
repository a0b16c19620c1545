"""The check of the well-known addresses, where apps begin: asked for as they do, from outside."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from svc.cli.doctor.findings import Finding, Install
from svc.domain.grants.oauth import DOOR_PATHS

_ABOUT: Final = "connected apps"
_SECONDS: Final = 5
_BYTES_MAX: Final = 65_536
_SERVER: Final = "/.well-known/oauth-authorization-server"
_RESOURCE: Final = "/.well-known/oauth-protected-resource"


class _Metadata(NamedTuple):
    """An address of metadata, and the member by which clients compare it."""

    address: str
    member: str
    value: str


def well_known(install: Install) -> Iterator[Finding]:
    """Whether apps find the service at its public address: whatever stands before it leads the way."""
    public = install.settings.server.public_url
    if public is None:
        yield Finding(
            _ABOUT, "ok", "server.public_url is not set: only apps of this machine can be connected."
        )
    elif not install.running:
        yield Finding(_ABOUT, "ok", "What apps ask at server.public_url is looked at while the service runs.")
    else:
        yield from _looked_at(public.text)


def _looked_at(base: str) -> Iterator[Finding]:
    import httpx  # noqa: PLC0415  # no other check needs it

    place = urlsplit(base)
    root = f"{place.scheme}://{place.netloc}"
    asked = [_Metadata(root + _SERVER + place.path, "issuer", base)]
    asked += [
        _Metadata(root + _RESOURCE + place.path + path, "resource", base + path)
        for path in DOOR_PATHS.values()
    ]
    with httpx.Client(timeout=_SECONDS, trust_env=False, follow_redirects=False) as client:
        try:
            says = [*filter(None, (_fault(client, one) for one in asked))]
        except httpx.HTTPError as error:
            # Its own public address is not reachable from every machine: a router may not lead back.
            yield Finding(_ABOUT, "warning", f"{base} cannot be reached from this machine: {error}.")
            return
    yield from (Finding(_ABOUT, "problem", sentence) for sentence in says)
    if not says:
        yield Finding(_ABOUT, "ok", f"Apps find the service at {base}{DOOR_PATHS['mcp']}.")


def _fault(client: Any, asked: _Metadata) -> str | None:
    """What is wrong with the answer at an address of metadata; None for nothing."""
    with client.stream("GET", asked.address) as answer:
        if answer.status_code != HTTPStatus.OK:
            return (
                f"{asked.address} is answered with {answer.status_code}, not 200: have the proxy pass"
                " /.well-known/oauth-authorization-server and /.well-known/oauth-protected-resource, with all"
                " below them, on to the service."
            )
        body = b""
        for piece in answer.iter_bytes():
            body += piece
            if len(body) > _BYTES_MAX:
                break
    try:
        value = msgspec.json.decode(body, type=dict[str, Any]).get(asked.member)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return f"{asked.address} is answered with something that is no metadata: another program has it."
    if value != asked.value:
        return (
            f"{asked.address} names {str(value)[:200]!r} as its {asked.member}, and apps expect"
            f" {asked.value!r}: set server.public_url to the address that they use, and restart the service."
        )
    return None
