"""Writing to streams that fail, block or are gone."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest

from svc.logging.output import PIECE_BYTES, Output, steady


class Pipe:
    """A pipe, with a text stream at the end that is written."""

    def __init__(self) -> None:
        self.reader, descriptor = os.pipe()
        self.stream = os.fdopen(descriptor, "w", encoding="utf-8")

    def fill(self) -> None:
        """Write until it takes no more."""
        os.set_blocking(self.stream.fileno(), False)
        with suppress(BlockingIOError):
            while True:
                os.write(self.stream.fileno(), b"x" * PIECE_BYTES)
        os.set_blocking(self.stream.fileno(), True)

    def read(self) -> bytes:
        return os.read(self.reader, 1_000_000)

    def close(self) -> None:
        self.stream.close()
        os.close(self.reader)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


class Failing(io.StringIO):
    def write(self, text: str) -> int:
        raise RuntimeError(text)


def full_device() -> TextIO:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    return Path("/dev/full").open("w", encoding="utf-8")


def without_reader() -> TextIO:
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w", encoding="utf-8")


def closed(stream: TextIO) -> TextIO:
    stream.close()
    return stream


DEAD: dict[str, Callable[[], TextIO | None]] = {
    "full": full_device,
    "no reader": without_reader,
    "closed": lambda: closed(without_reader()),
    "never open": lambda: None,
    "closed text": lambda: closed(io.StringIO()),
    "failing text": Failing,
}


@pytest.fixture(params=DEAD)
def dead(request: pytest.FixtureRequest) -> Iterator[TextIO | None]:
    """A stream that takes nothing."""
    stream = DEAD[request.param]()
    yield stream
    if stream is not None:
        stream.close()


def test_a_failed_write_is_reported_and_raises_nothing(dead: TextIO | None) -> None:
    """A stream that is full, gone, closed or broken loses every line, the second too."""
    output = Output(dead)

    assert [False, False] == [output.write("a line\n"), output.write("another\n")]
    assert not output.is_terminal


def test_a_pipe_without_a_reader_is_not_waited_for(pipe: Pipe) -> None:
    """What a full pipe cannot take at once is lost; once it is read, lines are taken again."""
    output = Output(pipe.stream)
    pipe.fill()

    assert not output.write("lost\n")
    assert pipe.read().endswith(b"x")
    assert output.write("there\n")
    assert b"there\n" == pipe.read()


def test_a_line_that_was_torn_is_ended_before_the_next(pipe: Pipe) -> None:
    """A part of a long line may be taken; what follows begins on a line of its own."""
    output = Output(pipe.stream)

    assert not output.write("x" * 1_000_000 + "\n")
    pipe.read()
    assert output.write("next\n")
    assert output.write("and next\n")
    assert b"\nnext\nand next\n" == pipe.read()


def test_a_long_line_is_written_whole(pipe: Pipe) -> None:
    """A line may be longer than what a pipe takes in one piece."""
    line = "é" * PIECE_BYTES + "\n"

    assert Output(pipe.stream).write(line)
    assert line.encode() == pipe.read()


def test_what_the_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    """No character makes writing fail: neither one that ASCII has not, nor half of a pair."""
    with (tmp_path / "log").open("w", encoding="ascii") as stream:
        assert Output(stream).write("\xe9 \ud83d\n")

    assert b"\\xe9 \\ud83d\n" == (tmp_path / "log").read_bytes()


def test_a_text_stream_is_written_as_one(pipe: Pipe) -> None:
    """What has no file below it, as in tests, is written through its own methods."""
    stream = io.StringIO()

    assert Output(stream).write("a line\n")
    assert "a line\n" == stream.getvalue()
    assert stream is steady(stream)


def test_a_steady_stream_raises_nothing(pipe: Pipe) -> None:
    """`print` to it works while there is a reader, and is dropped after; nothing is left to fail later."""
    stream = steady(pipe.stream)

    print("heard é", file=stream)
    heard = pipe.read()
    pipe.fill()
    print("not heard", file=stream)
    stream.flush()

    assert "heard é\n".encode() == heard
    assert pipe.stream.fileno() == stream.fileno()
    assert set(b"x") == set(pipe.read())
