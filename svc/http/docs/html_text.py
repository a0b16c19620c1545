"""Texts of the program as HTML: paragraphs, code, and highlighted JSON."""

import re
from collections.abc import Container
from html import escape
from typing import Any, Final

import msgspec
from markupsafe import Markup

_CODE: Final = re.compile(r"`([^`]+)`")
_LIST: Final = re.compile(r"^- ", re.MULTILINE)
_TOKEN: Final = re.compile(
    r"(?P<key>\"(?:\\.|[^\"\\\n])*\")(?=:)|(?P<text>\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<word>(?<![\w./:@-])(?:-?\d[\d.eE+-]*|true|false|null)(?![\w./:@-]))"
)


def inline(text: str, tools: Container[str] = ()) -> Markup:
    """*text* in one line. Backticks make code, with a link where it names one of *tools*."""

    def code(match: re.Match[str]) -> str:
        marked = f"<code>{match[1]}</code>"
        return f'<a href="/docs/api/{match[1]}">{marked}</a>' if match[1] in tools else marked

    return Markup(_CODE.sub(code, escape(" ".join(text.split()))))  # noqa: S704  # escaped just now


def prose(text: str, tools: Container[str] = ()) -> Markup:
    """*text* in paragraphs, separated by empty lines, and lists, whose items begin with a dash."""
    return Markup("\n").join(_block(block, tools) for block in re.split(r"\n\s*\n", text.strip()) if block)


def _block(text: str, tools: Container[str]) -> Markup:
    before, *items = _LIST.split(text)
    parts = [Markup("<p>{}</p>").format(inline(before, tools))] if before.strip() else []
    if items:
        listed = Markup("").join(Markup("<li>{}</li>").format(inline(item, tools)) for item in items)
        parts.append(Markup("<ul>{}</ul>").format(listed))
    return Markup("").join(parts)


def coloured(value: Any) -> Markup:
    """*value* as indented, highlighted JSON."""
    return colour(pretty(value))


def pretty(value: Any) -> str:
    """*value* as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value)).decode()


def colour(text: str) -> Markup:
    """*text* with its JSON tokens highlighted, as spans for the style sheet."""
    parts, place = list[str](), 0
    for match in _TOKEN.finditer(text):
        parts.append(escape(text[place : match.start()]))
        parts.append(f'<span class="{match.lastgroup}">{escape(match[0])}</span>')
        place = match.end()
    return Markup("".join([*parts, escape(text[place:])]))  # noqa: S704  # escaped part by part
