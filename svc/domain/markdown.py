"""Markdown, of which a safe part is left: no raw HTML, no pictures but their words, and safe links."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from svc.domain.inert import inert_text, is_safe_href

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
_HEADING_BELOW: Final = 2
"""A text stands under a heading of the second level, so its own begin at the third."""
_HEADING_LEVEL_MAX: Final = 6


def to_html(body: str, styles: dict[str, str] | None = None) -> str:
    """*body* as HTML of a few elements, with no attributes but `href`, `rel`, `start` and `style`.

    *styles* are inline styles by element.
    """
    # Made inert at the end, since a text may write any character as `&#…;`.
    return inert_text(_parser().render(body, {"styles": styles or {}}))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": False, "maxNesting": NESTING_MAX}, renderer_cls=_Renderer)
    parser.enable(_RULES)
    # What is no safe link is left as the text that it is.
    parser.validateLink = is_safe_href  # type: ignore[method-assign,assignment]  # so documented
    return parser


class _Renderer(RendererHTML):
    """Lowers headings, gives elements their styles, and says of links that nobody here vouches for them."""

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
