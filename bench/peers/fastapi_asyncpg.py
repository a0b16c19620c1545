"""Peer: FastAPI on uvicorn with uvloop and httptools, SQLAlchemy's asyncio extension over asyncpg.

`python -m bench.peers.fastapi_asyncpg URL PORT`

A transaction a request, each in a connection of the pool; the look-up is in the same connection, before it.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from bench.peers._job import POOL_WAIT_SECONDS, TAKEN, Desk, Refused, read, store

CONNECTIONS = 16
"""As many as svc has lanes."""


def make_app(url: str) -> FastAPI:
    """The application over the database at *url*."""
    desk = Desk()
    engine = create_async_engine(
        make_url(url).set(drivername="postgresql+asyncpg"),
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with engine.connect() as conn:
            await conn.run_sync(desk.start)
        yield
        await engine.dispose()

    app = FastAPI(lifespan=lifespan)

    @app.exception_handler(Refused)
    async def refuse(_request: Request, error: Refused) -> Response:
        return JSONResponse({"ok": False, "reason": error.reason}, error.status)

    @app.post("/api/f/s")
    async def submit(request: Request) -> Response:
        asked = read(await request.body())
        async with engine.begin() as conn:
            accepted = desk.accept(
                await conn.run_sync(desk.look_up, asked.form_key),
                asked,
                origin=request.headers.get("origin"),
                address=request.client.host if request.client else "",
                user_agent=request.headers.get("user-agent", ""),
            )
            await conn.run_sync(store, desk, accepted)
        return Response(TAKEN, media_type="application/json")

    return app


if __name__ == "__main__":
    uvicorn.run(make_app(sys.argv[1]), port=int(sys.argv[2]), log_level="warning", access_log=False)
