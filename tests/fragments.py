"""The few elements and attributes that a fragment of an embed may have, and a parser that sees to it."""

from html.parser import HTMLParser
from typing import Final

from svc.domain.embeds.html_safety import is_safe_href, is_safe_src

ELEMENTS: Final = frozenset(
    """
    a blockquote br button code div em fieldset form h2 h3 h4 h5 h6 hr img input label legend li ol option p
    pre section select span strong table tbody td textarea th thead tr ul
    """.split()  # noqa: SIM905  # reads better than forty strings
)
ATTRIBUTES: Final = frozenset(
    """
    action alt aria-hidden aria-label autocomplete href maxlength method name rel role rows scope src start
    step style tabindex type value
    """.split()  # noqa: SIM905
)
VOID: Final = frozenset({"br", "hr", "img", "input"})


class Fragment(HTMLParser):
    """Reads a fragment. Raises `AssertionError` for what may not be in one, and keeps what a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert [] == self._open, "not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        assert tag in ELEMENTS, tag
        assert told.keys() <= ATTRIBUTES, told
        assert len(told) == len(attrs), f"an attribute twice: {attrs}"
        assert is_safe_href(told.get("href", "/")), told
        assert is_safe_src(told.get("src", "/")), told
        assert "url(" not in told.get("style", ""), told
        assert told.get("action", "/").split("?")[0].endswith("/api/f/s") or "action" not in told, told
        self.elements.append((tag, told))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, f"{tag} closes another"

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")

    def named(self, tag: str) -> list[dict[str, str]]:
        """The attributes of each element *tag*."""
        return [told for name, told in self.elements if name == tag]


HOSTILE: Final = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</td></tr></table><iframe src=javascript:alert(1)>",
    "</textarea></label></form><form action=https://evil.example><input name=q>",
    "</style><style>*{display:none}</style>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?php",
    "<!doctype html>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x]( \x01javascript:alert(1))",
    "<javascript:alert(1)>",
    '![x](https://evil.example/"onerror="alert(1))',
    '```"><script>alert(1)</script>\n```',
    "{{ 7 * 7 }} {% raw %}",
    ' style="position:fixed;inset:0"',
    "\u202eevil\u2066\u2067",
    "👩\u200d\u200d\ufe0f\ufe0f👧🏽\ud83d"[:-1],
    "a" * 100_000,
    "\x00\x01\x1b[31m\x7f\x9b",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<b",
    "<a href='",
)
"""What people try."""
