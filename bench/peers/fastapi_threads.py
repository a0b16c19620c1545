"""Peer (b): FastAPI on uvicorn with uvloop and httptools, SQLAlchemy Core in FastAPI's thread pool.

`python -m bench.peers.fastapi_threads DATABASE PORT`

The look-up reads beside the one connection that writes; so no thread waits for SQLite's lock, whose
waiting sleeps.
"""

import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import uvicorn
from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import Connection, Engine, create_engine, event

from bench.peers._job import (
    BUSY_SECONDS,
    POOL_WAIT_SECONDS,
    PRAGMAS,
    READERS,
    TAKEN,
    Desk,
    Refused,
    read,
    store,
)


def make_engine(path: str, *, size: int, begin: str | None) -> Engine:
    """An engine with *size* connections; *begin* starts a transaction, None leaves each SELECT alone."""
    engine = create_engine(
        f"sqlite:///{path}",
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
        connect_args={
            "isolation_level": None,
            "timeout": BUSY_SECONDS,
            "cached_statements": 512,
            "check_same_thread": False,
        },
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _record: Any) -> None:
        for pragma in PRAGMAS:
            connection.execute(pragma)

    if begin is not None:

        @event.listens_for(engine, "begin")
        def start(conn: Connection) -> None:
            conn.exec_driver_sql(begin)

    return engine


async def raw_body(request: Request) -> bytes:
    """The body, read where the request lives."""
    return await request.body()


def make_app(path: str) -> FastAPI:
    """The application over the database at *path*."""
    desk = Desk()
    readers = make_engine(path, size=READERS, begin=None)
    writer = make_engine(path, size=1, begin="BEGIN IMMEDIATE")

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with readers.connect() as conn:
            desk.start(conn)
        yield
        readers.dispose()
        writer.dispose()

    app = FastAPI(lifespan=lifespan)

    @app.exception_handler(Refused)
    async def refuse(_request: Request, error: Refused) -> Response:
        return JSONResponse({"ok": False, "reason": error.reason}, error.status)

    @app.post("/api/f/s")
    def submit(request: Request, raw: Annotated[bytes, Depends(raw_body)]) -> Response:
        asked = read(raw)
        with readers.connect() as conn:
            found = desk.look_up(conn, asked.form_key)
        accepted = desk.accept(
            found,
            asked,
            origin=request.headers.get("origin"),
            address=request.client.host if request.client else "",
            user_agent=request.headers.get("user-agent", ""),
        )
        with writer.begin() as conn:
            store(conn, desk, accepted)
        return Response(TAKEN, media_type="application/json")

    return app


if __name__ == "__main__":
    uvicorn.run(make_app(sys.argv[1]), port=int(sys.argv[2]), log_level="warning", access_log=False)
