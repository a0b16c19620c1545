"""The reference, `/docs/api` and `/problems`: every tool with its input, answer and errors.

The pages are rendered from the registry, work without scripts, and load nothing from elsewhere.
"""

from functools import partial
from http import HTTPStatus
from itertools import groupby
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from quart import Response, abort, redirect, request
from quart.typing import ResponseReturnValue

from svc.http.docs.example_ids import with_ids
from svc.http.docs.examples import Example, examples_of, sign_in_with_curl
from svc.http.docs.pages import Pages
from svc.http.docs.schema_tables import Shape, shapes_of
from svc.http.problems.causes import CAUSES
from svc.http.problems.problems import CODES, KINDS, Code, Kind
from svc.http.static_files import StaticBytes
from svc.http.tools import contract
from svc.http.tools.contract import Contract, example_json
from svc.http.tools.contract_parts import example_of
from svc.http.tools.door import API_PATH
from svc.http.tools.problem_codes import NEVER_A_KEYS, problem_codes
from svc.tools.nouns import NOUNS, Noun
from svc.tools.registry import Registry
from svc.tools.tool import Tool

PATH: Final = "/docs/api"
QUERY_CHARS_MAX: Final = 200
_SERVERS_MAX: Final = 8
"""Addresses whose contract is kept compressed: the first that are asked. To compress it takes 20 ms."""

_PUBLIC: Final = {
    "Cache-Control": "no-cache",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
AnyTool = Tool[Any, Any]


class Group(NamedTuple):
    """The tools of a noun."""

    name: str
    noun: Noun
    tools: list[AnyTool]


class StatusGroup(NamedTuple):
    """The codes of a status."""

    status: int
    phrase: str
    kinds: list[tuple[Code, Kind]]


class ToolProblem(NamedTuple):
    """A code that a tool can answer."""

    code: Code
    kind: Kind
    own: bool
    """Whether it is one that not every tool answers."""


class ToolPage(NamedTuple):
    """What the page of a tool shows besides the tool itself."""

    input: list[Shape]
    output: list[Shape]
    examples: tuple[Example, ...]
    answer: Any
    problems: list[ToolProblem]


class Reference:
    """The pages of the tools of *registry*, and the contract as a *document*.

    The contract's server is at *public_url*, or else at the address in the request.
    """

    def __init__(self, registry: Registry, document: Contract, pages: Pages, public_url: str = "") -> None:
        self._registry = registry
        self._contract = document
        self._pages = pages
        self._public_url = public_url
        self._files: dict[str, StaticBytes] = {}
        self.groups: Final = [
            Group(name, noun, tools)
            for name, noun in NOUNS.items()
            if (tools := [tool for tool in registry.values() if tool.noun == name])
        ]

    async def send_contract(self) -> Response:
        """Answer with the contract, for programs of any origin."""
        server = self._public_url or self._pages.address("/")
        file = self._files.get(server)
        if file is None:
            body = self._contract.body_at(server)
            if len(self._files) >= _SERVERS_MAX:
                return Response(body, content_type="application/json", headers=_PUBLIC)
            file = self._files[server] = StaticBytes(body, "application/json", _PUBLIC)
        return await file.answer()

    async def show_contract(self) -> Response:
        """An outline of the contract, with a link to the document."""
        return await self._pages.show(
            "docs/contract.html",
            lambda: {
                "groups": self.groups,
                "document": self._contract.document,
                "size": len(self._contract.body),
                "path": contract.PATH,
                "tools_path": API_PATH,
            },
        )

    async def show_index(self) -> ResponseReturnValue:
        """All tools by noun; `?q=` redirects to the search."""
        query = request.args.get("q", "")[:QUERY_CHARS_MAX].strip()
        if query:
            return redirect(f"/docs/search?{urlencode({'q': query})}")
        return await self._pages.show("docs/index.html", lambda: {"groups": self.groups})

    async def show_tool(self, name: str) -> ResponseReturnValue:
        """A tool's page. Other spellings of its name, and names of nouns, are redirected."""
        tool = self._registry.named(name)
        if tool is None:
            if name not in {group.name for group in self.groups}:
                abort(404)
            return redirect(f"{PATH}#{name}")
        if tool.name != name:
            return redirect(f"{PATH}/{tool.name}", 301)
        return await self._pages.show("docs/tool.html", partial(self._tool, tool))

    async def show_problems(self) -> Response:
        """All codes, by status."""
        groups = [
            StatusGroup(status, HTTPStatus(status).phrase, [(code, KINDS[code]) for code in codes])
            for status, codes in groupby(CODES, key=lambda code: KINDS[code].status)
        ]
        return await self._pages.show("docs/problems.html", lambda: {"groups": groups})

    async def show_problem(self, code: str) -> Response:
        """The page of a code, which the `type` of a problem links to."""
        if code not in CODES:
            abort(404)
        return await self._pages.show("docs/problem.html", partial(self._problem, code))

    async def show_deprecations(self) -> Response:
        """The policy of deprecations, and the names that are deprecated."""
        renamed = [tool for tool in self._registry.values() if tool.deprecated]
        return await self._pages.show("docs/deprecations.html", lambda: {"renamed": renamed})

    def _problem(self, code: Code) -> dict[str, Any]:
        """The context of a code's page. Tools that always answer it to API keys stand apart."""
        tools = self._registry.values()
        own = [tool for tool in tools if code in problem_codes(tool)]
        return {
            "code": code,
            "kind": KINDS[code],
            "cause": CAUSES[code],
            "example": example_of(code),
            "tools": own,
            "to_keys": [tool for tool in tools if NEVER_A_KEYS.get(tool.runs) == code],
            "everywhere": len(own) == len(self._registry),
        }

    def _tool(self, tool: AnyTool) -> dict[str, Any]:
        schemas = self._contract.document["components"]["schemas"]
        everywhere = set.intersection(*(set(problem_codes(each)) for each in self._registry.values()))
        ids = self._contract.ids
        page = ToolPage(
            input=shapes_of(schemas, tool.request_type.__name__, "asked-"),
            output=shapes_of(schemas, tool.answer_type.__name__, "answered-"),
            examples=examples_of(tool, ids),
            answer=with_ids(tool.name, example_json(tool.answer), ids),
            problems=[ToolProblem(code, KINDS[code], code not in everywhere) for code in problem_codes(tool)],
        )
        group = next(group for group in self.groups if group.name == tool.noun)
        return {
            "tool": tool,
            "group": group,
            "groups": self.groups,
            "page": page,
            "sign_in": sign_in_with_curl(),
        }
