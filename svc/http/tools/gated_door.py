"""What the doors have in common whose callers a gate admits, and whose answers show the budget."""

from typing import ClassVar

import structlog

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.identity.callers import Call
from svc.http.fast_path import Answer, Request, StreamAnswer
from svc.http.problems.call_problems import call_problem
from svc.http.tools.admission import answer_admitted, call_of
from svc.http.tools.door import Gate
from svc.tools.registry import Registry


class GatedDoor:
    """Answers those that its gate admits. A subclass answers the admitted call, in `answer_call`."""

    logged_as: ClassVar[str]
    """The tool in the request log: the one whose right the door asks for."""

    def __init__(self, system: System, registry: Registry, gate: Gate) -> None:
        self._system = system
        self._registry = registry
        self._gate = gate
        self._log = structlog.get_logger(type(self).__module__.removesuffix(".door"))

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        """Admit the caller, then answer the call. Raises what `Gate.admit` and `answer_admitted` do."""
        admission = await self._gate.admit(request)
        if request.line is not None:
            request.line.tool = self.logged_as
        return await answer_admitted(request, admission, self.answer_call, self.problem_for)

    async def answer_call(self, request: Request, admission: Admission) -> Answer | StreamAnswer:
        """Answer *request*, whose caller is admitted. What it raises is answered by `problem_for`."""
        raise NotImplementedError

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(self._log, request, error, self._gate.unauthorized)

    def call_of(self, request: Request, admission: Admission) -> Call:
        """The context in which tools run for *request*."""
        return call_of(self._system, self._registry, admission, self._gate.door, request)
