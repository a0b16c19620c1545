"""The embed's door, from request to answer: which origins may read it, and what may be cached."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import pytest
import structlog

from svc.actors.system import System
from svc.domain.crypto.keys import EMBED_KEY, new_key
from svc.domain.embeds.blocks import Embed, FormBlock, HeroBlock, TextBlock
from svc.domain.randomness import SYSTEM
from svc.http.app import public_app
from svc.http.embeds.door import PATH
from svc.storage.commit.group_commit import _OwnerUnits
from svc.storage.embeds import embeds
from svc.storage.sites import sites
from svc.storage.store import StoreFailed
from tests.fragments import Fragment
from tests.http.asking import client_of
from tests.http.serving import in_memory
from tests.lamps import PRICES, LampTown, lamp_town

NOT_OK = b'{"ok":false}'
LOADER_BYTES_MAX = 3_072


class Place(msgspec.Struct):
    here: LampTown
    system: System
    client: httpx.AsyncClient

    async def get(self, embed: Embed | str, query: str = "", **headers: str) -> httpx.Response:
        key = embed if isinstance(embed, str) else embed.embed_key
        given = {"accept-encoding": "identity"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.client.get(f"{PATH}{key}{query}", headers=given)

    async def bound(self) -> Embed:
        site = await self.here.store.write(sites.create, self.here.organization.id, "lamps.example")
        return await self.here.embed(site_id=site.id)


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    async with lamp_town() as here, here.live_system() as system, client_of(public_app(system)) as client:
        yield Place(here, system, client)


async def test_an_embed_is_json(autojump_clock):
    """Without a format it is the contract's JSON, for any origin, kept for a minute and a little longer."""
    async with place() as at:
        form = await at.here.form()
        embed = await at.here.embed(
            HeroBlock(title="Lamps"), TextBlock(body="*a*"), PRICES, FormBlock(form_id=form.id)
        )

        answer = await at.get(embed, origin="https://anywhere.example")

        assert {
            "ok": True,
            "blocks": [
                {"type": "hero", "title": "Lamps"},
                {"type": "text", "body": "*a*"},
                {
                    "type": "records",
                    "objectType": "lamp",
                    "columns": [{"slug": "name", "label": "Name"}, {"slug": "price", "label": "Price"}],
                    "rows": [
                        {"name": "Anchor", "price": 79.5, "price_currency": "EUR"},
                        {"name": "Skerry", "price": 95, "price_currency": "EUR"},
                    ],
                    "text": [
                        {"name": "Anchor", "price": "79,50\xa0€"},
                        {"name": "Skerry", "price": "95,00\xa0€"},
                    ],
                },
                {"type": "form", "formId": form.id},
            ],
            "formKeys": {form.id: form.form_key},
        } == answer.json()
        assert {
            "content-type": "application/json",
            "cache-control": "public, max-age=60, stale-while-revalidate=300",
            "access-control-allow-origin": "*",
            "vary": "Accept-Encoding",
            "cross-origin-resource-policy": "cross-origin",
            "x-content-type-options": "nosniff",
        }.items() <= dict(answer.headers).items()


async def test_an_embed_is_html(autojump_clock):
    """With `format=html` it is a fragment, whose form leads to where the service is reached."""
    async with place() as at:
        at.system.base_url = "https://svc.example.com"
        form = await at.here.form()
        embed = await at.here.embed(PRICES, FormBlock(form_id=form.id))

        answers = [await at.get(embed, query) for query in ("?format=html", "?x=1&format=html&y=")]

        assert ["text/html; charset=utf-8"] * 2 == [one.headers["content-type"] for one in answers]
        assert "default-src 'none'" in answers[0].headers["content-security-policy"]
        fragment = Fragment(answers[0].text)
        assert "79,50\xa0€" in fragment.text
        assert [f"https://svc.example.com/api/f/s?f={form.form_key}"] == [
            one["action"] for one in fragment.named("form")
        ]
        assert (await at.get(embed)).content == (await at.get(embed, "?format=pdf")).content


