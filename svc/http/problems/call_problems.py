"""Problems at doors that take calls with a credential: tools, MCP and channels."""

from typing import Any

from svc.domain.errors import Unauthenticated
from svc.http.fast_path import Answer, Request
from svc.http.problems.problems import UNAUTHORIZED, code_for, is_fault, problem_for


def call_problem(log: Any, request: Request, error: Exception, unauthorized: Answer = UNAUTHORIZED) -> Answer:
    """Answer *error* with its problem, and log it if it is a fault of this service."""
    if request.line is not None:
        request.line.code = code_for(error)
    if isinstance(error, Unauthenticated):
        return unauthorized
    if is_fault(error):
        log_fault(log, request, error)
    return problem_for(error, request.id)


def log_fault(log: Any, request: Request, error: Exception) -> None:
    """Log *error* with the request's path and id."""
    log.error("a call failed", path=request.path, request_id=request.id.decode(), exc_info=error)
