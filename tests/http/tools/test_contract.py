"""The contract: valid, complete, true of the doors, and there for everybody."""

import gzip
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own
from openapi_spec_validator import OpenAPIV31SpecValidator

from svc.domain.limits import CALLS_MAX
from svc.http.app import in_front, public_app, quart_app
from svc.http.fast_path import Routes
from svc.http.problems.problems import CODES
from svc.http.tools import contract
from svc.http.tools import door as tools
from svc.http.tools.contract import Contract
from svc.http.tools.door import KeyGate, ToolDoor
from svc.tools.catalogue import REGISTRY
from svc.tools.nouns import NOUNS
from tests.http.asking import client_of
from tests.http.tools.sample_tools import GONE_AT, SAMPLES
from tests.tooling import tool_town
from tests.town import town

BOTH = pytest.mark.parametrize("registry", [REGISTRY, SAMPLES], ids=["catalogue", "samples"])


def operations(document: Any) -> dict[str, Any]:
    return {path.rpartition("/")[2]: path_item["post"] for path, path_item in document["paths"].items()}


def resolved(document: Any, part: Any) -> Any:
    """*part*, or what it refers to."""
    if "$ref" in part:
        for step in part["$ref"].removeprefix("#/").split("/"):
            document = document[step]
        return document
    return part


def faults(document: Any, schema: Any, value: Any) -> list[str]:
    """What is wrong with *value* by a *schema* of the document."""
    whole = {"allOf": [schema], "components": document["components"]}
    checker = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{one.json_path}: {one.message}" for one in checker.iter_errors(value)]


def media(document: Any) -> Iterator[tuple[str, Any]]:
    """Every body that the document describes."""
    for name, operation in operations(document).items():
        yield f"{name} asks", operation["requestBody"]["content"]["application/json"]
        for status, answer in operation["responses"].items():
            for one in resolved(document, answer)["content"].values():
                yield f"{name} {status}", one
    for name, item in document["webhooks"].items():
        yield f"{name} is sent", item["post"]["requestBody"]["content"]["application/json"]


@BOTH
def test_it_is_valid(registry):
    """A validator that knows nothing of this service finds no fault in it."""
    OpenAPIV31SpecValidator(Contract(registry).document).validate()


@BOTH
def test_every_example_is_what_its_schema_says(registry):
    """Inputs, answers and problems."""
    document = Contract(registry).document
    found = []
    for where, one in media(document):
        examples = [case["value"] for case in one.get("examples", {}).values()] or [one["example"]]
        found += [
            f"{where}: {fault}" for value in examples for fault in faults(document, one["schema"], value)
        ]
    for name, header in document["components"]["headers"].items():
        found += [f"{name}: {fault}" for fault in faults(document, header["schema"], header["example"])]

    assert [] == found


@BOTH
def test_it_has_every_tool_once(registry):
    """As one operation that is called as the tool is, about a noun that is explained."""
    document = Contract(registry).document
    found = operations(document)

    assert list(registry) == list(found)
    assert list(registry) == [one["operationId"] for one in found.values()]
    tags = {tool.noun for tool in registry.values()} | {"webhook"}
    assert tags == {tag["name"] for tag in document["tags"]}
    assert [] == [tool.name for tool in registry.values() if tool.noun not in NOUNS]
    assert [] == [name for name, one in found.items() if not one["summary"] or not one["description"]]


@BOTH
def test_inputs_are_closed_and_names_are_plain(registry):
    """Nothing that a tool does not know gets in; each schema has the name of its noun, not of a module."""
    schemas = Contract(registry).document["components"]["schemas"]
    asked = {one["$ref"].rpartition("/")[2] for one in _asked(registry)}
    reached = set[str]()
    while asked - reached:
        reached |= asked
        text = msgspec.json.encode([schemas[name] for name in reached]).decode()
        asked |= set(re.findall(r"#/components/schemas/(\w+)", text))

    objects = [name for name in sorted(reached) if "anyOf" not in schemas[name]]
    assert [] == [name for name in objects if schemas[name]["additionalProperties"] is not False]
    assert [] == [name for name in schemas if not re.fullmatch("([A-Z][a-zA-Z0-9]*)", name)]


def _asked(registry: Any) -> list[Any]:
    return [
        one["requestBody"]["content"]["application/json"]["schema"]
        for one in operations(Contract(registry).document).values()
    ]


def test_every_problem_of_a_tool_has_a_page():
    """Every error that a tool declares has an existing code."""
    found = [(tool.name, error.code) for tool in REGISTRY.values() for error in tool.raises]

    assert [] == [one for one in found if one[1] not in CODES]


