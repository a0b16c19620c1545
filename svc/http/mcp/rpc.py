"""JSON-RPC 2.0 as MCP uses it: one message a request body, and what is wrong with one."""

import re
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec

from svc.domain import json_input
from svc.domain.errors import Fault, InvalidInput, MalformedJson

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
OVERLOADED: Final = -32000
"""Ours, of the range that the protocol leaves to servers."""
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

NO_ID: Final = b"null"
_INTEGER: Final = re.compile(rb"-?[0-9]{1,64}")
"""Of an id. It is given back as it was written, however large."""

_ARGUMENTS: Final = "/params/arguments/"
NO_ARGUMENTS: Final = msgspec.Raw(b"{}")

_Optional = msgspec.Raw | msgspec.UnsetType
T = TypeVar("T")


class RpcError(Exception):
    """Raised for a message that is answered with an error, and not with a result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Meta(msgspec.Struct, frozen=True):
    """What a server reads of the `_meta` of a request."""

    version: str | None = msgspec.field(name="io.modelcontextprotocol/protocolVersion", default=None)
    capabilities: dict[str, msgspec.Raw] | None = msgspec.field(
        name="io.modelcontextprotocol/clientCapabilities", default=None
    )
    idempotency_key: str | None = msgspec.field(name="svc/idempotencyKey", default=None)


_NO_META: Final = Meta()


class Params(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of every method that is answered; `null` is as good as none."""

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
    """A message whose parts are found, and not read yet."""

    jsonrpc: _Optional = msgspec.UNSET
    id: _Optional = msgspec.UNSET
    raw_method: _Optional = msgspec.field(name="method", default=msgspec.UNSET)
    raw_params: _Optional = msgspec.field(name="params", default=msgspec.UNSET)
    result: _Optional = msgspec.UNSET
    error: _Optional = msgspec.UNSET

    def reply_id(self) -> bytes:
        """The id for the answer, as it was written; `null` where there is none that could be one."""
        if self.id is msgspec.UNSET:
            return NO_ID
        written = bytes(self.id)
        return written if _INTEGER.fullmatch(written) or _text_of(self.id) is not None else NO_ID

    def method(self) -> str | None:
        """What is asked for; None for what nobody waits to be answered.

        That is a notification, or a response, to which there never was a request. Raises `RpcError`.
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
        """Its parameters. Raises `RpcError`."""
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
    """The message in *body*, and the names that stand twice in one object of it, down to the arguments.

    Raises `RpcError`: it is no JSON, or not one object.
    """
    try:
        # All of the body is looked at for its names: what stays unread in the message is JSON, then.
        return _message.decode(body), json_input.repeated_names(body)
    except MalformedJson as error:
        raise RpcError(PARSE_ERROR, str(error)) from None
    except InvalidInput as error:
        raise RpcError(INVALID_REQUEST, str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        _check_json(body)
        raise RpcError(INVALID_REQUEST, "the body has to be one message: batches are not taken") from None


def faults_of_arguments(method: str | None, repeated: Sequence[Fault]) -> list[Fault]:
    """The *repeated* names as the caller of a tool sees them. Raises `RpcError` for those of the message."""
    inside = _ARGUMENTS if method == "tools/call" else "nowhere"
    outside = [fault.pointer for fault in repeated if not fault.pointer.startswith(inside)]
    if outside:
        raise RpcError(INVALID_REQUEST, f"a name stands twice in one object: {', '.join(outside)}")
    at = len(_ARGUMENTS) - 1
    return [msgspec.structs.replace(fault, pointer=fault.pointer[at:]) for fault in repeated]


def read_object(decoder: msgspec.json.Decoder[T], raw: msgspec.Raw) -> T:
    """What *decoder* finds in a part of a message. Raises `RpcError`."""
    try:
        return json_input.read_part(decoder, raw)
    except InvalidInput as error:
        raise RpcError(INVALID_PARAMS, f"`params`: {error}") from None
    except MalformedJson as error:
        raise RpcError(PARSE_ERROR, str(error)) from None


def arguments_of(raw: msgspec.Raw) -> msgspec.Raw:
    """What a tool is asked: nothing where it is `null`, as some clients write what is not given."""
    return NO_ARGUMENTS if bytes(raw) == b"null" else raw


def result(reply_id: bytes, body: bytes) -> bytes:
    """The answer with a result, which is JSON already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (reply_id, body)


def failure(reply_id: bytes, error: RpcError) -> bytes:
    """The answer with an error."""
    body = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (reply_id, msgspec.json.encode(body))


def _text_of(raw: _Optional) -> str | None:
    """The string that *raw* is; None when it is none."""
    if raw is msgspec.UNSET:
        return None
    try:
        return _text.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _check_json(body: bytes) -> None:
    """Raises `RpcError` that says where *body* stops being JSON."""
    try:
        json_input.read(_anything, body)
    except (InvalidInput, MalformedJson) as error:
        raise RpcError(PARSE_ERROR, str(error)) from None
