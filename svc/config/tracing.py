"""The settings of `[tracing]`."""

import re
from typing import Annotated, Final, Self
from urllib.parse import unquote

import msgspec

from svc.config.base_url import BaseUrl
from svc.config.masked import MaskedText

_HEADER: Final = re.compile(r"(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?P<value>[!-~]+)")


class TracingHeaders(MaskedText):
    """Headers that a receiver of traces wants, `name=value,name=value`, of which one is often a key.

    Values are percent-encoded where they have a comma or a space, as in `OTEL_EXPORTER_OTLP_HEADERS`. It is
    never printed.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        one = super().__new__(cls, text)
        if not all(_HEADER.fullmatch(part.strip()) for part in text.split(",")):
            raise ValueError("expected headers such as authorization=Bearer%20abc,x-tenant=own")
        if any(not (value.isascii() and value.isprintable()) for value in one.fields.values()):
            raise ValueError("expected visible ASCII characters in the values of headers")
        return one

    @property
    def fields(self) -> dict[str, str]:
        """The values by name, in lower case."""
        parts = (part.strip().partition("=") for part in self.split(","))
        return {name.lower(): unquote(value) for name, _, value in parts}


class TracingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[tracing]`: traces by OpenTelemetry. Without `endpoint`, nothing is recorded."""

    endpoint: BaseUrl | None = None
    headers: TracingHeaders | None = None
    headers_variable: str | None = None
    sampled: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    service: Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,100}$")] = "svc"
