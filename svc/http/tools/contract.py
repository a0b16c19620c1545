"""The contract: an OpenAPI 3.1 document of every tool, generated from the registry."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final, assert_never

import msgspec

from svc.domain.limits import CALLS_MAX, IDEMPOTENCY_LIFE_MS, TOOL_BODY_BYTES_MAX
from svc.domain.locale.times import HOUR_MS
from svc.http.docs.example_ids import NO_IDS, ExampleIds, with_ids
from svc.http.problems.problems import MEDIA_TYPE, Problem
from svc.http.tools import event_contract
from svc.http.tools.contract_parts import (
    BUDGET_HEADERS,
    DEPRECATION_HEADERS,
    HEADERS,
    PARAMETERS,
    Json,
    headers_of,
    problem_response,
    problem_responses,
    problem_schema,
    referenced_by,
)
from svc.http.tools.door import API_PATH, APP_PATH
from svc.http.tools.id_patterns import with_id_patterns
from svc.http.tools.problem_codes import NEVER_A_KEYS, problem_codes_of_keys, repeatable
from svc.tools.nouns import NOUNS
from svc.tools.registry import Registry
from svc.tools.schemas import components
from svc.tools.tool import Tool, ToolInput
from svc.version import VERSION

PATH: Final = "/api/v1/openapi.json"

_JSON: Final = "application/json"
_SCHEMAS: Final = "#/components/schemas/"

_OVERVIEW: Final = f"""\
Every tool of the service, callable with an API key: `POST {API_PATH}<name>` with the tool's input as
JSON. The same as pages: `/docs/api`.

- **Authentication.** `Authorization: Bearer <API key>`. Whatever is wrong with a key, the answer is one
  and the same 401. A key acts as who made it, with the weaker of its own role and that person's.
- **Errors** are `{MEDIA_TYPE}` (RFC 9457). Branch on `code`; `/problems/<code>` explains each.
- **Budget.** {CALLS_MAX} calls a minute for each key, unless the service is configured otherwise. Every
  answer to a good key says what is left of it, in `RateLimit-*`. A 429 and a 503 say in `Retry-After`
  when to come again.
