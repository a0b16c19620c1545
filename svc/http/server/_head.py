"""Checks of a head beyond those of llhttp: host, target, a WebSocket's handshake."""

import re
from binascii import Error as NotBase64
from binascii import a2b_base64
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from svc.http.asgi import Headers

_NAME: Final = rb"(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
_HOST: Final = re.compile(rb"(?:%b|\[(?P<v6>[0-9A-Fa-f:.]+)\])(?::(?P<port>[0-9]{0,5}))?" % _NAME)
_ABSOLUTE: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_PORT_MAX: Final = 0xFFFF
_WEBSOCKET_VERSION: Final = b"13"
_WEBSOCKET_KEY_BYTES: Final = 16


def is_host(value: bytes) -> bool:
    """Whether *value* is a host with or without a port (RFC 9110 section 7.2); an empty one is
    not, since http and https have no addresses without a host (section 4.2).
    """
    match = _HOST.fullmatch(value)
    if match is None or int(match["port"] or 0) > _PORT_MAX:
        return False
    if match["v6"] is None:
        return True
    try:
        IPv6Address(match["v6"].decode())
    except AddressValueError:
        return False
    return True


def split_absolute(target: bytes) -> tuple[bytes, bytes] | None:
    """Authority and origin-form of an absolute *target* (RFC 9112 section 3.2.2); None for another."""
    match = _ABSOLUTE.fullmatch(target)
    if match is None:
        return None
    rest = match["rest"]
    return match["authority"], rest if rest.startswith(b"/") else b"/" + rest


def is_websocket_handshake(headers: Headers) -> bool:
    """Whether *headers*, of a GET in HTTP/1.1, are those of RFC 6455 section 4.2.1."""
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    if b"content-length" in values or b"transfer-encoding" in values:
        return False
    connection = [
        token.strip().lower() for value in values.get(b"connection", []) for token in value.split(b",")
    ]
    return (
        b"upgrade" in connection
        and [value.lower() for value in values.get(b"upgrade", [])] == [b"websocket"]
        and values.get(b"sec-websocket-version") == [_WEBSOCKET_VERSION]
        and _is_websocket_key(values.get(b"sec-websocket-key", []))
    )


def _is_websocket_key(values: list[bytes]) -> bool:
    try:
        return [len(a2b_base64(value, strict_mode=True)) for value in values] == [_WEBSOCKET_KEY_BYTES]
    except NotBase64:
        return False
