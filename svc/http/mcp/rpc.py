"""JSON-RPC 2.0 as MCP uses it: one message in a request body, its errors, and its answers."""

import re
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec

from svc.domain.errors import Fault, InvalidInput, MalformedJson
from svc.domain.input import json as json_input

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
OVERLOADED: Final = -32000
"""Our own code, of the range that JSON-RPC reserves for servers."""
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

NO_ID: Final = b"null"
_INTEGER: Final = re.compile(rb"-?[0-9]{1,64}")
"""An integer id. It is answered as it was written, however large."""

_ARGUMENTS: Final = "/params/arguments/"
NO_ARGUMENTS: Final = msgspec.Raw(b"{}")

_Optional = msgspec.Raw | msgspec.UnsetType
T = TypeVar("T")


class RpcError(Exception):
    """Raised for a message that is answered with an error object instead of a result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Meta(msgspec.Struct, frozen=True):
    """The members of a request's `_meta` that are read here."""

    version: str | None = msgspec.field(name="io.modelcontextprotocol/protocolVersion", default=None)
    capabilities: dict[str, msgspec.Raw] | None = msgspec.field(
        name="io.modelcontextprotocol/clientCapabilities", default=None
    )
    idempotency_key: str | None = msgspec.field(name="svc/idempotencyKey", default=None)


_NO_META: Final = Meta()


class Params(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of all methods; `null` counts as absent."""

    sent_meta: Meta | None = msgspec.field(name="_meta", default=None)
    protocol_version: str | None = None
    cursor: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = NO_ARGUMENTS

    @property
    def meta(self) -> Meta:
        return self.sent_meta or _NO_META


_NO_PARAMS: Final = Params()


class Message(msgspec.Struct, frozen=True):
    """A message split into its members, which are decoded on demand."""

    jsonrpc: _Optional = msgspec.UNSET
    id: _Optional = msgspec.UNSET
    raw_method: _Optional = msgspec.field(name="method", default=msgspec.UNSET)
    raw_params: _Optional = msgspec.field(name="params", default=msgspec.UNSET)
    result: _Optional = msgspec.UNSET
    error: _Optional = msgspec.UNSET

    def reply_id(self) -> bytes:
        """The id for the answer as it was written; `null` where it is missing or invalid."""
        if self.id is msgspec.UNSET:
            return NO_ID
        written = bytes(self.id)
        return written if _INTEGER.fullmatch(written) or _text_of(self.id) is not None else NO_ID

    def method(self) -> str | None:
        """The method; None for a message without an answer: a notification, or a response.

        Raises `RpcError` if the message is not JSON-RPC 2.0.
        """
        if _text_of(self.jsonrpc) != "2.0":
            raise RpcError(INVALID_REQUEST, '`jsonrpc` has to be "2.0"')
        if self.raw_method is msgspec.UNSET and (self.result, self.error) != (msgspec.UNSET, msgspec.UNSET):
            return None
        method = _text_of(self.raw_method)
        if method is None:
            raise RpcError(INVALID_REQUEST, "`method` has to be a string")
        if self.id is msgspec.UNSET:
            return None
        if self.reply_id() == NO_ID:
            raise RpcError(INVALID_REQUEST, "`id` has to be a string or an integer")
        return method

    def params(self) -> Params:
        """The parameters. Raises `RpcError` if they are not an object, or of the wrong types."""
        if self.raw_params is msgspec.UNSET:
            return _NO_PARAMS
        match bytes(self.raw_params)[:1]:
            case b"{":
                return read_object(_params, self.raw_params)
            case b"n":
                return _NO_PARAMS
            case b"[":
                raise RpcError(INVALID_PARAMS, "`params` has to be an object")
        raise RpcError(INVALID_REQUEST, "`params` has to be an object")


_message: Final = msgspec.json.Decoder(Message)
_params: Final = msgspec.json.Decoder(Params)
_text: Final = msgspec.json.Decoder(str)
_anything: Final = msgspec.json.Decoder(Any)


def read(body: bytes) -> tuple[Message, tuple[Fault, ...]]:
    """Decode the message in *body*; returns with it the names that are repeated in an object, at any depth.

    Raises `RpcError` if it is not JSON, or not one object.
    """
    try:
        # The check for repeated names parses the whole body, so members that stay undecoded are JSON too.
        return _message.decode(body), json_input.repeated_names(body)
    except MalformedJson as error:
        raise RpcError(PARSE_ERROR, str(error)) from None
    except InvalidInput as error:
        raise RpcError(INVALID_REQUEST, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        _check_json(body)
        raise RpcError(INVALID_REQUEST, "the body has to be one message: batches are not taken") from None


def faults_of_arguments(method: str | None, repeated: Sequence[Fault]) -> list[Fault]:
    """The *repeated* names with pointers into the tool's arguments.

    Raises `RpcError` if a name is repeated outside of the arguments.
    """
    inside = _ARGUMENTS if method == "tools/call" else "nowhere"
    outside = [fault.pointer for fault in repeated if not fault.pointer.startswith(inside)]
    if outside:
        raise RpcError(INVALID_REQUEST, f"a name stands twice in one object: {', '.join(outside)}")
    at = len(_ARGUMENTS) - 1
    return [msgspec.structs.replace(fault, pointer=fault.pointer[at:]) for fault in repeated]


def read_object(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw) -> T:
    """Decode a part of a message. Raises `RpcError` if it is not JSON, or does not fit."""
    try:
        return json_input.read_part(decoder, raw)
    except InvalidInput as error:
        raise RpcError(INVALID_PARAMS, f"`params`: {error}") from None
    except MalformedJson as error:
        raise RpcError(PARSE_ERROR, str(error)) from None


def arguments_of(raw: msgspec.Raw) -> msgspec.Raw:
    """The input for a tool; `null`, which some clients send for absent arguments, is an empty object."""
    return NO_ARGUMENTS if bytes(raw) == b"null" else raw


def result(reply_id: bytes, body: bytes) -> bytes:
    """A response with the result *body*, which is JSON already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (reply_id, body)


def failure(reply_id: bytes, error: RpcError) -> bytes:
    """A response with *error*."""
    body = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (reply_id, msgspec.json.encode(body))


def _text_of(raw: _Optional) -> str | None:
    """Decode a string; None for any other value."""
    if raw is msgspec.UNSET:
        return None
    try:
        return _text.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _check_json(body: bytes) -> None:
    """Raises `RpcError`, with the position, if *body* is not JSON."""
    try:
        json_input.read(_anything, body)
    except (InvalidInput, MalformedJson) as error:
        raise RpcError(PARSE_ERROR, str(error)) from None