async def test_what_is_not_shown_is_one(autojump_clock):
    """Unknown, malformed, paused and removed keys have the same answer to the byte, which is not cached."""
    async with place() as at:
        paused, removed = await at.bound(), await at.here.embed()
        await at.get(removed)
        await at.here.store.write(embeds.set_status, at.here.organization.id, paused.id, "paused")
        await at.here.store.write(embeds.set_status, at.here.organization.id, removed.id, "removed")
        keys = (new_key(EMBED_KEY, SYSTEM), "svce_", "x" * 500, paused.embed_key, removed.embed_key)

        answers = [
            await at.get(key, query, origin="https://evil.example")
            for key in keys
            for query in ("", "?format=html")
        ]

        seen = {
            (
                one.status_code,
                one.content,
                tuple((k, v) for k, v in one.headers.items() if k != "x-request-id"),
            )
            for one in answers
        }
        assert 1 == len(seen)
        assert (404, NOT_OK, "no-store") == (
            answers[0].status_code,
            answers[0].content,
            answers[0].headers["cache-control"],
        )


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("https://lamps.example", 200),
        ("https://www.lamps.example", 200),
        ("http://shop.lamps.example:8080", 200),
        ("https://evil.example", 403),
        ("https://lamps.example.evil.example", 403),
        ("https://evillamps.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_a_bound_embed_is_for_its_site(autojump_clock, origin: str | None, status: int):
    """The site's pages and its subdomains' may read it, and servers, which name no origin."""
    async with place() as at:
        embed = await at.bound()
        headers = {} if origin is None else {"origin": origin}

        for query in ("", "?format=html"):
            answer = await at.get(embed, query, **headers)

            assert status == answer.status_code
            assert "Origin" in answer.headers["vary"]
            allowed = answer.headers.get("access-control-allow-origin")
            if status == 200:
                assert origin == allowed
            else:
                assert (None, NOT_OK, "no-store") == (
                    allowed,
                    answer.content,
                    answer.headers["cache-control"],
                )


async def test_a_client_that_has_it_gets_304(autojump_clock):
    """A strong entity tag stands for the bytes; a client that has them gets 304 without any."""
    async with place() as at:
        embed = await at.here.embed()
        first = await at.get(embed)
        html = await at.get(embed, "?format=html")
        tag = first.headers["etag"]

        assert tag.startswith('"')
        assert tag != html.headers["etag"]
        for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
            again = await at.get(embed, if_none_match=known)
            assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
            assert first.headers["cache-control"] == again.headers["cache-control"]
            assert "*" == again.headers["access-control-allow-origin"]
            assert "content-length" not in again.headers
        assert 200 == (await at.get(embed, if_none_match='"other"')).status_code


async def test_each_representation_has_a_tag_of_its_own(autojump_clock):
    """JSON and HTML, plain and packed: what one client keeps is never taken for another's bytes."""
    async with place() as at:
        embed = await at.here.embed()
        ways = [(query, coding) for query in ("", "?format=html") for coding in ("identity", "gzip")]
        tags = [
            (await at.get(embed, query, accept_encoding=coding)).headers["etag"] for query, coding in ways
        ]
        statuses = {
            (tag, way): (await at.get(embed, way[0], accept_encoding=way[1], if_none_match=tag)).status_code
            for tag in tags
            for way in ways
        }

        assert 4 == len(set(tags))
        assert statuses == {
            (tag, way): 304 if tag == own else 200
            for tag in tags
            for way, own in zip(ways, tags, strict=True)
        }


async def test_embeds_that_differ_at_their_ends_have_other_tags(autojump_clock):
    """Long texts with one beginning: a browser that has one does not take it for the other."""
    async with place() as at:
        text = "The same words for a long while. " * 100
        made = [await at.here.embed(TextBlock(body=text + end)) for end in ("a", "b", "ab")]
        answers = [await at.get(one, query) for one in made for query in ("", "?format=html")]
        first = answers[0].headers["etag"]

        assert len(answers) == len({one.headers["etag"] for one in answers})
        assert [304, 200, 200] == [(await at.get(one, if_none_match=first)).status_code for one in made]


@pytest.mark.parametrize(
    ("known", "status"),
    [
        ("{tag}", 304),
        ("W/{tag}", 304),
        ("  {tag}  ", 304),
        ('"a",{tag}', 304),
        ('"a", W/"b" ,\tW/{tag}', 304),
        ('{tag}, "a"', 304),
        ("*", 304),
        (" * ", 304),
        ("", 200),
        ('"*"', 200),
        ('"a"', 200),
        ("{bare}", 200),
        ('"{bare}', 200),
        ('"{bare}-gzip"', 200),
        ('"x{bare}"', 200),
        ('"{bare}x"', 200),
        ('"{upper}"', 200),
        ('"{short}"', 200),
        ("w/{tag}", 200),
        ("{tag}{tag}", 200),
        ("W/W/{tag}", 200),
    ],
)
async def test_only_the_very_tag_is_not_sent_again(autojump_clock, known: str, status: int):
    """Compared weakly, in a list or alone, or any by `*` (RFC 9110 section 13.1.2); nothing like it."""
    async with place() as at:
        embed = await at.here.embed()
        tag = (await at.get(embed)).headers["etag"]
        bare = tag.strip('"')
        given = known.format(tag=tag, bare=bare, upper=bare.upper(), short=bare[:-1])

        answer = await at.get(embed, if_none_match=given)

        assert status == answer.status_code
        assert (status == 304) == (answer.content == b"")


async def test_tags_in_several_headers_are_one_list(autojump_clock):
    """A proxy may part them."""
    async with place() as at:
        embed = await at.here.embed()
        tag = (await at.get(embed)).headers["etag"]
        headers = [("accept-encoding", "identity"), ("if-none-match", '"a"'), ("if-none-match", tag)]

        answer = await at.client.get(PATH + embed.embed_key, headers=headers)

        assert 304 == answer.status_code


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("deflate, *;q=0.1", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("gzip;q=x", False),
        ("br", False),
        ("", False),
    ],
)
async def test_it_is_compressed_where_that_is_accepted(autojump_clock, accepted: str, compressed: bool):
    """gzip is sent where it is accepted, under an entity tag of its own; both say the same."""
    async with place() as at:
        embed = await at.here.embed()
        plain = await at.get(embed)
        headers = {"accept-encoding": accepted}
        async with at.client.stream("GET", PATH + embed.embed_key, headers=headers) as answer:
            raw = b"".join([part async for part in answer.aiter_raw()])

        assert compressed == ("content-encoding" in answer.headers)
        assert compressed == (plain.headers["etag"] != answer.headers["etag"])
        assert plain.content == (gzip.decompress(raw) if compressed else raw)


