"""The load: wrk, its script, and what it found."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from bench._machine import load_prefix

Mode = Literal["spread", "hot", "get", "messages"]

SCRIPT: Final = Path(__file__).with_name("load.lua")
CALLS_SCRIPT: Final = Path(__file__).with_name("calls.lua")
EXIT_NO_WRK: Final = 2


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of wrk found. Latencies are those of all answers, whatever their status."""

    seconds: float
    requests: int
    ok: int
    limited: int
    """Answers with the status 429."""
    other: int
    """Answers with a status that is neither 200 nor 429."""
    broken: int
    """Connections, reads and writes that failed."""
    p50_ms: float
    p99_ms: float
    max_ms: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.requests / self.seconds


def require_wrk() -> None:
    """End the program with a word of advice where there is no wrk."""
    if shutil.which("wrk") is None:
        print("The benches need wrk as the load: apt-get install wrk", file=sys.stderr)
        sys.exit(EXIT_NO_WRK)


def start_load(
    url: str,
    forms: Path,
    *,
    tail: str,
    seconds: int,
    connections: int,
    mode: Mode = "spread",
    pause_ms: int = 0,
    posts_max: int = 0,
    seed: int = 1,
) -> "subprocess.Popen[str]":
    """Start wrk against *url* with the *forms* of a file; `finish_load` waits for what it finds.

    *tail* makes the e-mail addresses of this run its own. With *pause_ms* each connection waits so long
    before each request; with *posts_max* nothing is asked for after so many.
    """
    return _start_wrk(
        url,
        SCRIPT,
        {
            "BENCH_FORMS": str(forms),
            "BENCH_MODE": mode,
            "BENCH_SEED": str(seed),
            "BENCH_TAIL": tail,
            "BENCH_PAUSE_MS": str(pause_ms),
            "BENCH_POSTS": str(posts_max),
        },
        seconds=seconds,
        connections=connections,
    )


def start_calls(
    url: str,
    bodies: Path,
    keys: Sequence[str],
    *,
    seconds: int,
    connections: int,
    method: str = "POST",
    headers: Sequence[str] = (),
) -> "subprocess.Popen[str]":
    """Start wrk against *url* with the *bodies* of a file, a line each, and *keys*; "" sends none.

    *headers* go with every call, each a line.
    """
    told = {"BENCH_BODIES": str(bodies), "BENCH_KEYS": ",".join(keys), "BENCH_METHOD": method}
    return _start_wrk(url, CALLS_SCRIPT, told, seconds=seconds, connections=connections, headers=headers)


def _start_wrk(
    url: str,
    script: Path,
    told: Mapping[str, str],
    *,
    seconds: int,
    connections: int,
    headers: Sequence[str] = (),
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [
            *load_prefix(),
            "wrk",
            "--threads=1",
            f"--connections={connections}",
            f"--duration={seconds}s",
            "--timeout=10s",
            f"--script={script}",
            *(f"--header={line}" for line in headers),
            url,
        ],
        env={**os.environ, **told},
        stdout=subprocess.PIPE,
        text=True,
    )


def finish_load(wrk: "subprocess.Popen[str]") -> Load:
    """Wait for the end of a run."""
    output, _ = wrk.communicate()
    if wrk.returncode:
        raise SystemExit(f"wrk failed: {output}")
    return msgspec.json.decode(output.strip().splitlines()[-1], type=Load)
