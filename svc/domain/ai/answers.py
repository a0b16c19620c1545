"""Answers of providers: what is one, what it used, and what of it the caller is shown.

Text of an answer is counted and compared with its provider's key, and never kept. Only what is needed is
decoded: an answer may be large, and a decoder lets no other thread run meanwhile.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from svc.domain.ai.attachments import is_object
from svc.domain.ai.json_members import JsonObject
from svc.domain.ai.limits import AI_CHOICES_MAX, AI_EVENT_BYTES_MAX
from svc.domain.ai.usage import NULL, Usage, is_null, json_text_bytes, read_usage

_SMALL_BYTES: Final = 64 * 1024
"""What is decoded at once; `usage` is never more."""
_PLACES_MAX: Final = 4
"""Places in an answer at which `usage` is looked for."""


class _Top(msgspec.Struct):
    choices: msgspec.Raw = NULL
    usage: msgspec.Raw = NULL
    error: msgspec.Raw = NULL


class _Choice(msgspec.Struct):
    index: msgspec.Raw = NULL
    message: msgspec.Raw = NULL
    delta: msgspec.Raw = NULL
    finish_reason: msgspec.Raw = NULL


class _Message(msgspec.Struct):
    content: msgspec.Raw = NULL
    refusal: msgspec.Raw = NULL
    reasoning_content: msgspec.Raw = NULL
    reasoning: msgspec.Raw = NULL
    tool_calls: msgspec.Raw = NULL
    function_call: msgspec.Raw = NULL


class _ToolCall(msgspec.Struct):
    function: msgspec.Raw = NULL


class _Function(msgspec.Struct):
    name: msgspec.Raw = NULL
    arguments: msgspec.Raw = NULL


_top: Final = msgspec.json.Decoder(_Top).decode
_choice: Final = msgspec.json.Decoder(_Choice).decode
_message: Final = msgspec.json.Decoder(_Message).decode
_values: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_text: Final = msgspec.json.Decoder(str).decode
_anything: Final = msgspec.json.Decoder().decode
_MEMBERS: Final = len(_Message.__struct_fields__)
_BEGINS: Final = {b"%d" % number: number * _MEMBERS for number in range(AI_CHOICES_MAX)}
"""The first place of each choice, by its index as JSON."""
_tool_call: Final = msgspec.json.Decoder(_ToolCall).decode
_function: Final = msgspec.json.Decoder(_Function).decode
# An array with more elements than there may be choices is refused at once, before it fills the memory.
_many: Final = msgspec.json.Decoder(
    msgspec.defstruct(
        "_Choices",
        [(f"choice{number}", msgspec.Raw, NULL) for number in range(AI_CHOICES_MAX)],
        array_like=True,
        forbid_unknown_fields=True,
    )
).decode
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Piece(NamedTuple):
    """A piece of a text that is streamed."""

    place: int
    """Pieces with the same place make up one text: a member of one choice."""
    text: str
    size: int
    """Its bytes, as the estimate counts them."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of an answer, or of one event of a streamed one."""

    usage: Usage | None = None
    text_bytes: int = 0
    """Bytes of text, refusals, reasoning and tool calls, for the estimate."""
    pieces: Sequence[Piece] = ()
    """Of one event: the same texts."""
    is_finished: bool = False
    """Whether a choice has its `finish_reason`."""
    is_usage_alone: bool = False
    """Whether it is the event of a stream that has usage and no choice."""

    def __repr__(self) -> str:
        return "Answer(•••)"


def read_answer(body: bytes | bytearray) -> Answer | None:
    """An answer that is not streamed; None for what is no completion."""
    return _read(body, whole=True)


def read_chunk(data: bytes) -> Answer | None:
    """The data of one event of a stream; None for what is no part of a completion, such as an error."""
    return _read(data, whole=False)


def is_error(body: bytes | bytearray) -> bool:
    """Whether *body* has the shape of an error that may be passed on: `{error: {…}}`."""
    try:
        return bytes(memoryview(_top(body).error)[:1]) == b"{"
    except _UNREADABLE:
        return False


def with_cost(body: bytes, cost_micro_credits: int) -> bytes:
    """*body* with its cost in `usage`; as it is where there is none. All else stays, to the byte."""
    changed = bytearray(body)
    put_cost(changed, cost_micro_credits)
    return bytes(changed)