async def test_only_reading_is_allowed(autojump_clock):
    """HEAD has the headers alone; a preflight is answered; nothing can be sent."""
    async with place() as at:
        embed = await at.bound()
        address = PATH + embed.embed_key
        origin = {"origin": "https://lamps.example", "access-control-request-headers": "x-mine"}
        head = await at.client.head(address)
        preflight = await at.client.options(address, headers=origin)
        foreign = await at.client.options(address, headers={"origin": "https://evil.example"})
        posted = await at.client.post(address)

        assert (200, b"") == (head.status_code, head.content)
        assert int(head.headers["content-length"]) > 100
        assert (204, "https://lamps.example", "x-mine") == (
            preflight.status_code,
            preflight.headers["access-control-allow-origin"],
            preflight.headers["access-control-allow-headers"],
        )
        assert 403 == foreign.status_code
        assert (405, "GET, HEAD, OPTIONS") == (posted.status_code, posted.headers["allow"])


async def test_what_cannot_be_shown_says_when_to_come_again(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """A store that fails is 503 with `Retry-After`, and a fault of ours 500; neither is kept nor says why."""

    async def fail(*_: object) -> None:
        raise StoreFailed("SELECT secret")

    async def crash(*_: object) -> None:
        raise RuntimeError("secret")

    async with place() as at:
        embed = await at.here.embed()
        with monkeypatch.context() as broken, structlog.testing.capture_logs():
            broken.setattr(_OwnerUnits, "read_long", fail)
            failed = await at.get(embed)
            broken.setattr("svc.http.embeds.door.current", crash)
            crashed = await at.get(embed)

        for answer, status in ((failed, 503), (crashed, 500)):
            assert (status, NOT_OK, "no-store") == (
                answer.status_code,
                answer.content,
                answer.headers["cache-control"],
            )
        assert "1" == failed.headers["retry-after"]


async def test_an_answer_in_error_is_not_kept(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """What says that records could not be read is for this moment alone."""

    async def fail(*_: object) -> None:
        raise StoreFailed("the disk is gone")

    async with place() as at:
        embed = await at.here.embed()
        await at.get(embed)
        with monkeypatch.context() as broken, structlog.testing.capture_logs():
            broken.setattr(_OwnerUnits, "read_long", fail)
            at.here.clock.jump(360_000)
            answer = await at.get(embed)

        assert ("error", "no-store") == (
            answer.json()["blocks"][0]["refused"],
            answer.headers["cache-control"],
        )


async def test_the_loader_is_small_and_for_everybody(autojump_clock):
    """It is under 3 KB as it is sent, may be loaded by any page, and is not sent twice."""
    async with place() as at:
        loader = await at.client.get("/e.js", headers={"accept-encoding": "identity"})
        again = await at.client.get(
            "/e.js", headers={"accept-encoding": "identity", "if-none-match": loader.headers["etag"]}
        )

        assert len(loader.content) < LOADER_BYTES_MAX
        assert 304 == again.status_code
        assert {
            "content-type": "text/javascript; charset=utf-8",
            "access-control-allow-origin": "*",
            "cross-origin-resource-policy": "cross-origin",
        }.items() <= dict(loader.headers).items()


async def test_the_attribution_leads_somewhere(autojump_clock):
    """The page that every fragment ends with a link to is there."""
    async with place() as at:
        embed = await at.here.embed()
        fragment = Fragment((await at.get(embed, "?format=html")).text)

        page = await at.client.get(fragment.named("a")[-1]["href"])

        assert (200, True) == (page.status_code, "svc" in page.text)


async def test_what_is_served_is_http(autojump_clock):
    """Through the real server, an answer and its 304 are framed as they should be."""
    async with lamp_town() as here, here.live_system() as system, in_memory(public_app(system)) as server:
        embed = await here.embed()
        asked = b"GET /api/e/%b HTTP/1.1\r\nHost: a\r\n%b\r\n"
        client = server.dial()
        first = await client.ask(asked % (embed.embed_key.encode(), b""))
        tag = first.headers["etag"].encode()
        again = await client.ask(asked % (embed.embed_key.encode(), b"If-None-Match: %b\r\n" % tag))
        last = await client.ask(asked % (b"nobody", b""))

    assert [200, 304, 404] == [first.status, again.status, last.status]
    assert (b"", NOT_OK) == (again.body, last.body)


@pytest.mark.parametrize("path", ["/api/e", "/api/e/", "/api/e/a/b", "/api/e/%00"])
async def test_what_is_no_key_is_not_found(autojump_clock, path: str):
    """Nothing else below the door's path is an embed."""
    async with place() as at:
        answer: Any = await at.client.get(path)

        assert 404 == answer.status_code
