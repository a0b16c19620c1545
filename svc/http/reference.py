"""`/docs/api` and `/problems`: what there is to call, what it takes and answers, and what can go wrong.

The pages are made of the registry, need no script, and refer to nothing outside of this service.
"""

from functools import cached_property, partial
from http import HTTPStatus
from itertools import groupby
from typing import Any, Final, NamedTuple

from quart import Blueprint, Response, abort, redirect, render_template, request
from quart.typing import ResponseReturnValue

from svc.http import contract
from svc.http.assets import Asset, Held, names_in
from svc.http.contract import Contract, shown
from svc.http.contract_parts import example_of
from svc.http.problem_causes import CAUSES
from svc.http.problems import CODES, KINDS, Code, Kind
from svc.http.prose import colour, coloured, day, inline, pretty, prose
from svc.http.refusals import refusals, repeatable
from svc.http.schema_tables import Shape, shapes_of
from svc.http.tools import API_PATH, APP_PATH
from svc.tools.nouns import NOUNS, Noun
from svc.tools.tool import Registry, Tool

PATH: Final = "/docs/api"
QUERY_CHARS_MAX: Final = 200

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)

_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_PUBLIC: Final = {
    "Cache-Control": "no-cache",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_HTML: Final = "text/html; charset=utf-8"

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


class Refusal(NamedTuple):
    """A code that a tool can answer."""

    code: Code
    kind: Kind
    own: bool
    """Not every tool answers it."""


class ToolPage(NamedTuple):
    """What the page of a tool shows beside the tool."""

    asked: list[Shape]
    answered: list[Shape]
    request: str
    answer: Any
    refusals: list[Refusal]


class Reference:
    """The pages of the tools of *registry*. Each is made once, when it is first asked for."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._contract = Contract(registry)
        self._held: dict[str, Held] = {}
        self.groups: Final = [
            Group(name, noun, tools)
            for name, noun in NOUNS.items()
            if (tools := [one for one in registry.values() if one.noun == name])
        ]

    async def send_contract(self) -> Response:
        """The contract, for programs of any origin."""
        if contract.PATH not in self._held:
            self._held[contract.PATH] = Held(self._contract.body, "application/json", _PUBLIC)
        return await self._held[contract.PATH].answer()

    async def show_index(self) -> Response:
        """All tools by noun, or those that have all words of `?q=` in what is said of them."""
        query = request.args.get("q", "")[:QUERY_CHARS_MAX].strip()
        if query:
            html = await render_template("docs/index.html", groups=self._found(query), query=query)
            return Response(html, content_type=_HTML, headers=_HEADERS)
        return await self._show("docs/index.html", groups=self.groups, query="")

    async def show_tool(self, name: str) -> ResponseReturnValue:
        """A tool's page. Another way to write its name, and that of a noun, lead to where it is."""
        tool = self._registry.named(name)
        if tool is None:
            if name not in {one.name for one in self.groups}:
                abort(404)
            return redirect(f"{PATH}#{name}")
        if tool.name != name:
            return redirect(f"{PATH}/{tool.name}", 301)
        group = next(one for one in self.groups if one.name == tool.noun)
        return await self._show(
            "docs/tool.html", tool=tool, group=group, groups=self.groups, page=self._page_of(tool)
        )

    async def show_problems(self) -> Response:
        """All codes, by status."""
        groups = [
            StatusGroup(status, HTTPStatus(status).phrase, [(code, KINDS[code]) for code in codes])
            for status, codes in groupby(CODES, key=lambda code: KINDS[code].status)
        ]
        return await self._show("docs/problems.html", groups=groups)

    async def show_problem(self, code: str) -> Response:
        """What a code means, for whoever follows the `type` of a problem."""
        if code not in CODES:
            abort(404)
        kind, example = KINDS[code], example_of(code)
        own = [one for one in self._registry.values() if code in refusals(one)]
        return await self._show(
            "docs/problem.html",
            code=code,
            kind=kind,
            cause=CAUSES[code],
            example=example,
            tools=own,
            everywhere=len(own) == len(self._registry),
        )

    async def show_deprecations(self) -> Response:
        """How names are changed, and which ones are about to go."""
        renamed = [one for one in self._registry.values() if one.deprecated]
        return await self._show("docs/deprecations.html", renamed=renamed)

    async def _show(self, template: str, **told: Any) -> Response:
        """The page at this path, which is the same for everybody until the program is another."""
        held = self._held.get(request.path)
        if held is None:
            html = await render_template(template, **told)
            held = self._held[request.path] = Held(html.encode(), _HTML, _HEADERS)
        return await held.answer()

    def _found(self, query: str) -> list[Group]:
        words = query.lower().split()

        def matches(tool: AnyTool) -> bool:
            return all(word in self._said[tool.name] for word in words)

        found = [group._replace(tools=[*filter(matches, group.tools)]) for group in self.groups]
        return [group for group in found if group.tools]

    @cached_property
    def _said(self) -> dict[str, str]:
        """All that is said of each tool and of what it takes, in lower case."""
        schemas = self._contract.document["components"]["schemas"]
        return {
            name: f"{name} {tool.wire_name} {NOUNS[tool.noun].title} {tool.description}"
            f" {schemas[tool.asked_type.__name__]}".lower()
            for name, tool in self._registry.items()
        }

    def _page_of(self, tool: AnyTool) -> ToolPage:
        schemas = self._contract.document["components"]["schemas"]
        everywhere = set.intersection(*(set(refusals(one)) for one in self._registry.values()))
        return ToolPage(
            asked=shapes_of(schemas, tool.asked_type.__name__, "asked-"),
            answered=shapes_of(schemas, tool.answer_type.__name__, "answered-"),
            request=request_with(tool),
            answer=shown(tool.answer),
            refusals=[Refusal(code, KINDS[code], code not in everywhere) for code in refusals(tool)],
        )


def request_with(tool: AnyTool) -> str:
    """A call of *tool* with `curl`: with a key, or signed in where no key may call it."""
    path, headers = APP_PATH, ["X-CSRF-Token: $SVC_CSRF"]
    if tool.runs == "open":
        path, headers = API_PATH, ["Authorization: Bearer $SVC_KEY"]
    headers.append("Content-Type: application/json")
    if repeatable(tool):
        headers.append("Idempotency-Key: $(uuidgen)")
    body = pretty(shown(tool.example)).replace("'", "'\\''")
    session = ["-b cookies.txt"] if tool.runs != "open" else []
    lines = [
        f'curl "$SVC_URL{path}{tool.name}"',
        *session,
        *(f'-H "{one}"' for one in headers),
        f"-d '{body}'",
    ]
    return " \\\n  ".join(lines)


def reference_pages(registry: Registry) -> Blueprint:
    """The contract, the reference, the problems' pages, and what they look like."""
    pages = Blueprint("reference", __name__, template_folder="templates")
    reference = Reference(registry)
    pages.add_url_rule(contract.PATH, "contract", reference.send_contract)
    pages.add_url_rule(PATH, "index", reference.show_index)
    pages.add_url_rule(f"{PATH}/<name>", "tool", reference.show_tool)
    pages.add_url_rule("/docs/deprecations", "deprecations", reference.show_deprecations)
    pages.add_url_rule("/problems", "problems", reference.show_problems)
    pages.add_url_rule("/problems/<code>", "problem", reference.show_problem)
    for name in names_in("docs"):
        pages.add_url_rule(f"/docs/{name}", name.replace(".", "_"), Asset(f"docs/{name}", _HEADERS).answer)
    pages.app_template_filter("prose")(partial(prose, tools=registry))
    pages.app_template_filter("inline")(inline)
    pages.app_template_filter("linked")(partial(inline, tools=registry))
    pages.app_template_filter("day")(day)
    pages.app_template_filter("json")(coloured)
    pages.app_template_filter("colour")(colour)
    return pages