def test_a_key_is_rejected_by_tools_for_people():
    """Tools of people and of approvals are there, and say that a key gets 403 whatever its body."""
    found = operations(Contract(SAMPLES).document)
    statuses = {name: [*one["responses"]] for name, one in found.items()}

    never = ["200", "400", "401", "403", "429", "500", "503"]
    assert never == statuses["workflow.delete"] == statuses["serverkey.mint"]
    assert ["400", "401", "403", "408", "413", "415", "422"] == statuses["workflow.list"][1:8]
    assert "409" in statuses["workflow.update"]
    minting = {"effect": "writes", "runs": "person", "needs": "security", "showsSecret": True}
    assert minting == found["serverkey.mint"]["x-tool"]
    assert "403 `approval_required`" in found["workflow.delete"]["description"]


def test_what_only_a_person_may_give_is_marked():
    """A key may call the tool, and is told beforehand what not to send."""
    found = operations(Contract(REGISTRY).document)

    given = {
        name: one["x-tool"]["personsGive"] for name, one in found.items() if "personsGive" in one["x-tool"]
    }
    assert {"connection.update": ["url"], "webhook.update": ["url"]} == given
    assert "403" in found["connection.update"]["responses"]


def test_only_writes_that_are_kept_take_an_idempotency_key():
    """Reading has no use for one, and an answer with a secret is not kept."""
    found = operations(Contract(SAMPLES).document)

    assert ["workflow.update"] == [name for name, one in found.items() if "parameters" in one]


def test_an_old_name_is_marked():
    """It is deprecated, names its replacement, and may answer 410."""
    old = operations(Contract(SAMPLES).document)["automation.list"]

    assert (True, "workflow.list") == (old["deprecated"], old["x-tool"]["replacement"])
    assert "410" in old["responses"]
    assert {"Deprecation", "Sunset", "Link"} <= old["responses"]["200"]["headers"].keys()
    assert "call `workflow.list`" in old["description"]


async def test_an_old_name_works_until_its_day(autojump_clock):
    """It says that it goes, and when; from the day after that on it answers 410, and still says so."""
    async with tool_town() as here:
        door = ToolDoor(here.system, SAMPLES, KeyGate(here.system))
        async with client_of(in_front(quart_app(), Routes({tools.API_PATH: door}))) as here.client:
            before = await here.call("automation.list")
            here.clock.jump(GONE_AT - here.clock.now() - 1)
            key = await here.mint()
            eve = await here.call("automation_list", key=key)
            here.clock.jump(1)
            after = await here.call("automation.list", key=key)
            new = await here.call("workflow.list", key=key)

        assert [200, 200, 410] == [one.status_code for one in (before, eve, after)]
        assert ("gone", "automation.list is gone: call workflow.list") == (
            after.json()["code"],
            after.json()["detail"],
        )
        for one in (before, eve, after):
            assert (
                "@1789689600",
                "Wed, 17 Mar 2027 00:00:00 GMT",
                '</docs/deprecations>; rel="deprecation"',
            ) == (one.headers["deprecation"], one.headers["sunset"], one.headers["link"])
        assert (200, False) == (new.status_code, "deprecation" in new.headers)


async def test_the_doors_answer_as_it_says(autojump_clock):
    """Each problem has a status, a body and headers that the contract has for that operation."""
    ada = {"objectType": "contact", "properties": {"name": "Ada"}}
    async with tool_town() as here:
        viewer, json = await here.mint(role_id="viewer"), {"content-type": "application/json"}
        path, bearer = "/api/v1/tools/record.create", {"authorization": f"Bearer {here.key}"}
        answers = [
            await here.call("record.create", ada, idempotency_key="k"),
            await here.call("record.create", ada, idempotency_key="k"),
            await here.client.post(path, content=b"{", headers=bearer | json),
            await here.client.post(path, json=ada),
            await here.call("record.create", ada, key=viewer),
            await here.call("record.create", ada | {"objectType": "ship"}),
            await here.client.post(path, content=b" " * 1_000_001, headers=bearer | json),
            await here.client.post(path, content=b"{}", headers=bearer),
            await here.call("record.create", ada | {"more": 1}),
            await here.call("record.create", {}, idempotency_key="k" * 256),
        ]
        for _ in range(CALLS_MAX):
            spent = await here.call("record.create")
        answers.append(spent)

    document = Contract(REGISTRY).document
    told = operations(document)["record.create"]["responses"]
    assert [200, 200, 400, 401, 403, 404, 413, 415, 422, 422, 429] == [one.status_code for one in answers]
    for one in answers:
        answer = resolved(document, told[str(one.status_code)])
        content = answer["content"][one.headers["content-type"]]
        assert [] == faults(document, content["schema"], one.json())
        headers = {name: resolved(document, header) for name, header in answer["headers"].items()}
        assert [] == [
            name for name, header in headers.items() if header["required"] and name not in one.headers
        ]


