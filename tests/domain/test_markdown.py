"""Markdown: a safe part of it."""

import pytest

from svc.domain.markdown import to_html

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
