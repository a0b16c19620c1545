"""Rendering of a safe subset of Markdown: no raw HTML, pictures only as their text, and safe links."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import Ruler, StateBase
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from svc.domain.embeds.html_safety import is_safe_href
from svc.domain.text import inert_text

_RULES: Final = (
    "blockquote",
    "code",
    "fence",
    "heading",
    "hr",
    "lheading",
    "list",
    "reference",
    "autolink",
    "backticks",
    "emphasis",
    "entity",
    "escape",
    "image",
    "link",
    "newline",
    "balance_pairs",
    "fragments_join",
)
"""CommonMark without raw HTML."""
NESTING_MAX: Final = 20
STEPS_MIN: Final = 2_000
STEPS_EACH_CHAR: Final = 3
"""Rules of Markdown that may be tried on a text, for each of its characters. Usual texts take less than one;
nested brackets or quotes take up to fifty."""
_HEADING_BELOW: Final = 2
"""A text stands under a heading of the second level, so its own begin at the third."""
_HEADING_LEVEL_MAX: Final = 6
_BLANK_LINES: Final = re.compile(r"\n[ \t\r]*\n")


def to_html(body: str, styles: dict[str, str] | None = None) -> str:
    """*body* as HTML of a few elements, with no attributes but `href`, `rel`, `start` and `style`.

    *styles* are inline styles by element. A text that takes more steps than `STEPS_EACH_CHAR` allows is shown
    as plain paragraphs, so that the time for any text is linear in its length.
    """
    env = {"styles": styles or {}, "steps": STEPS_MIN + STEPS_EACH_CHAR * len(body)}
    try:
        html = _parser().render(body, env)
    except _TooIntricateError:
        html = _as_written(body, env)
    # Sanitized at the end, since a text may write any character as `&#…;`.
    return inert_text(html)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": False, "maxNesting": NESTING_MAX}, renderer_cls=_Renderer)
    parser.enable(_RULES)
    # An unsafe link is left as plain text.
    parser.validateLink = is_safe_href  # type: ignore[method-assign,assignment]  # so documented
    _count_steps(parser.block.ruler)
    _count_steps(parser.inline.ruler)
    return parser


class _TooIntricateError(Exception):
    """Raised when a text has used up its steps."""


def _count_steps(ruler: Ruler[Any]) -> None:
    for rule in list(ruler.__rules__):
        ruler.at(rule.name, _counted(rule.fn), {"alt": rule.alt})


def _counted(rule: Callable[..., bool]) -> Callable[..., bool]:
    """*rule*, counted against the steps of the text."""

    def counted(state: StateBase, *args: Any) -> bool:
        steps = state.env["steps"] = state.env["steps"] - 1
        if steps < 0:
            raise _TooIntricateError
        return rule(state, *args)

    return counted


def _as_written(body: str, env: EnvType) -> str:
    """The paragraphs of *body*, with its marks as they stand."""
    paragraph = Token("paragraph_open", "p", 1)
    _set_style(paragraph, env)
    opening = f"<p{_Renderer.renderAttrs(paragraph)}>"
    return "".join(
        f"{opening}{escapeHtml(text)}</p>\n" for text in map(str.strip, _BLANK_LINES.split(body)) if text
    )


class _Renderer(RendererHTML):
    """Lowers headings, adds inline styles to elements, and `rel` to links."""

    def renderToken(  # noqa: N802  # the library's name
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        token = tokens[idx]
        if token.tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            token.tag = f"h{min(int(token.tag[1]) + _HEADING_BELOW, _HEADING_LEVEL_MAX)}"
        if token.nesting >= 0:
            if token.tag == "a":
                token.attrs = {"href": token.attrs["href"], "rel": "nofollow noopener"}
            _set_style(token, env)
        return super().renderToken(tokens, idx, options, env)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escapeHtml(self.renderInlineAsText(tokens[idx].children, options, env))

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        # Without the language of the code, which would become a class.
        return self.code_block(tokens, idx, options, env)

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        token.tag = "pre"
        token.attrs = {}
        _set_style(token, env)
        return super().code_block(tokens, idx, options, env)


def _set_style(token: Token, env: Any) -> None:
    style = env["styles"].get(token.tag)
    if style is not None:
        token.attrSet("style", style)
