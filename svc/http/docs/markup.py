"""Guides as HTML: CommonMark with tables, anchors on headings, links between guides, and named code.

`markdown-it-py` is imported at the first rendering, since most processes render nothing.
"""

import re
from collections.abc import Container, Mapping, Sequence
from html import escape
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from svc.http.docs.html_text import colour

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LANGUAGES: Final = {
    "http": "HTTP",
    "html": "HTML",
    "json": "JSON",
    "python": "Python",
    "sh": "Shell",
    "text": "Text",
    "toml": "TOML",
    "ts": "TypeScript",
}
"""Captions of code blocks, by language."""
_TABBED: Final = frozenset({"sh", "python", "ts"})
"""Adjacent blocks of different ones of these are the same call, and are shown as tabs."""
_NOT_RUN: Final = re.compile(r"<!-- not run: (.*?) -->", re.DOTALL)
_ANSWERS: Final = re.compile(r"<!-- answers (\d{3}) -->")
_PUNCTUATION: Final = re.compile(r"[^\w\- ]")
_GUIDES_PATH: Final = "/docs/"


class Heading(NamedTuple):
    """A heading with an anchor."""

    level: int
    anchor: str
    title: str


class Section(NamedTuple):
    """A heading, and the plain text and code up to the next one."""

    anchor: str
    title: str
    text: str
    code: str


class Block(NamedTuple):
    """A block of code."""

    language: str
    text: str
    not_run: str | None
    """The reason in a `not run` comment before it; None for a block that a test runs."""
    answers: int | None = None
    """The status that its call is answered with, where that is an error."""


class Page(NamedTuple):
    """A rendered guide."""

    title: str
    html: str
    headings: list[Heading]
    sections: list[Section]
    blocks: list[Block]


def render(
    text: str,
    *,
    name: str = "",
    known: Container[str] = (),
    tools: Container[str] = (),
    values: Mapping[str, str] | None = None,
) -> Page:
    """Render the guide *text*. Pages in *known* are linked; names of *tools* in code link to the reference.

    In code blocks, the keys of *values* are replaced by their values.
    """
    parser = _parser()
    tokens = parser.parse(text)
    page = _Renderer(parser, name, known, tools, values or {})
    html = page.render(tokens)
    return Page(page.title, html, page.headings, _sections(tokens), page.blocks)


def anchor_of(title: str, taken: Container[str] = ()) -> str:
    """The anchor of a heading by GitHub's rules, so that links work there too."""
    base = _PUNCTUATION.sub("", title.lower()).strip().replace(" ", "-")
    anchor, count = base, 0
    while anchor in taken:
        count += 1
        anchor = f"{base}-{count}"
    return anchor


def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415  # at the first rendering

    # Raw HTML is parsed to recognise comments; none of it is rendered.
    return MarkdownIt("commonmark", {"html": True}).enable("table")


