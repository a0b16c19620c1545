"""The routes of the documentation: guides, search, reference, problems."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import msgspec
import trio
from quart import Blueprint, Response, abort, redirect, request
from quart.typing import ResponseReturnValue

from svc.domain.locale.times import day_in_words
from svc.domain.net.client_addresses import Network
from svc.http.docs import files, front, markup
from svc.http.docs.catalogue import GUIDES, SHELVES, following, shelf_of
from svc.http.docs.demo_shop import DemoShop
from svc.http.docs.html_text import colour, coloured, inline, prose
from svc.http.docs.markup import code_figure
from svc.http.docs.pages import HEADERS, Pages
from svc.http.docs.reference import PATH, QUERY_CHARS_MAX, Reference
from svc.http.docs.search import Index
from svc.http.look.doors import look_files
from svc.http.static_files import StaticBytes, StaticFile, names_in
from svc.http.tools import contract
from svc.http.tools.contract import Contract
from svc.tools.registry import Registry

GUIDES_PATH: Final = "/docs"
_PICTURES: Final = {"png": "image/png", "svg": "image/svg+xml", "webp": "image/webp"}


class Guides:
    """The pages of `docs/`, and one search over them and the reference."""

    def __init__(self, registry: Registry, pages: Pages) -> None:
        self._registry = registry
        self._pages = pages
        self._index: Index | None = None
        self._index_lock = trio.Lock()
        self._pictures: dict[str, StaticBytes] = {}
        self._bridges: dict[str, StaticBytes] = {}
        titles = [
            {"title": guide.title, "about": guide.about, "path": f"{GUIDES_PATH}/{guide.name}"}
            for guide in GUIDES.values()
        ]
        headers = {**HEADERS, "Cache-Control": "public, max-age=3600"}
        self._titles = StaticBytes(
            msgspec.json.encode({"guides": titles}), "application/json; charset=utf-8", headers
        )

    async def show_index(self) -> Response:
        """The list of guides, by readership."""
        return await self._pages.show(
            "docs/guides.html", lambda: {"shelves": SHELVES, "decisions": _decisions()}
        )

    async def show(self, name: str) -> ResponseReturnValue:
        """One guide, or one decision."""
        known = files.names()
        if name == "decisions":
            return redirect(f"{GUIDES_PATH}#decisions")
        if name not in known:
            if name.removesuffix(".md") in known:
                return redirect(f"{GUIDES_PATH}/{name.removesuffix('.md')}", 301)
            abort(404)
        return await self._pages.show("docs/guide.html", partial(self._guide, name, known))

    def _guide(self, name: str, known: tuple[str, ...]) -> dict[str, Any]:
        demo = self._pages.demo
        values = {} if demo is None else {"svcf_…": demo.form_key, "svce_…": demo.embed_key}
        page = markup.render(files.text_of(name), name=name, known=known, tools=self._registry, values=values)
        return {
            "page": page,
            "name": name,
            "shelf": shelf_of(name) if name in GUIDES else None,
            "decisions": {} if name in GUIDES else _decisions(),
            "follows": following(name),
        }

    async def show_picture(self, name: str) -> Response:
        """A picture of a guide."""
        if not self._pictures:
            headers = {**HEADERS, "Cache-Control": "public, max-age=3600"}
            self._pictures = {
                name: StaticBytes(body, _PICTURES[name.rpartition(".")[2]], headers)
                for name, body in files.pictures().items()
            }
        if name not in self._pictures:
            abort(404)
        return await self._pictures[name].answer()

    async def show_bridge(self, name: str) -> Response:
        """A bridge to a messenger, as a file to be run."""
        if not self._bridges:
            self._bridges = {
                name: StaticBytes(body, "text/plain; charset=utf-8", HEADERS)
                for name, body in files.bridges().items()
            }
        if name not in self._bridges:
            abort(404)
        return await self._bridges[name].answer()

    async def show_titles(self) -> Response:
        """Titles of all guides with their addresses and what they are about, for finding one by its name."""
        return await self._titles.answer()

    async def search(self) -> Response:
        """Search results for `?q=`, best first."""
        query = request.args.get("q", "")[:QUERY_CHARS_MAX].strip()
        hits = (await self._indexed()).find(query) if query else []
        return await self._pages.show_uncached("docs/search.html", query=query, hits=hits)

    async def _indexed(self) -> Index:
        async with self._index_lock:
            if self._index is None:
                # Takes some tenths of a second, so it runs in a thread.
                self._index = await trio.to_thread.run_sync(Index, self._registry)
        return self._index


def doc_pages(
    registry: Registry,
    *,
    demo: DemoShop | None = None,
    trusted_proxies: Sequence[Network] | None = None,
    public_url: str = "",
) -> tuple[Blueprint, Pages]:
    """Build the routes, and the renderer of their pages.

    Without *trusted_proxies*, pages show a default address instead of the one in the request. The contract
    has *public_url*, if there is one.
    """
    doors = Blueprint("docs", __name__, template_folder="templates")
    pages = Pages(demo, trusted_proxies)
    document = Contract(registry, {} if demo is None else demo.example_ids)
    reference = Reference(registry, document, pages, public_url)
    guides = Guides(registry, pages)
    doors.add_url_rule(contract.PATH, "contract_file", reference.send_contract)
    doors.add_url_rule(PATH, "tools", reference.show_index)
    doors.add_url_rule(f"{PATH}/<name>", "tool", reference.show_tool)
    doors.add_url_rule("/docs/contract", "contract", reference.show_contract)
    doors.add_url_rule(f"{PATH}/openapi", "openapi", partial(_moved, "/docs/contract"))
    doors.add_url_rule("/docs/deprecations", "deprecations", reference.show_deprecations)
    doors.add_url_rule("/problems", "problems", reference.show_problems)
    doors.add_url_rule("/problems/<code>", "problem", reference.show_problem)
    doors.add_url_rule(GUIDES_PATH, "guides", guides.show_index)
    doors.add_url_rule("/docs/search", "search", guides.search)
    doors.add_url_rule("/docs/titles.json", "titles", guides.show_titles)
    doors.add_url_rule("/docs/images/<name>", "picture", guides.show_picture)
    doors.add_url_rule("/docs/bridges/<name>", "bridge", guides.show_bridge)
    doors.add_url_rule("/docs/<path:name>", "guide", guides.show)
    doors.add_url_rule("/favicon.ico", "favicon", front.icon().answer)
    doors.add_url_rule("/robots.txt", "robots", front.robots)
    doors.register_blueprint(look_files())
    for name in names_in("http/docs/static"):
        asset = StaticFile(f"http/docs/static/{name}", HEADERS)
        doors.add_url_rule(f"/docs/{name}", name.replace(".", "_"), asset.answer)
    doors.app_template_filter("prose")(partial(prose, tools=registry))
    doors.app_template_filter("inline")(inline)
    doors.app_template_filter("linked")(partial(inline, tools=registry))
    doors.app_template_filter("day")(day_in_words)
    doors.app_template_filter("json")(coloured)
    doors.app_template_filter("colour")(colour)
    doors.app_template_filter("figure")(code_figure)
    return doors, pages


def _decisions() -> dict[str, str]:
    """The titles of the decision records, by page name."""
    names = [name for name in files.names() if name.startswith("decisions/")]
    return {name: files.text_of(name).partition("\n")[0].removeprefix("# ") for name in names}


async def _moved(path: str) -> ResponseReturnValue:
    return redirect(path, 301)
