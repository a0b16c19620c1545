"""The request of a completion: what is checked of it, how large it may get, and what goes out to a provider.

All that is not checked is the provider's business: it goes out as the bytes that came.
"""

import re
from typing import Final

import msgspec

from svc.domain.ai.attachments import attachments_of, is_object
from svc.domain.ai.costly_members import effects_of
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.json_members import JsonObject
from svc.domain.ai.limits import AI_ATTACHMENT_TOKENS, AI_CHOICES_MAX, AI_MODEL_ID_CHARS_MAX
from svc.domain.ai.usage import MESSAGE_TOKENS, NULL, json_text_bytes, tokens_in
from svc.domain.errors import InvalidInput, MalformedJson
from svc.domain.input import json as json_input

_COUNT: Final = re.compile(rb"[1-9][0-9]*")
_DIGITS_MAX: Final = 18
_FLAGS: Final = {b"true": True, b"false": False, b"null": False}


class _Options(msgspec.Struct):
    include_usage: msgspec.Raw = NULL


_text: Final = msgspec.json.Decoder(str).decode
_values: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_options: Final = msgspec.json.Decoder(_Options).decode


class CompletionRequest:
    """A request that passed the checks. It holds the caller's text, so it is never logged nor stored."""

    __slots__ = (
        "_json",
        "attachments",
        "choices",
        "completion_tokens_max",
        "effects",
        "includes_usage",
        "messages",
        "model",
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
        self.completion_tokens_max: Final = self._limit()
        """The most that each choice may take; None where the caller did not say."""
        messages = self._messages()
        self.messages: Final = len(messages)
        self.attachments: Final = attachments_of(messages)
        self.effects: Final = effects_of(self._json)
        """What other members do to the bound."""

    def __repr__(self) -> str:
        return "CompletionRequest(•••)"

    def prompt_estimate(self) -> int:
        """The estimate of the prompt's tokens: all strings in messages and tools, without attachments' data.

        That is work where the body is large, and needed only where no usage came.
        """
        parts = (self._json.raw(name) for name in ("messages", "tools"))
        size = sum(json_text_bytes(raw) for raw in parts if raw is not None)
        data_bytes = self.attachments.data_bytes
        return tokens_in(max(0, size - data_bytes)) + self.messages * MESSAGE_TOKENS

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self._json.body)

    @property
    def prompt_bound(self) -> int:
        """More tokens than a prompt has whose attachments are pictures: one a byte, and theirs."""
        attachments = self.attachments
        return self.size - attachments.data_bytes + attachments.number * AI_ATTACHMENT_TOKENS

    @property
    def fills_context(self) -> bool:
        """Whether the prompt may be as long as the model takes, however short the body is."""
        return self.attachments.fills_context or self.effects.fills_context

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

    def _raw(self, name: str) -> bytes:
        """The member as JSON; `null` where there is none."""
        return self._json.raw(name) or b"null"

    def _model(self) -> str:
        try:
            model = _text(self._raw("model"))
        except msgspec.DecodeError:
            model = ""
        if not 0 < len(model) <= AI_MODEL_ID_CHARS_MAX:
            raise _invalid("model", f"a text of 1 to {AI_MODEL_ID_CHARS_MAX} characters")
        return model

    def _boolean(self, name: str) -> bool:
        flag = _FLAGS.get(self._raw(name))
        if flag is None:
            raise _invalid(name, "true or false")
        return flag

    def _includes_usage(self) -> bool:
        options = self._raw("stream_options")
        if not self.stream or options == b"null":
            return False
        try:
            wanted = _FLAGS.get(bytes(_options(options).include_usage))
        except msgspec.DecodeError:
            raise _invalid("stream_options", "an object") from None
        if wanted is None:
            raise _invalid("stream_options.include_usage", "true or false")
        return wanted

    def _count(self, name: str, largest: int | None = None) -> int | None:
        raw = self._raw(name)
        if raw == b"null":
            return None
        value = int(raw[:_DIGITS_MAX]) if _COUNT.fullmatch(raw) else 0
        if value < 1 or (largest is not None and value > largest):
            raise _invalid(name, "a whole number above 0" if largest is None else f"from 1 to {largest}")
        return value

    def _limit(self) -> int | None:
        """The limit of tokens, by either name."""
        chosen, former = (self._count(name) for name in ("max_completion_tokens", "max_tokens"))
        if chosen is not None and former is not None and chosen != former:
            raise _invalid("max_tokens", "the same as `max_completion_tokens`, where both are given")
        return chosen or former

    def _messages(self) -> list[msgspec.Raw]:
        try:
            messages = _values(self._raw("messages"))
        except msgspec.DecodeError:
            messages = []
        if not messages:
            raise _invalid("messages", "a list with at least one message")
        for place, message in enumerate(messages):
            if not is_object(message):
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