- **Retries.** Send an `Idempotency-Key` with a write: for {IDEMPOTENCY_LIFE_MS // HOUR_MS} hours the same
  call under the same key is answered as the first time, with `Idempotent-Replayed: true`, and nothing is
  done again.
- **Lists** take `limit` and `cursor`; `nextCursor` of the answer leads on, and is null at the end.
- **Events** are sent to webhooks, which `webhooks` describes, and listed by `event.list`: the guide is at
  `/docs/webhooks`.
- **Times** are RFC 3339 in UTC with milliseconds. A body has at most {TOOL_BODY_BYTES_MAX:,} bytes.
- Every answer has an `X-Request-Id`: the caller's own if it is 1 to 128 visible ASCII characters.

`x-tool` says of each operation whether it `reads` or `writes`, which permission it `needs`, which does
for one's `own` where there is one, whether it `showsSecret` this once, and who `runs` it: a key may call the
`open` ones. Those for a `person`, or with an `approval`, always answer a key with 403; who is signed in calls
them at `POST {APP_PATH}<name>`. `personsGive` are members of an `open` one that a person alone may give.
"""


class Contract:
    """The contract of the tools of *registry*; *ids* replace the placeholders in its examples."""

    def __init__(self, registry: Registry, ids: ExampleIds = NO_IDS) -> None:
        self._tools: Final = tuple(registry.values())
        self.ids: Final = ids

    @cached_property
    def body(self) -> bytes:
        """The document as JSON bytes."""
        return msgspec.json.encode(self._make())

    def body_at(self, server: str) -> bytes:
        """The document as JSON bytes, whose operations are at the address *server*."""
        url = msgspec.json.encode(server)
        return self.body.replace(b'"servers":[{"url":"/"', b'"servers":[{"url":' + url, 1)

    @cached_property
    def document(self) -> Json:
        """The document as clients decode it."""
        document: Json = msgspec.json.decode(self.body)
        return document

    def _make(self) -> Json:
        paths = {f"{API_PATH}{tool.name}": {"post": _operation(tool, self.ids)} for tool in self._tools}
        problems = {
            problem.name: problem
            for tool in self._tools
            for problem in problem_responses(problem_codes_of_keys(tool))
        }
        responses = {name: problem_response(problem) for name, problem in sorted(problems.items())}
        problem_schemas = {problem.problem_name: problem_schema(problem) for problem in problems.values()}
        webhooks = event_contract.webhooks(self.ids)
        nouns = {tool.noun for tool in self._tools} | {"webhook"}
        return {
            "openapi": "3.1.0",
            "info": {
                "title": "Tool API",
                "version": VERSION,
                "description": _OVERVIEW,
                "contact": {"name": "Whoever runs this service"},
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
            "servers": [{"url": "/", "description": "This service"}],
            "security": [{"apiKey": []}],
            "tags": [
                {"name": name, "description": noun.description}
                for name, noun in NOUNS.items()
                if name in nouns
            ],
            "paths": paths,
            "webhooks": webhooks,
            "components": {
                "securitySchemes": {
                    "apiKey": {"type": "http", "scheme": "bearer", "description": "An API key, `svck_…`."}
                },
                "schemas": dict(sorted((self._schemas() | problem_schemas).items())),
                "parameters": referenced_by(
                    PARAMETERS | event_contract.PARAMETERS, "parameters", paths, webhooks
                ),
                "headers": referenced_by(HEADERS, "headers", paths, responses),
                "responses": responses,
            },
        }

    def _schemas(self) -> dict[str, Json]:
        """The schemas of all inputs and answers, and of `Problem`, by name."""
        problem = {name: _without_nulls(schema) for name, schema in _schemas([Problem]).items()}
        inputs = _schemas(tool.request_type for tool in self._tools)
        answers = (tool.answer_type for tool in self._tools)
        outputs = _schemas([*answers, *event_contract.payload_types()])
        outputs = {
            name: with_id_patterns(_with_defaults_required(schema)) for name, schema in outputs.items()
        }
        return problem | outputs | {name: _with_defaults_described(schema) for name, schema in inputs.items()}


def example_json(example: Any) -> Any:
    """An *example* as JSON. Members of an input that equal their default are left out."""
    if isinstance(example, list | tuple):
        return [example_json(item) for item in example]
    if not isinstance(example, ToolInput):
        return msgspec.json.decode(msgspec.json.encode(example))  # some have parts that are JSON already
    return {
        field.encode_name: example_json(value)
        for field in msgspec.structs.fields(example)
        if (value := getattr(example, field.name)) != _default(field)
    }


def _default(field: msgspec.structs.FieldInfo) -> Any:
    factory = field.default_factory
    return field.default if factory is msgspec.NODEFAULT else factory()


def _operation(tool: Tool[Any, Any], ids: ExampleIds) -> Json:
    """The OpenAPI operation of *tool*."""
    key_may = tool.runs not in NEVER_A_KEYS
    operation: Json = {
        "operationId": tool.name,
        "tags": [tool.noun],
        "summary": tool.summary.removesuffix("."),
        "description": "\n\n".join([tool.description, *_rights(tool), *filter(None, [tool.notice])]),
        "x-tool": {"effect": tool.effect, "runs": tool.runs, "needs": tool.needs},
    }
    if tool.own is not None:
        operation["x-tool"]["own"] = tool.own
    if tool.persons_give:
        operation["x-tool"]["personsGive"] = [tool.request_type.wire_name(name) for name in tool.persons_give]
    if tool.shows_secret:
        operation["x-tool"]["showsSecret"] = True
    if tool.deprecated:
        operation |= {"deprecated": True}
        operation["x-tool"]["replacement"] = tool.deprecated.replacement
    if repeatable(tool) and key_may:
        operation["parameters"] = [{"$ref": "#/components/parameters/IdempotencyKey"}]
    headers = [
        "X-Request-Id",
        *BUDGET_HEADERS,
        *(["Idempotent-Replayed"] if repeatable(tool) and key_may else []),
        *(DEPRECATION_HEADERS if tool.deprecated else []),
    ]
    success = {
        "description": "What the tool answers." if key_may else "What a person is answered; a key never is.",
        "headers": headers_of(headers),
        "content": {
            _JSON: {
                "schema": _ref(tool.answer_type),
                "example": with_ids(tool.name, example_json(tool.answer), ids),
            }
        },
    }
    problems = {
        str(problem.status): {"$ref": f"#/components/responses/{problem.name}"}
        for problem in problem_responses(problem_codes_of_keys(tool))
    }
    return operation | {
        "requestBody": {
            # A tool without required members can be called without a body.
            "required": any(field.required for field in msgspec.structs.fields(tool.request_type)),
            "content": {
                _JSON: {
                    "schema": _ref(tool.request_type),
                    "example": with_ids(tool.name, example_json(tool.example), ids),
                }
            },
        },
        "responses": {"200": success} | problems,
    }


def _rights(tool: Tool[Any, Any]) -> Iterable[str]:
    if tool.needs is not None:
        own = f", or `{tool.own}` for one's own" if tool.own is not None else ""
        yield f"Needs the permission `{tool.needs}`{own}."
    match tool.runs:
        case "approval":
            yield "Wants a person's approval: a key is always answered with 403 `approval_required`."
        case "person":
            yield "For people alone: a key is always answered with 403 `person_only`."
        case "open":
            pass
        case _:
            assert_never(tool.runs)


def _ref(kind: type) -> Json:
    return {"$ref": f"{_SCHEMAS}{kind.__name__}"}


def _schemas(kinds: Iterable[type]) -> dict[str, Json]:
    _, schemas = components(dict.fromkeys(kinds), _SCHEMAS + "{name}")
    for schema in schemas.values():
        del schema["title"]  # repeats the name
        _make_explicit(schema)
    return schemas


def _make_explicit(schema: Any) -> None:
    """Add what client generators would otherwise guess: types of enums, and `additionalProperties`."""
    match schema:
        case {"enum": [str(), *_]}:
            schema["type"] = "string"
        case {"type": "object"} if not {"properties", "additionalProperties"} & schema.keys():
            schema["additionalProperties"] = True
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            _make_explicit(part)


def _with_defaults_required(schema: Json) -> Json:
    """The schema of an answer, in which members with a default are required: they are always sent."""
    fields = schema.get("properties", {})
    defaulted = [name for name, field in fields.items() if "default" in field]
    if not defaulted:
        return schema
    properties = {name: _without(field, "default") for name, field in fields.items()}
    return schema | {"properties": properties, "required": [*schema["required"], *defaulted]}


def _with_defaults_described(schema: Json) -> Json:
    """The schema of an input, with defaults moved into descriptions.

    openapi-typescript treats a member with a `default` as required.
    """
    if "properties" not in schema:
        return schema
    fields = schema["properties"]
    return schema | {"properties": {name: _default_in_words(field) for name, field in fields.items()}}


def _default_in_words(field: Json) -> Json:
    default = field.get("default")
    field = _without(field, "default")
    if not default and not isinstance(default, bool | int):
        return field  # null or empty, as expected
    words = f"Left out, it is `{msgspec.json.encode(default).decode()}`."
    return field | {"description": " ".join([*filter(None, [field.get("description")]), words])}


def _without_nulls(schema: Json) -> Json:
    """The schema of a struct that omits its defaults: its members are absent rather than null."""
    properties = {
        name: field["anyOf"][0] if "anyOf" in field else _without(field, "default")
        for name, field in schema["properties"].items()
    }
    return schema | {"properties": properties}


def _without(schema: Json, key: str) -> Json:
    return {name: value for name, value in schema.items() if name != key}