def put_cost(body: bytearray, cost_micro_credits: int) -> None:
    """As `with_cost`, in place: *body* may be large."""
    try:
        before = _small_usage(body)
        after = JsonObject(before).replaced({"cost_micro_credits": b"%d" % cost_micro_credits})
        at = len(body)
        for _ in range(_PLACES_MAX):
            at = body.rfind(before, 0, at)
            if at < 0:
                return
            body[at : at + len(before)] = after
            if _small_usage(body) == after:
                return
            body[at : at + len(after)] = before  # the same bytes elsewhere
    except _UNREADABLE:
        return


def _small_usage(body: bytes | bytearray) -> bytes:
    """The JSON of `usage`; nothing where it is too large to be one."""
    usage = _top(body).usage
    return bytes(usage) if len(memoryview(usage)) <= _SMALL_BYTES else b""


def _read(body: bytes | bytearray, *, whole: bool) -> Answer | None:
    try:
        top = _top(body)
        if not (is_null(top.error) and _is_unicode(body)):
            return None
        choices = [_choice(one) for one in _choices(top.choices)]
    except _UNREADABLE:
        return None
    usage = read_usage(top.usage)
    pieces = () if whole else tuple(piece for one in choices for piece in _pieces(one))
    size = sum(piece.size for piece in pieces)
    if whole and usage is None:  # else the estimate does not count; the usage of a stream comes last
        size = sum(json_text_bytes(raw) for one in choices for _, raw in _texts(one.message))
    return Answer(
        usage=usage,
        text_bytes=size,
        pieces=pieces,
        is_finished=any(not is_null(one.finish_reason) for one in choices),
        is_usage_alone=not choices and not is_null(top.usage),
    )


def _choices(raw: msgspec.Raw) -> list[msgspec.Raw]:
    """The choices. Raises `msgspec.DecodeError` for what is no array, or for more than there may be."""
    if len(memoryview(raw)) > _SMALL_BYTES:
        few: tuple[msgspec.Raw, ...] = msgspec.structs.astuple(_many(raw))
        return [one for one in few if one is not NULL]
    choices = _values(raw)
    if len(choices) > AI_CHOICES_MAX:
        raise msgspec.DecodeError("too many choices")
    return choices


def _is_unicode(body: bytes | bytearray) -> bool:
    return body.isascii() or bool(body.decode())


def _pieces(choice: _Choice) -> Iterator[Piece]:
    """The pieces of text in a choice of one event."""
    begin = _BEGINS.get(bytes(choice.index), 0)
    for member, raw in _texts(choice.delta):
        try:
            if bytes(memoryview(raw)[:1]) == b'"':
                text = _text(raw)
                size = len(text) if text.isascii() else len(text.encode())
                yield Piece(begin + member, text, size)
            else:
                yield Piece(begin + member, _joined(_anything(raw)), json_text_bytes(raw))
        except _UNREADABLE:
            continue


def _texts(message: msgspec.Raw) -> Iterator[tuple[int, msgspec.Raw]]:
    """What of a message is text: of each the number of its member, and its JSON."""
    try:
        found = _message(message)
    except _UNREADABLE:
        return
    texts = (found.content, found.refusal, found.reasoning_content, found.reasoning)
    for member, raw in enumerate(texts):
        if raw is not NULL:
            yield member, raw
    for member, raw in enumerate((found.tool_calls, found.function_call), len(texts)):
        if raw is not NULL:
            yield from ((member, one) for one in _functions(raw))


def _functions(raw: msgspec.Raw) -> Iterator[msgspec.Raw]:
    """Names and arguments of calls of tools, or of the one function that is called."""
    if len(memoryview(raw)) > AI_EVENT_BYTES_MAX:
        yield raw  # ids as well, and all that nobody has asked for
        return
    try:
        calls = [_ToolCall(raw)] if is_object(raw) else [_tool_call(one) for one in _values(raw)]
    except _UNREADABLE:
        return
    for call in calls:
        try:
            function = _function(call.function)
        except _UNREADABLE:
            continue
        yield function.name
        yield function.arguments


def _joined(value: Any) -> str:
    """The texts of *value* as one, without what says which kind of text each is."""
    match value:
        case str():
            return value
        case list():
            return "".join(map(_joined, value))
        case dict():
            return "".join(_joined(member) for name, member in value.items() if name != "type")
    return ""
