"""The parsing of responses: which heads count, which bodies end a connection, and that bytes are bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.actors.outbound.answer import Answer
from svc.actors.outbound.errors import NotSent
from svc.domain.net.limits import (
    OUTGOING_ANSWER_BYTES_MAX,
    OUTGOING_ANSWER_NOTED_BYTES,
    OUTGOING_HEAD_BYTES_MAX,
)

HEAD = b"HTTP/1.1 200 OK\r\n"
Seen = tuple[int, str | None, str, bool, bool]
"""Status, `Retry-After`, text, whether it is complete, whether the connection may be used again."""


def fed(*parts: bytes) -> Answer:
    answer = Answer()
    for part in parts:
        answer.feed(part)
    return answer


def seen(answer: Answer) -> Seen:
    return answer.status, answer.retry_after, answer.text(), answer.complete, answer.keep_alive


ANSWERS: dict[str, tuple[bytes, Seen]] = {
    "length": (HEAD + b"Content-Length: 2\r\n\r\nok", (200, None, "ok", True, True)),
    "chunks": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;a=b\r\no\r\n1\r\nk\r\n0\r\n\r\n",
        (200, None, "ok", True, True),
    ),
    "trailers": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nRetry-After: 9\r\n\r\n",
        (200, None, "ok", True, True),
    ),
    "until the end": (HEAD + b"\r\nok", (200, None, "ok", False, False)),
    "other coding": (HEAD + b"Transfer-Encoding: gzip\r\n\r\nok", (200, None, "ok", False, False)),
    "nothing": (b"HTTP/1.1 204 No Content\r\n\r\n", (204, None, "", True, True)),
    "nothing, with a length": (
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        (304, None, "", True, True),
    ),
    "no reason": (b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", (200, None, "", True, True)),
    "retry": (
        b"HTTP/1.1 503 Busy\r\nretry-AFTER: 7 \t\r\nContent-Length: 0\r\n\r\n",
        (503, "7", "", True, True),
    ),
    "hints before it": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nRetry-After: 9\r\n\r\n"
        + HEAD
        + b"Content-Length: 2\r\n\r\nok",
        (200, None, "ok", True, True),
    ),
    "an upgrade offered": (
        HEAD + b"Upgrade: h2c\r\nConnection: Upgrade, Keep-Alive\r\nContent-Length: 2\r\n\r\nok",
        (200, None, "ok", True, True),
    ),
    "closes": (HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\nok", (200, None, "ok", True, False)),
    "HTTP/1.0": (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", (200, None, "ok", True, False)),
    "HTTP/1.0, kept": (
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
        (200, None, "ok", True, False),
    ),
    "another after it": (
        HEAD + b"Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno",
        (200, None, "ok", True, False),
    ),
    "garbage after it": (HEAD + b"Content-Length: 2\r\n\r\nok, or not", (200, None, "ok", True, False)),
    "a broken chunk": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n",
        (200, None, "ok", False, False),
    ),
    "text": (
        HEAD + b"Content-Length: 15\r\n\r\n\x00a\x1b[1m\xff\r\n\xe2\x80\xae\xe2\x80\xa2",
        (200, None, "a[1m\ufffd\n•", True, True),
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_an_answer_says(name):
    """Its status, when to come again, the beginning of its body, and whether its connection is kept."""
    raw, expected = ANSWERS[name]

    assert expected == seen(fed(raw))


@given(st.data())
def test_how_it_is_cut_does_not_matter(data):
    """Whatever reads the bytes arrive in, the answer is the same."""
    raw, expected = data.draw(st.sampled_from(list(ANSWERS.values())))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1))))
    parts = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]

    assert expected == seen(fed(*parts))


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.7\r\n",
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nx",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\nx",
        b"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"X: a\r\n b\r\n\r\n",
        HEAD + b"X : a\r\n\r\n",
    ],
)
def test_what_is_no_answer(raw):
    """It is said to be none, however it is cut."""
    for parts in ([raw], [bytes([one]) for one in raw]):
        with pytest.raises(NotSent, match="not HTTP"):
            fed(*parts)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_an_answer_or_none(noise, after_a_head):
    """Nothing else than `NotSent` is raised, and none once the status is there."""
    answer = Answer()
    if after_a_head:
        answer.feed(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    try:
        answer.feed(noise)
    except NotSent:
        assert not after_a_head
    else:
        assert answer.begun
        assert (answer.status == 200) or not after_a_head


@pytest.mark.parametrize(
    "endless",
    [
        HEAD + b"X: " + b"x" * 2 * OUTGOING_HEAD_BYTES_MAX,
        HEAD + b"X: y\r\n" * OUTGOING_HEAD_BYTES_MAX,
        b"HTTP/1.1 100 Continue\r\n\r\n" * OUTGOING_HEAD_BYTES_MAX,
    ],
    ids=["one header", "headers", "hints"],
)
def test_a_head_has_a_limit(endless):
    """In bytes, whatever they are."""
    answer = Answer()
    for start in range(0, OUTGOING_HEAD_BYTES_MAX, 1_024):
        answer.feed(endless[start : start + 1_024])
    with pytest.raises(NotSent, match="too long"):
        answer.feed(endless[OUTGOING_HEAD_BYTES_MAX:][:1])


@pytest.mark.parametrize("part", [b"x" * 1_000, b"1\r\nx\r\n" * 200], ids=["length", "chunks"])
def test_a_body_has_a_limit(part):
    """In bytes on the wire, since chunks can be almost nothing else than framing."""
    coding = b"Transfer-Encoding: chunked" if part.startswith(b"1") else b"Content-Length: 1000000000"
    answer = fed(HEAD + coding + b"\r\n\r\n")
    parts = 0
    while not answer.over:
        answer.feed(part)
        parts += 1

    assert parts == OUTGOING_ANSWER_BYTES_MAX // len(part) + 1
    assert (200, False, False) == (answer.status, answer.complete, answer.keep_alive)
    assert answer.text() == "x" * OUTGOING_ANSWER_NOTED_BYTES


def test_head_and_body_are_counted_apart():
    """Each may be nearly as large as its limit."""
    large = b"x" * (OUTGOING_HEAD_BYTES_MAX - 100)
    answer = fed(HEAD + b"X: " + large, b"\r\nContent-Length: %d\r\n\r\n" % len(large), large)

    assert (200, True, True) == (answer.status, answer.complete, answer.keep_alive)


def test_trailers_count_as_body():
    """A trailer without an end is cut off."""
    answer = fed(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ")
    for _ in range(OUTGOING_ANSWER_BYTES_MAX // 1_000 + 1):
        assert not answer.over
        answer.feed(b"x" * 1_000)

    assert answer.over


def test_no_more_is_read_than_is_of_use():
    """A connection that closes anyway is not read on for the rest of a body."""
    closing = fed(HEAD + b"Connection: close\r\nContent-Length: 5000\r\n\r\n")
    kept = fed(HEAD + b"Content-Length: 5000\r\n\r\n")
    for answer in (closing, kept):
        answer.feed(b"x" * 999)
        assert not answer.over
        answer.feed(b"x")

    assert (True, False) == (closing.over, kept.over)


def test_a_character_that_was_cut_is_left_out():
    """Where the beginning of the body ends within one; a body that ends within one shows that."""
    euro = "€".encode()
    long = fed(HEAD + b"Content-Length: 2000\r\n\r\n" + b"xx" + euro * 400)
    short = fed(HEAD + b"Content-Length: 3\r\n\r\n" + b"x" + euro[:2])

    assert "xx" + "€" * 332 == long.text()
    assert "x\ufffd" == short.text()


def test_no_body_is_no_text():
    """Nor is an answer that has not begun."""
    assert ("", False, False) == (Answer().text(), Answer().begun, Answer().over)
