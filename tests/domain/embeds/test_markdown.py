"""Markdown: a safe part of it."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from markupsafe import escape

from svc.domain.embeds import markdown
from svc.domain.embeds.markdown import STEPS_MIN, to_html

HEADING = "<h3>Delivery</h3>\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("# Delivery", HEADING, id="headings begin at the third level"),
        pytest.param("Delivery\n===", HEADING, id="underlined"),
        pytest.param("##### Small", "<h6>Small</h6>\n", id="and end at the sixth"),
        pytest.param(
            "a **b** _c_ `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>\n", id="emphasis"
        ),
        pytest.param("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n", id="list"),
        pytest.param("3. a", '<ol start="3">\n<li>a</li>\n</ol>\n', id="numbered from three"),
        pytest.param("a\\\nb", "<p>a<br>\nb</p>\n", id="line break"),
        pytest.param("> a", "<blockquote>\n<p>a</p>\n</blockquote>\n", id="quote"),
        pytest.param("```js\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>\n", id="code has no class"),
        pytest.param(
            '[a](/lamps "title")', '<p><a href="/lamps" rel="nofollow noopener">a</a></p>\n', id="link"
        ),
        pytest.param(
            "<mailto:a@b.example>",
            '<p><a href="mailto:a@b.example" rel="nofollow noopener">mailto:a@b.example</a></p>\n',
            id="mail",
        ),
    ],
)
def test_what_is_written_is_shown(body: str, expected: str) -> None:
    """The parts of CommonMark that do nothing but show."""
    assert expected == to_html(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n", id="raw HTML"),
        pytest.param(
            "<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n", id="raw block"
        ),
        pytest.param("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n", id="script link"),
        pytest.param(
            "[x](&#106;avascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n", id="written as entities"
        ),
        pytest.param("<javascript:x>", "<p>&lt;javascript:x&gt;</p>\n", id="script autolink"),
        pytest.param("[x](//evil.example)", "<p>[x](//evil.example)</p>\n", id="another site in disguise"),
        pytest.param("![a lamp](https://a.example/1.png)", "<p>a lamp</p>\n", id="picture"),
        pytest.param(
            '![<script>"](https://a.example/1)', "<p>&lt;script&gt;&quot;</p>\n", id="picture's words"
        ),
        pytest.param("a&#x202e;b", "<p>ab</p>\n", id="override as an entity"),
        pytest.param("a\u202eb\x01", "<p>ab</p>\n", id="override"),
    ],
)
def test_what_could_do_something_is_text(body: str, expected: str) -> None:
    """Raw HTML, pictures and links to anything but safe places are shown as words."""
    assert expected == to_html(body)


def test_elements_have_the_styles_that_are_given() -> None:
    """There are no classes: styles stand on the elements."""
    assert '<p style="margin:0">a</p>\n' == to_html("a", {"p": "margin:0"})


def test_a_deep_text_is_no_deep_page() -> None:
    """Whatever is nested in a text, it is shown within limits of depth and time."""
    html = to_html(">" * 5_000 + "[" * 5_000 + "a")

    assert html.count("<blockquote>") <= 25


def _repeated(part: str) -> Callable[[int], str]:
    return lambda chars: (part * (chars // len(part) + 1))[:chars]


INTRICATE: dict[str, Callable[[int], str]] = {
    "brackets of pictures": lambda chars: "!" + "[" * chars,
    "brackets of pictures in one another": _repeated("![[!["),
    "brackets": _repeated("["),
    "closed brackets": lambda chars: "[" * (chars // 2) + "]" * (chars // 2),
    "brackets with a reference": lambda chars: "[a]: /x\n\n" + "[" * (chars // 2) + "a" + "]" * (chars // 2),
    "emphasis of brackets": _repeated("*["),
    "brackets and emphasis": _repeated("[ a_"),
    "closed brackets that lead nowhere": _repeated("[a]["),
    "links that are not closed": _repeated("[a](<b"),
    "titles that are not closed": _repeated('[a](b "'),
    "pictures around links": _repeated("![[]()"),
    "strong emphasis": lambda chars: "*a **a " * (chars // 14) + "b" + " a** a*" * (chars // 14),
    "closers of emphasis": _repeated("a_ "),
    "openers of emphasis": _repeated("_a "),
    "mismatched emphasis": _repeated("*a_ "),
    "multiples of three": lambda chars: "a**b" + "c* " * (chars // 3),
    "quotes": _repeated("> "),
    "lazy lines of a deep quote": lambda chars: ">" * 20 + " a\n" + "a\n" * (chars // 2),
    "nested lists": lambda chars: "".join("  " * deep + "* a\n" for deep in range(int(chars**0.5))),
    "items of lists": _repeated("1) a\n"),
    "backticks": lambda chars: "".join("e" + "`" * many for many in range(int((2 * chars) ** 0.5))),
    "references": _repeated("[a]: b\n"),
    "references that are not closed": _repeated("[a\n"),
    "a title over many lines": lambda chars: '[a]: b "' + "c\n" * (chars // 2),
    "links by angles": _repeated("<a@"),
    "entities": _repeated("&#"),
    "hard breaks": _repeated("a  \n"),
    "an address of other letters": lambda chars: f"[a]({'é' * chars})",
}
"""Texts that are known to take parsers of CommonMark longer than they should."""
CALLS_EACH_CHAR_MAX = 60
"""Calls of functions for a character. Text as people write it takes 5."""


def _calls(body: str) -> int:
    """How many functions are called to show *body*."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    to_html("once")  # the parser is made when it is first needed
    sys.setprofile(count)
    try:
        to_html(body)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("text", INTRICATE)
def test_the_work_for_any_text_is_bounded_by_its_length(text: str) -> None:
    """However it is made: a text of twice the length takes about twice the work, and none takes much more."""
    short, long = INTRICATE[text](2_000), INTRICATE[text](4_000)
    calls_short, calls_long = _calls(short), _calls(long)

    assert calls_long <= CALLS_EACH_CHAR_MAX * max(len(long), STEPS_MIN)
    assert calls_long <= 2.5 * calls_short + STEPS_MIN


def test_a_text_of_too_many_steps_is_shown_as_it_is_written() -> None:
    """In its paragraphs, with their style; nothing in it is lost, and nothing in it does anything."""
    brackets = "![[<b>" * 3_000

    html = to_html(f"# One\n\n{brackets}\n \ntwo\nthree\x01", {"p": "margin:0"})

    assert html == "".join(
        f'<p style="margin:0">{escape(text)}</p>\n' for text in ("# One", brackets, "two\nthree")
    )


def test_a_text_that_people_write_is_far_from_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of headings, lists, links and code is shown in a third of the steps that it may take."""
    text = "".join(
        f"## Lamp {number}\n\nMade of *oak* and **brass**, see [its page](/lamps/{number} 'Lamp').\n\n"
        f"- 40 cm high\n- `E27`, at most 60 W\n  1. dimmed\n  2. or not\n\n> It lasts.\n> — Ada\n\n"
        for number in range(100)
    )
    expected = to_html(text)

    monkeypatch.setattr(markdown, "STEPS_EACH_CHAR", 1)

    assert "<h4>Lamp 99</h4>" in expected
    assert expected == to_html(text)