def test_ids_have_patterns_in_answers_and_none_in_inputs():
    """So that a client can tell them apart; what it asks with is looked for, whatever its form."""
    document = Contract(REGISTRY).document
    schemas = document["components"]["schemas"]

    def pattern(name: str, member: str) -> str | None:
        field = schemas[name]["properties"][member]
        found: str | None = field.get("anyOf", [field])[0].get("pattern")
        return found

    ulid = "[0-9A-HJKMNP-TV-Z]{26}"
    assert f"^con_{ulid}$" == pattern("ConnectionAnswer", "id")
    assert f"^cnv_{ulid}$" == pattern("MessageAnswer", "conversationId")
    assert f"^sit_{ulid}$" == pattern("FormAnswer", "siteId")
    assert f"^org_{ulid}$" == pattern("RecordCreatedEvent", "organizationId")
    assert [None] * 3 == [
        pattern("RoleAnswer", "id"),
        pattern("AuditEntryAnswer", "callerId"),
        pattern("UsageRow", "keyId"),
    ]
    asked = msgspec.json.encode([schemas[tool.request_type.__name__] for tool in REGISTRY.values()])
    assert b"_[0-9A-HJKMNP" not in asked


async def test_an_id_of_another_form_is_told_as_one_that_is_not_there(autojump_clock):
    """By every tool that takes one: 404 for what the call is about, 422 with its place for another."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        told = {}
        for tool in REGISTRY.values():
            required = [one.name for one in msgspec.structs.fields(tool.request_type) if one.required]
            if "id" in required and tool.deprecated is None:
                for odd in ("x", "", "rec_1", "é" * 300, "../..", "con_01K5D3V7Q2M8Z4X6C9B1N0T5R"):
                    body = contract.example_json(tool.example) | {"id": odd}
                    answer = await here.call_as_person(tool.name, body, csrf=csrf)
                    problem = answer.json()
                    pointers = [one["pointer"] for one in problem.get("errors", ())]
                    if answer.status_code != 404 and (answer.status_code, pointers) != (422, ["/id"]):
                        told[tool.name, odd] = (answer.status_code, problem.get("detail"))

        assert {} == told


async def test_it_says_where_the_operations_are(autojump_clock):
    """At `server.public_url`; without one, at the address that was asked, however many there are."""
    async with town() as here, here.live_system() as system:
        async with client_of(public_app(system, public_url="https://own.example/svc")) as visitor:
            public = (await visitor.get(contract.PATH)).json()
        async with client_of(public_app(system)) as visitor:
            hosts = ["127.0.0.1:8000", "[::1]:8000", *(f"svc{number}.test" for number in range(10))]
            asked = [(await visitor.get(contract.PATH, headers={"host": host})).json() for host in hosts]
            odd = (await visitor.get(contract.PATH, headers={"host": "a b"})).json()

        assert "https://own.example/svc" == public["servers"][0]["url"]
        assert [f"http://{host}" for host in hosts] == [one["servers"][0]["url"] for one in asked]
        assert "/" == odd["servers"][0]["url"]
        assert [public | {"servers": []}] * len(hosts) == [one | {"servers": []} for one in asked]


async def test_everybody_may_read_it(autojump_clock):
    """Without a key, from pages of any origin, compressed where that is accepted, and once."""
    async with town() as here, here.live_system() as system, client_of(public_app(system)) as visitor:
        plain = await visitor.get(contract.PATH, headers={"accept-encoding": "identity"})
        packed = await visitor.get(contract.PATH, headers={"accept-encoding": "gzip"})
        again = await visitor.get(contract.PATH, headers={"if-none-match": packed.headers["etag"]})
        other = await visitor.post(contract.PATH)

        assert (200, "application/json", "*") == (
            plain.status_code,
            plain.headers["content-type"],
            plain.headers["access-control-allow-origin"],
        )
        assert Contract(REGISTRY).body_at("http://svc.test") == plain.content == packed.content
        assert ("gzip", "Accept-Encoding") == (packed.headers["content-encoding"], packed.headers["vary"])
        assert int(packed.headers["content-length"]) == len(gzip.compress(plain.content))
        assert plain.headers["etag"] != packed.headers["etag"]
        assert (304, b"", "*") == (
            again.status_code,
            again.content,
            again.headers["access-control-allow-origin"],
        )
        assert (405, {"GET", "HEAD", "OPTIONS"}) == (
            other.status_code,
            set(other.headers["allow"].split(", ")),
        )
