/** Refusals and failures as values: what a call answers when it does not answer what was asked. */
import type { components } from "../contract";

type Shape = components["schemas"]["Problem"];

export interface Fault {
  /** A JSON pointer into what was asked: `/name`, `/blocks/2/title`. */
  pointer: string;
  code: string;
  detail: string;
}

export interface Problem {
  /** The server's code, or one of this program's own. */
  code: Shape["code"] | "no_connection" | "no_answer" | "stopped" | "refused";
  title: string;
  detail: string | null;
  /** Names the call in the server's log. */
  requestId: string | null;
  faults: Fault[];
  organizations: { id: string; name: string }[];
  conflicts: NonNullable<Shape["conflicts"]>;
  retryAfterSeconds: number | null;
}

export type Result<T> = { ok: true; answer: T } | { ok: false; problem: Problem };

const BARE = { detail: null, requestId: null, faults: [], organizations: [], conflicts: [], retryAfterSeconds: null };

/** Whether *problem* goes by itself once the service can be reached. */
export function isCutOff(problem: Problem): boolean {
  return problem.code === "no_connection" || problem.code === "no_answer";
}

/** A problem that has no answer of the server behind it. */
export function ownProblem(code: "no_connection" | "no_answer" | "stopped" | "refused", title: string): Problem {
  return { ...BARE, code, title };
}

/** Read the problem in *response*; one without a readable body (a proxy's page) keeps its request id. */
export async function problemOf(response: Response): Promise<Problem> {
  const requestId = response.headers.get("X-Request-Id");
  const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(wait) ? wait : null;
  let body: Partial<Shape> = {};
  try {
    body = (await response.json()) as Partial<Shape>;
  } catch {
    // Not JSON: the status has to do.
  }
  const code = body.code ?? (response.status === 401 ? "unauthorized" : response.status >= 500 ? "internal" : "conflict");
  return {
    code,
    title: body.title ?? `${response.status} ${response.statusText}`,
    detail: body.detail ?? null,
    requestId: body.requestId ?? requestId,
    faults: (body.errors ?? []) as Fault[],
    organizations: body.organizations ?? [],
    conflicts: body.conflicts ?? [],
    retryAfterSeconds,
  };
}

/** The faults at *pointer* and below it, in one text; null where there are none. */
export function faultAt(problem: Problem | null, pointer: string): string | null {
  const found = problem?.faults.filter((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
  return found?.length ? found.map((fault) => fault.detail).join(" ") : null;
}

/** Whether the call may have had an effect all the same: no answer says that it had none. */
export function isUncertain(problem: Problem): boolean {
  return ["no_connection", "no_answer", "internal", "overloaded", "too_slow"].includes(problem.code);
}