class _Renderer:
    """Renders one page, and collects its headings and blocks."""

    def __init__(
        self,
        parser: "MarkdownIt",
        name: str,
        known: Container[str],
        tools: Container[str],
        values: Mapping[str, str],
    ) -> None:
        self._parser = parser
        self._directory = name.rpartition("/")[0]
        self._known = known
        self._tools = tools
        self._values = values
        self._note = ""
        """The comment before the next block."""
        self.title = ""
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []

    def render(self, tokens: "Sequence[Token]") -> str:
        """Render the page's HTML, without its first heading."""
        parts, place = list[str](), 0
        while place < len(tokens):
            token = tokens[place]
            if token.type == "fence":
                length = _tabbed(tokens, place)
                parts.append(self._fences(tokens[place : place + length]))
                place += length
                continue
            if token.type == "heading_open" and token.tag == "h1" and not self.title:
                self.title = _plain(tokens[place + 1])
                place += 3
                continue
            parts.append(self._render_token(tokens, place))
            place += 1
        return "".join(parts)

    def _render_token(self, tokens: "Sequence[Token]", place: int) -> str:
        token = tokens[place]
        match token.type:
            case "heading_open":
                return self._heading(token, _plain(tokens[place + 1]))
            case "heading_close":
                anchor = escape(self.headings[-1].anchor)
                mark = f' <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>'
                return f"{mark}</{token.tag}>\n"
            case "inline":
                return self._inline(token.children or [])
            case "html_block":
                self._note = token.content
                return ""
            case "table_open":
                return '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n'
            case "table_close":
                return "</table></div>\n"
            case "code_block":
                return self._fences([token])
            case "th_open" | "td_open":
                return f"<{token.tag}>"
            case _:
                return str(self._parser.renderer.render([token], self._parser.options, {}))

    def _heading(self, token: "Token", title: str) -> str:
        anchor = anchor_of(title, {heading.anchor for heading in self.headings})
        self.headings.append(Heading(int(token.tag[1]), anchor, title))
        return f'<{token.tag} id="{escape(anchor)}">'

    def _inline(self, tokens: "Sequence[Token]") -> str:
        parts, closes = list[str](), list[str]()
        for token in tokens:
            match token.type:
                case "link_open":
                    opened, closed = self._link(str(token.attrs["href"]))
                    parts.append(opened)
                    closes.append(closed)
                case "link_close":
                    parts.append(closes.pop())
                case "code_inline":
                    parts.append(self._code(token.content, linked=bool(closes)))
                case "image":
                    source = str(token.attrs["src"])
                    parts.append(f'<img src="{_GUIDES_PATH}{escape(source)}" alt="{escape(token.content)}">')
                case "html_inline":
                    pass
                case _:
                    parts.append(str(self._parser.renderer.render([token], self._parser.options, {})))
        return "".join(parts)

    def _code(self, text: str, *, linked: bool) -> str:
        marked = f"<code>{escape(text)}</code>"
        if linked or text not in self._tools:
            return marked
        return f'<a href="/docs/api/{escape(text)}">{marked}</a>'

    def _link(self, href: str) -> tuple[str, str]:
        """The opening and closing tag of a link to *href*. A file that is not served gets a span."""
        if href.startswith(("https://", "http://")):
            return f'<a href="{escape(href)}" rel="noreferrer">', "</a>"
        path, _, anchor = href.partition("#")
        mark = f"#{anchor}" if anchor else ""
        if not path:
            return f'<a href="{escape(mark)}">', "</a>"
        target = normpath(f"{self._directory}/{path}" if self._directory else path)
        page = target.removesuffix(".md")
        if page in self._known:
            return f'<a href="{_GUIDES_PATH}{escape(page + mark)}">', "</a>"
        return f'<span class="source" title="{escape(target.lstrip("./"))}, in the source">', "</span>"

    def _fences(self, tokens: "Sequence[Token]") -> str:
        note, self._note = self._note, ""
        figures = [self._figure(token, note, tabbed=len(tokens) > 1) for token in tokens]
        return f'<div class="tabs">{"".join(figures)}</div>\n' if len(figures) > 1 else figures[0]

    def _figure(self, token: "Token", note: str, *, tabbed: bool) -> str:
        language, text = token.info.strip(), token.content.rstrip("\n")
        for placeholder, value in self._values.items():
            text = text.replace(placeholder, value)
        not_run, answers = _NOT_RUN.search(note), _ANSWERS.search(note)
        self.blocks.append(
            Block(
                language,
                text,
                " ".join(not_run[1].split()) if not_run else None,
                int(answers[1]) if answers else None,
            )
        )
        return code_figure(language, text, "curl" if tabbed and language == "sh" else None)


def code_figure(language: str, text: str, caption: str | None = None) -> str:
    """A highlighted code block, under its *caption* or the name of its *language*."""
    caption = escape(caption or LANGUAGES[language])
    return (
        f'<figure class="code" data-language="{language}"><figcaption><span>{caption}</span></figcaption>'
        f'<pre tabindex="0" role="region" aria-label="{caption}"><code>{colour(text)}</code></pre></figure>\n'
    )


def _tabbed(tokens: "Sequence[Token]", place: int) -> int:
    """The number of adjacent fences from *place* on that form one set of tabs."""
    languages = set[str]()
    while place < len(tokens) and tokens[place].type == "fence":
        language = tokens[place].info.strip()
        if language not in _TABBED or language in languages:
            break
        languages.add(language)
        place += 1
    return max(len(languages), 1)


def _plain(token: "Token") -> str:
    """The text of an inline token, without markup."""
    parts = [
        " " if part.type == "softbreak" else part.content
        for part in token.children or []
        if part.type != "html_inline"
    ]
    return "".join(parts).strip()


def _sections(tokens: "Sequence[Token]") -> list[Section]:
    """The page split by headings, for the search. The first section is the text before any heading."""
    pieces: list[dict[str, Any]] = [{"title": "", "text": [], "code": []}]
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            title = _plain(tokens[place + 1])
            if token.tag == "h1":
                pieces[0]["title"] = title
            else:
                pieces.append({"title": title, "text": [], "code": []})
        elif token.type == "inline" and tokens[place - 1].type != "heading_open":
            pieces[-1]["text"].append(_plain(token))
        elif token.type in {"fence", "code_block"}:
            pieces[-1]["code"].append(token.content)
    sections, taken = list[Section](), set[str]()
    for number, piece in enumerate(pieces):
        anchor = anchor_of(piece["title"], taken) if number else ""
        taken.add(anchor)
        sections.append(Section(anchor, piece["title"], " ".join(piece["text"]), " ".join(piece["code"])))
    return sections
