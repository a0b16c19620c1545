"""An embed as a fragment of HTML for a foreign page: inert, with inline styles, readable without scripts.

It has a fixed set of elements and attributes; every text in it is sanitized and escaped.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from svc.domain.embeds.blocks import HeroBlock, TextBlock
from svc.domain.embeds.html_safety import is_safe_href, is_safe_src
from svc.domain.embeds.views import BlockView, FormView
from svc.domain.text import inert_text

_TEMPLATES: Final = Path(__file__).with_name("templates")

MARKDOWN_STYLES: Final = {
    "a": "color:#0b57a4;text-underline-offset:.15em",
    "blockquote": "margin:0 0 1em;padding:0 0 0 1em;border-inline-start:3px solid #c3cad0",
    "h3": "margin:1.2em 0 .4em;font-size:1.15em;font-weight:700",
    "h4": "margin:1.2em 0 .4em;font-size:1em;font-weight:700",
    "hr": "margin:1.5em 0;border:0;border-top:1px solid #c3cad0",
    "ol": "margin:0 0 1em;padding:0 0 0 1.5em",
    "p": "margin:0 0 1em",
    "pre": "margin:0 0 1em;padding:.75em 1em;overflow-x:auto;border-radius:6px;background:#f1f3f5",
    "ul": "margin:0 0 1em;padding:0 0 0 1.5em",
}


def to_html(views: Sequence[BlockView], base_url: str) -> str:
    """*views* as HTML. *base_url* is the address of this service, without a trailing slash.

    If it is empty, form and attribution lead to the host that serves the fragment.
    """
    return _template().render(views=views, base_url=base_url)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.globals["zip"] = zip
    environment.filters["markdown"] = _markdown
    environment.tests["safe_href"] = is_safe_href
    environment.tests["safe_src"] = is_safe_src
    environment.tests["hero_block"] = lambda view: isinstance(view, HeroBlock)
    environment.tests["text_block"] = lambda view: isinstance(view, TextBlock)
    environment.tests["form_view"] = lambda view: isinstance(view, FormView)
    return environment.get_template("embed.html")


def _finalize(value: object) -> object:
    """*value* as it is printed: texts are sanitized, then escaped, unless they are HTML already."""
    return inert_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _markdown(body: str) -> Markup:
    from svc.domain.embeds import markdown  # noqa: PLC0415  # its parser is loaded at the first block of text

    return Markup(markdown.to_html(body, MARKDOWN_STYLES))  # noqa: S704  # the parser escapes
