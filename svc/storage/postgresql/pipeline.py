"""Connections that send statements together: those whose outcome nobody needs yet go along with the next.

Commands about a transaction and writes are noted, and sent in libpq's pipeline mode with the next statement
whose rows or count are needed, with the next savepoint, or with the COMMIT. Each of these is a round trip.
All else, such as psycopg's cursors, first has sent and answered what is noted.
"""

import select
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast

import psycopg
import sqlalchemy as sa
from psycopg import abc, pq
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError

RV = TypeVar("RV")

PENDING_MAX: Final = 256
"""How much is noted before it is sent."""


class _NumberedDialect(PGDialect_psycopg):
    """SQL with the numbered parameters of the protocol."""

    _backslash_escapes = False  # each session has standard_conforming_strings on


DIALECT: Final = _NumberedDialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]

_NAME_BYTES_MAX: Final = 63

_DONE: Final = frozenset({pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK})
# Looking a member of an enumeration up takes a tenth of a microsecond, and there are several at each wait.
_SYNC: Final = pq.ExecStatus.PIPELINE_SYNC
_INTRANS: Final = pq.TransactionStatus.INTRANS
_INERROR: Final = pq.TransactionStatus.INERROR


class Prepared:
    """The text of a statement that a connection prepares once, and how its values are sent."""

    __slots__ = ("formats", "sent_as", "sql", "text")

    def __init__(self, text: str, binary: Sequence[bool] = ()) -> None:
        """*binary* says of each parameter whether it is bytes, sent as they are; all else is sent as text."""
        self.text = text
        self.sql = text.encode()
        self.formats = [PyFormat.BINARY if one else PyFormat.TEXT for one in binary]
        sent_as = [pq.Format.BINARY if one else pq.Format.TEXT for one in binary]
        self.sent_as = sent_as if any(binary) else None


class _Pending(NamedTuple):
    """What is to be sent: a statement, its values, and what is done with its result."""

    prepared: Prepared
    values: Sequence[Any] | None
    done: Callable[[pq.abc.PGresult], None] | None
    is_command: bool
    """Whether its errors are psycopg's: those of a program's statement are SQLAlchemy's."""


class PipelinedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection in autocommit. Used by one thread at a time."""

    def __init__(self, pgconn: pq.abc.PGconn, *args: Any, **kwargs: Any) -> None:
        super().__init__(pgconn, *args, **kwargs)
        self.round_trips = 0
        """How often it has waited for the server."""
        self._pending: list[_Pending] = []
        self._writes = False
        """Whether a statement is pending, which may fail; a command cannot while the transaction is whole."""
        self._names: dict[bytes, bytes] = {}
        """By their text, the statements that are prepared."""
        self._named = 0
        self._transformer = Transformer(self)
        self._readable = select.poll()
        self._readable.register(pgconn.socket, select.POLLIN)

    @property
    def has_pending(self) -> bool:
        """Whether something is to be sent."""
        return bool(self._pending)

    @property
    def is_quiet(self) -> bool:
        """Whether the server has said nothing unasked, such as that it ends the session."""
        return not self._readable.poll(0)

    def wait(self, gen: PQGen[RV], *args: Any, **kwargs: Any) -> RV:
        """What psycopg does by itself, after what is pending."""
        if self._pending:
            self.settle()
        self.round_trips += 1
        return super().wait(gen, *args, **kwargs)

    def _deallocate(self, name: bytes | None) -> PQGen[None]:
        """Drop a statement that psycopg has prepared.

        After a rollback by itself and a change of the schema, it drops all of the session: those here, too.
        """
        if name is None:
            self._names.clear()
        yield from super()._deallocate(name)

    def command(self, prepared: Prepared, done: Callable[[pq.abc.PGresult], None] | None = None) -> None:
        """Execute a command about the transaction, before the next statement at the latest.

        It is sent at once where it can fail, or where what was noted before can. Raises SQLAlchemy's errors
        of statements before it, and psycopg's of the command.
        """
        can_wait = not self._writes and self.pgconn.transaction_status != _INERROR
        self._pending.append(_Pending(prepared, None, done, True))
        if not can_wait:
            self.settle()

    def command_now(self, prepared: Prepared) -> pq.abc.PGresult:
        """The result of a command, with the errors of `command`."""
        self._pending.append(_Pending(prepared, None, None, True))
        result = self.settle()
        assert result is not None  # noqa: S101  # it is that of the command
        return result

    def write(self, prepared: Prepared, values: Sequence[Any]) -> None:
        """Execute a statement whose result is not needed, before the next that is waited for.

        Outside of a transaction it is waited for. Raises SQLAlchemy's errors, of this statement where its
        values cannot be sent.
        """
        can_wait = self._pending or self.pgconn.transaction_status == _INTRANS
        self._pending.append(_Pending(prepared, self._sent(prepared, values), None, False))
        self._writes = True
        if not can_wait or len(self._pending) >= PENDING_MAX:
            self.settle()

    def query(self, prepared: Prepared, values: Sequence[Any]) -> pq.abc.PGresult:
        """The result of a statement. Raises SQLAlchemy's errors, also of what was pending."""
        self._pending.append(_Pending(prepared, self._sent(prepared, values), None, False))
        result = self.settle()
        assert result is not None  # noqa: S101  # it is that of the statement
        return result

    def execute_now(self, command: str) -> pq.abc.PGresult:
        """Execute commands without values, in one round trip, after what is pending; the last result.

        It does not hold the interpreter's lock while it waits. Raises psycopg's errors; the connection is
        closed where it was lost.
        """
        self.settle()
        self.round_trips += 1
        result = self.pgconn.exec_(command.encode())
        if result.status not in _DONE:
            self._fail(result)
        return result

    def load(self, result: pq.abc.PGresult) -> list[tuple[Any, ...]]:
        """All rows of a result."""
        self._transformer.set_pgresult(result)
        rows = self._transformer.load_rows(0, result.ntuples, tuple)
        self._transformer.set_pgresult(None)  # which holds its memory
        return rows

    def load_first(self, result: pq.abc.PGresult) -> tuple[Any, ...] | None:
        """The first row of a result; None if it has none."""
        if not result.ntuples:
            return None
        self._transformer.set_pgresult(result)
        return self._transformer.load_row(0, tuple)

    def transformer(self) -> abc.Transformer:
        """What makes values of a result of its own."""
        made: abc.Transformer = Transformer(self)
        return made

    def discard(self) -> None:
        """Forget what is pending: its transaction is rolled back."""
        self._pending = []
        self._writes = False

    def settle(self) -> pq.abc.PGresult | None:
        """Send what is pending, and wait until all of it is done; the result of the last.

        Raises the error of the first that failed, SQLAlchemy's of a statement and psycopg's of a command.
        What came after it was not done. The connection is closed where it was lost.
        """
        pending = self._pending
        if not pending:
            return None
        self._pending = []
        self._writes = False
        self.round_trips += 1
        one = pending[0]
        if len(pending) > 1 or one.prepared.sql not in self._names:
            return self._exchange(pending)
        name = self._names[one.prepared.sql]
        result = self.pgconn.exec_prepared(name, one.values, one.prepared.sent_as)
        if result.status not in _DONE:
            self._fail_in(one, result)
        if one.done is not None:
            one.done(result)
        return result

    def _sent(self, prepared: Prepared, values: Sequence[Any]) -> Sequence[Any] | None:
        """*values* as they are sent."""
        if not values:
            return None
        try:
            return self._transformer.dump_sequence(values, prepared.formats)
        except psycopg.Error as error:
            raise translated(error, prepared.text) from error

    def _exchange(self, pending: list[_Pending]) -> pq.abc.PGresult:
        """Send all of *pending* in pipeline mode; the result of the last."""
        pgconn, names = self.pgconn, self._names
        sent: list[tuple[_Pending, bool]] = []
        """What has a result, and whether that is of its preparation."""
        results: list[pq.abc.PGresult] = []
        try:
            pgconn.enter_pipeline_mode()
            send = pgconn.send_query_prepared
            for one in pending:
                prepared, values, _, _ = one
                name = names.get(prepared.sql)
                if name is None:
                    name = names[prepared.sql] = self._new_name(one)
                    pgconn.send_prepare(name, prepared.sql)
                    sent.append((one, True))
                send(name, values, prepared.sent_as)
                sent.append((one, False))
            pgconn.pipeline_sync()
            self._receive(results)
            pgconn.exit_pipeline_mode()
        except BaseException as error:
            # What the connection does next cannot be known.
            pgconn.finish()
            said = next((result for result in results if result.status == pq.ExecStatus.FATAL_ERROR), None)
            if said is not None and isinstance(error, psycopg.Error):
                raise psycopg.errors.error_from_result(said) from error
            raise
        failed: tuple[_Pending, pq.abc.PGresult] | None = None
        for (one, is_preparation), result in zip(sent, results, strict=True):
            if result.status not in _DONE:
                failed = failed or (one, result)
                if is_preparation:
                    del names[one.prepared.sql]
            elif one.done is not None and not is_preparation:
                one.done(result)
        if failed is not None:
            self._fail_in(*failed)
        return results[-1]

    def _new_name(self, one: _Pending) -> bytes:
        """A name for a statement; a short command has its text, which shows what is sent."""
        sql = one.prepared.sql
        if one.is_command and len(sql) <= _NAME_BYTES_MAX:
            return sql
        self._named += 1
        return f"svc_{self._named}".encode()

    def _receive(self, results: list[pq.abc.PGresult]) -> None:
        """Add the results of a pipeline up to its end, without holding the interpreter's lock meanwhile."""
        pgconn = self.pgconn
        while pgconn.flush():
            # What is sent may be more than the server takes before its answers are read.
            self._readable.modify(pgconn.socket, select.POLLIN | select.POLLOUT)
            try:
                self._readable.poll()
            finally:
                self._readable.modify(pgconn.socket, select.POLLIN)
            pgconn.consume_input()
        is_busy, get_result = pgconn.is_busy, pgconn.get_result
        while True:
            while is_busy():
                self._readable.poll()
                pgconn.consume_input()
            result = get_result()
            if result is None:  # the end of one statement's
                if pgconn.status != pq.ConnStatus.OK:
                    raise psycopg.OperationalError("the connection was lost")
            elif result.status == _SYNC:
                return
            else:
                results.append(result)

    def _fail_in(self, one: _Pending, result: pq.abc.PGresult) -> NoReturn:
        """Raise the error of a statement or command."""
        try:
            self._fail(result)
        except psycopg.Error as error:
            if error.sqlstate in _NOT_PREPARED:
                self.pgconn.finish()
            if one.is_command:
                raise
            raise translated(error, one.prepared.text) from error

    def _fail(self, result: pq.abc.PGresult) -> NoReturn:
        """Raise the error that *result* is, and close the connection where the session has ended."""
        error = psycopg.errors.error_from_result(result)
        severity = result.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED)
        if severity == b"ERROR":
            raise error
        # The server has ended the session, or libpq says that it was lost: then there is no severity, and
        # libpq may still call the connection a good one.
        self.discard()
        self.pgconn.finish()
        if severity is None:
            raise psycopg.OperationalError(str(error)) from error
        raise error


_NOT_PREPARED: Final = frozenset({"26000", "42P05"})
"""SQLSTATE where a session has not the prepared statements that it was given, or has those of others."""


def translated(error: psycopg.Error, sql: str) -> BaseException:
    """SQLAlchemy's error for one of psycopg's; it names the statement, without its values."""
    return DBAPIError.instance(sql, None, error, psycopg.Error, hide_parameters=True, dialect=DIALECT)


def raw(conn: sa.Connection) -> PipelinedConnection:
    """The connection under *conn*."""
    return cast(PipelinedConnection, conn.connection.dbapi_connection)
