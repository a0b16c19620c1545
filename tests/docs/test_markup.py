"""Guides as HTML."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from svc.http.docs import files, markup
from svc.http.docs.markup import Heading, anchor_of

ROOT = Path(__file__).parents[2]


def html(text: str, **more: object) -> str:
    return markup.render(f"# Title\n\n{text}", **more).html  # type: ignore[arg-type]


def test_headings_can_be_led_to_as_on_github():
    """By the same anchors; a second one of a name gets a number; the first heading is the page's title."""
    page = markup.render("# A page\n\n## What `it` is, really?\n\n### Sub\n\n## Sub\n")

    assert "A page" == page.title
    assert [Heading(2, "what-it-is-really", "What it is, really?"), Heading(3, "sub", "Sub")] == (
        page.headings[:2]
    )
    assert "sub-1" == page.headings[2].anchor
    assert '<h2 id="what-it-is-really">' in page.html
    assert "<h1" not in page.html
    assert "channelmessagereceive" == anchor_of("`channel.message.receive`")


@pytest.mark.parametrize(
    ("href", "opened"),
    [
        ("forms.md", '<a href="/docs/forms">'),
        ("forms.md#filing", '<a href="/docs/forms#filing">'),
        ("decisions/0009-mcp.md", '<a href="/docs/decisions/0009-mcp">'),
        ("#below", '<a href="#below">'),
        ("https://trio.example/", '<a href="https://trio.example/" rel="noreferrer">'),
        ("../examples/bridges", '<span class="source" title="examples/bridges, in the source">'),
        ("nowhere.md", '<span class="source" title="nowhere.md, in the source">'),
    ],
)
def test_links_lead_to_what_is_served(href, opened):
    """What is not served is named, and is no link that leads nowhere."""
    known = ("forms", "decisions/0009-mcp")

    assert f"{opened}here</" in html(f"[here]({href})", known=known)


def test_links_of_a_decision_start_where_it_stands():
    """One folder down."""
    known = ("forms", "decisions/0009-mcp")
    page = html("[a](0009-mcp.md) [b](../forms.md)", name="decisions/0008-contract", known=known)

    assert 'href="/docs/decisions/0009-mcp"' in page
    assert 'href="/docs/forms"' in page


def test_names_of_tools_lead_to_the_reference():
    """In code, and not within another link."""
    page = html("`record.get` and `nothing.get` and [`record.get`](#x)", tools=("record.get",))

    assert 1 == page.count("/docs/api/record.get")
    assert "<code>nothing.get</code>" in page


def test_nothing_of_the_source_is_markup():
    """Neither raw HTML nor what stands in code; comments are notes to whoever tests the page."""
    page = markup.render("<b>bold</b> <i>x</i>\n\n<!-- not run: no\nreason -->\n```sh\necho '<b>'\n```\n")

    assert "<b>" not in page.html
    assert "&lt;b&gt;" in page.html
    assert "reason" not in page.html
    assert "no reason" == page.blocks[0].not_run


def test_several_languages_of_one_thing_belong_together():
    """As long as no language comes again."""
    page = markup.render("```sh\na\n```\n```python\nb\n```\n```sh\nc\n```\n\n```json\n{}\n```\n")

    assert 1 == page.html.count('class="tabs"')
    assert 4 == page.html.count("<figure")
    assert page.html.index("tabs") < page.html.index("</div>") < page.html.index(">c<")


def test_placeholders_are_filled_in_blocks_alone():
    """Where a demo has the real thing."""
    page = html("A key `svcf_…`.\n\n```text\nf=svcf_…\n```", values={"svcf_…": "svcf_real"})

    assert "<code>svcf_…</code>" in page
    assert "f=svcf_real" in page


def test_tables_scroll_on_their_own():
    """Rather than the page; no style is inline."""
    page = html("| a | b |\n|---|---:|\n| `x` | 2 |\n")

    assert '<div class="wide" tabindex="0" role="region"' in page
    assert "style=" not in page


def test_every_guide_renders():
    """With a title, and with links to its own headings that lead there."""
    for name in files.names():
        page = markup.render(files.text_of(name), name=name, known=files.names())

        assert page.title, name
        anchors = [one.anchor for one in page.headings]
        assert len(anchors) == len(set(anchors)), name


def test_an_installed_program_has_the_guides(tmp_path):
    """From a wheel, unpacked or as the one file that it is."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    unpacked = tmp_path / "site"
    with ZipFile(wheel) as built:
        built.extractall(unpacked)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import svc; from svc.http.docs import files;"
        "assert svc.__file__.startswith(sys.argv[1]);"
        "print(len(files.names()), files.text_of('quickstart')[:12], len(files.pictures()))"
    )

    for place in (unpacked, wheel):
        done = subprocess.run(
            [sys.executable, "-c", program, str(place)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        expected = f"{len(files.names())} # Quickstart {len(files.pictures())}"
        assert expected == done.stdout.strip(), done.stderr
