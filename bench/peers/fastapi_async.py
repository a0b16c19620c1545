"""Peer (a): FastAPI on uvicorn with uvloop and httptools, SQLAlchemy's asyncio extension over aiosqlite.

`python -m bench.peers.fastapi_async DATABASE PORT`

The look-up reads beside the one connection that writes; so no request waits for SQLite's lock, whose
waiting sleeps.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

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


def make_engine(path: str, *, size: int, begin: str | None) -> AsyncEngine:
    """An engine with *size* connections; *begin* starts a transaction, None leaves each SELECT alone."""
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{path}",
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
        connect_args={"isolation_level": None, "timeout": BUSY_SECONDS, "cached_statements": 512},
    )

    @event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    if begin is not None:

        @event.listens_for(engine.sync_engine, "begin")
        def start(conn: Connection) -> None:
            conn.exec_driver_sql(begin)

    return engine


def make_app(path: str) -> FastAPI:
    """The application over the database at *path*."""
    desk = Desk()
    readers = make_engine(path, size=READERS, begin=None)
    writer = make_engine(path, size=1, begin="BEGIN IMMEDIATE")

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with readers.connect() as conn:
            await conn.run_sync(desk.start)
        yield
        await readers.dispose()
        await writer.dispose()

    app = FastAPI(lifespan=lifespan)

    @app.exception_handler(Refused)
    async def refuse(_request: Request, error: Refused) -> Response:
        return JSONResponse({"ok": False, "reason": error.reason}, error.status)

    @app.post("/api/f/s")
    async def submit(request: Request) -> Response:
        asked = read(await request.body())
        async with readers.connect() as conn:
            found = await conn.run_sync(desk.look_up, asked.form_key)
        accepted = desk.accept(
            found,
            asked,
            origin=request.headers.get("origin"),
            address=request.client.host if request.client else "",
            user_agent=request.headers.get("user-agent", ""),
        )
        async with writer.begin() as conn:
            await conn.run_sync(store, desk, accepted)
        return Response(TAKEN, media_type="application/json")

    return app


if __name__ == "__main__":
    uvicorn.run(make_app(sys.argv[1]), port=int(sys.argv[2]), log_level="warning", access_log=False)
