"""The request of a completion: what is checked of it, how large it may get, and what goes out to a provider.

All that is not checked is the provider's business: it goes out as the bytes that came.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from svc.domain import json_input
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.json_members import JsonObject
from svc.domain.ai.usage import MESSAGE_TOKENS, text_bytes, tokens_in
from svc.domain.errors import InvalidInput, MalformedJson
from svc.domain.limits import AI_ATTACHMENT_TOKENS, AI_CHOICES_MAX, AI_MODEL_ID_CHARS_MAX

_DATA: Final = {"image_url": "url", "input_audio": "data", "file": "file_data"}
"""The types of a message's parts that are attachments, and the member that holds the data of each."""


def _no_number(_text: str) -> None:
    """Numbers with a fraction are of no interest here, and may be out of range of a double."""


_values: Final = msgspec.json.Decoder(float_hook=_no_number)


class CompletionRequest:
    """A request that passed the checks. It holds the caller's text, so it is never logged nor stored."""

    __slots__ = (
        "_json",
        "attachments",
        "attachments_bytes",
        "choices",
        "completion_tokens_max",
        "includes_usage",
        "messages",
        "model",
        "prompt_bytes",
        "stream",
    )

    def __init__(self, body: bytes) -> None:
        """Check *body*. Raises `GatewayError`: `invalid_json` or `invalid_value`."""
        self._json = _object(body)
        self.model: Final = self._model()
        self.stream: Final[bool] = self._boolean("stream")
        """Whether the answer is wanted as it comes."""
        self.includes_usage: Final[bool] = self._includes_usage()
        """Whether the caller of a stream asked for the event with usage."""
        self.choices: Final = self._count("n", AI_CHOICES_MAX) or 1
        chosen, former = (self._count(name) for name in ("max_completion_tokens", "max_tokens"))
        self.completion_tokens_max: Final = chosen or former
        """The most that each choice may take; None where the caller did not say."""
        messages = self._messages()
        parts = list(_attachments(messages))
        self.messages: Final = len(messages)
        self.attachments: Final = len(parts)
        self.attachments_bytes: Final = sum(text_bytes(data) for data in parts)
        prompt_bytes = text_bytes(messages) + text_bytes(self._value("tools"))
        self.prompt_bytes: Final = prompt_bytes - self.attachments_bytes
        """All strings in messages and tools, without the data of attachments."""

    def __repr__(self) -> str:
        return "CompletionRequest(•••)"

    @property
    def prompt_estimate(self) -> int:
        """The estimate of the prompt's tokens."""
        return tokens_in(self.prompt_bytes) + self.messages * MESSAGE_TOKENS

    @property
    def prompt_bound(self) -> int:
        """More tokens than the prompt has: one for each byte of the body, attachments apart."""
        return len(self._json.body) - self.attachments_bytes + self.attachments * AI_ATTACHMENT_TOKENS

    def outgoing(self, model: str, *, usage_in_stream: bool = True) -> bytes:
        """The body for a provider that calls the model *model*: nothing else is changed.

        Of a stream, the event with usage is asked for unless *usage_in_stream* is off: not every provider
        knows that.
        """
        changes = {} if model == self.model else {"model": msgspec.json.encode(model)}
        if self.stream and usage_in_stream and not self.includes_usage:
            options = self._json.raw("stream_options")
            changes["stream_options"] = JsonObject(
                b"{}" if options is None or options == b"null" else options
            ).replaced({"include_usage": b"true"})
        return self._json.replaced(changes) if changes else self._json.body

    def _value(self, name: str) -> Any:
        raw = self._json.raw(name)
        try:
            return None if raw is None else _values.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise GatewayError(
                "invalid_json", f"`{name}` is not JSON that can be read.", param=name
            ) from None

    def _model(self) -> str:
        model = self._value("model")
        if not isinstance(model, str) or not 0 < len(model) <= AI_MODEL_ID_CHARS_MAX:
            raise _invalid("model", f"a text of 1 to {AI_MODEL_ID_CHARS_MAX} characters")
        return model

    def _boolean(self, name: str) -> bool:
        value = self._value(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise _invalid(name, "true or false")

    def _includes_usage(self) -> bool:
        options = self._value("stream_options")
        if not self.stream or options is None:
            return False
        if not isinstance(options, dict):
            raise _invalid("stream_options", "an object")
        wanted = options.get("include_usage")
        if wanted is None or isinstance(wanted, bool):
            return bool(wanted)
        raise _invalid("stream_options.include_usage", "true or false")

    def _count(self, name: str, largest: int | None = None) -> int | None:
        raw = self._json.raw(name)
        value = self._value(name)
        if raw is None or raw == b"null":
            return None
        if type(value) is not int or value < 1 or (largest is not None and value > largest):
            raise _invalid(name, "a whole number above 0" if largest is None else f"from 1 to {largest}")
        return value

    def _messages(self) -> list[dict[str, Any]]:
        messages = self._value("messages")
        if not isinstance(messages, list) or not messages:
            raise _invalid("messages", "a list with at least one message")
        for place, message in enumerate(messages):
            if not isinstance(message, dict):
                raise _invalid(f"messages[{place}]", "an object")
        return messages


def _object(body: bytes) -> JsonObject:
    try:
        repeated = json_input.repeated_names(body)
        if not repeated:
            return JsonObject(body)
    except MalformedJson as error:
        raise GatewayError("invalid_json", f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    except InvalidInput as error:
        raise GatewayError("invalid_json", f"The body has text that is not Unicode: {error}.") from None
    except (msgspec.DecodeError, RecursionError):
        raise GatewayError("invalid_json", "The body is not a JSON object.") from None
    first = repeated[0]
    param = first.pointer.removeprefix("/").replace("/", ".")
    raise GatewayError("invalid_value", f"`{param}` {first.detail}.", param=param)


def _invalid(param: str, expected: str) -> GatewayError:
    return GatewayError("invalid_value", f"`{param}` must be {expected}.", param=param)


def _attachments(messages: list[dict[str, Any]]) -> Iterator[Any]:
    """The data of each attachment in *messages*; None for one that is elsewhere, at an address."""
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(kind, str) and kind in _DATA:
                holder = part.get(kind)
                data = holder.get(_DATA[kind]) if isinstance(holder, dict) else None
                yield data if isinstance(data, str) else None
