"""A screen's page as plain HTML: what the browser alone needs for it, to compare the program with."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

import httpx

_SCRIPTS: Final = re.compile(r'<script.*?</script>|<link rel="modulepreload"[^>]*>', re.DOTALL)
_KEPT: Final = "max-age=3600"


@contextmanager
def serving(html: str, origin: str) -> Iterator[str]:
    """Serve *html* without its scripts at every path, and the files of *origin*; yields the address."""
    page = f"<!doctype html>{_SCRIPTS.sub('', html)}".encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body, kind, kept = page, "text/html; charset=utf-8", "no-store"
            if self.path.endswith((".css", ".svg")):
                answer = httpx.get(origin + self.path)
                body, kind, kept = answer.content, answer.headers["Content-Type"], _KEPT
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Cache-Control", kept)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
