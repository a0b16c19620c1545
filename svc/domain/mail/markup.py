"""The HTML part of a mail: the look of the screens, with nothing that a mail program would have to fetch.

Styles stand at each element, since mail programs drop style sheets. There is no picture, no font and no
script, so nobody learns when a mail is read, and a mail looks the same where all of that is blocked. Programs
that show mails in the dark turn the colours themselves.
"""

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup, escape

# Of `svc/http/look/static/brand.css`, in the light.
_PAPER, _CARD, _INK, _QUIET, _TEAL, _LAMP = "#fbfaf7", "#fffefc", "#1b2427", "#57646a", "#00696a", "#ffcf87"
_SMALL: Final = f"margin:16px 0 0;color:{_QUIET};font-size:13px;line-height:1.5;overflow-wrap:anywhere"
_FACT: Final = "padding:6px 16px 6px 0;text-align:left;vertical-align:top;font-size:14px"
_GROUND: Final = (
    f"margin:0;padding:24px 12px;background:{_PAPER};color:{_INK};font:16px/1.5 Figtree,Arial,sans-serif"
)
_SHEET: Final = (
    f"max-width:560px;margin:0 auto;padding:28px;background:{_CARD};border-top:4px solid {_LAMP};"
    "border-radius:14px"
)
_PAGE: Final = Markup(
    "<!doctype html>\n"
    '<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light"><title>{title}</title></head>\n'
    '<body style="{ground}">\n<div style="{sheet}">\n'
    '<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">{title}</h1>\n'
    "{body}\n</div>\n</body></html>\n"
)


def page(title: str, parts: Iterable[Markup]) -> str:
    """A whole mail."""
    body = Markup("\n").join(parts)
    return str(_PAGE.format(title=title, ground=_GROUND, sheet=_SHEET, body=body))


def sentence(text: str) -> Markup:
    """A paragraph."""
    return Markup('<p style="margin:0 0 12px">{}</p>').format(text)


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """A table of names and values, whose lines stay lines."""
    rows = [
        Markup('<tr><th scope="row" style="{}">{}</th><td style="{}">{}</td></tr>').format(
            f"{_FACT};color:{_QUIET};font-weight:400",
            name,
            f"{_FACT};overflow-wrap:anywhere",
            Markup("<br>").join(escape(line) for line in value.split("\n")),
        )
        for name, value in pairs
    ]
    table = Markup('<table style="margin:4px 0 16px;border-collapse:collapse">{}</table>')
    return table.format(Markup("\n").join(rows))


def link(address: str, label: str) -> Markup:
    """A button, and below it the address that it leads to: a mail program may show no links."""
    button = f"display:inline-block;padding:10px 18px;border-radius:8px;background:{_TEAL};color:#fff"
    return Markup(
        '<p style="margin:20px 0 0"><a href="{}" style="{};font-weight:600;text-decoration:none">{}</a></p>\n'
        '<p style="{}">{}</p>'
    ).format(address, button, label, _SMALL, address)


def footer(text: str) -> Markup:
    """What stands last, and small."""
    return Markup('<p style="{}">{}</p>').format(_SMALL, text)
