/** One request to this service's own `/app/api`, with what every one of them needs. */
import { messages } from "../messages/messages";
import { organization, session } from "./boot";
import { ownProblem, problemOf, type Result } from "./problems";

const SECONDS_MAX = 30;

interface Asked {
  method?: "GET" | "POST";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Send a request once and read its JSON. Never throws: what goes wrong is a problem. */
export async function send<T>(path: string, asked: Asked = {}): Promise<Result<T>> {
  const headers: Record<string, string> = { Accept: "application/json", ...asked.headers };
  if (asked.body !== undefined) headers["Content-Type"] = "application/json";
  if (session.value) headers["X-CSRF-Token"] = session.value.csrfToken;
  if (organization) headers["X-Organization-Id"] = organization.id;
  const limit = AbortSignal.timeout(SECONDS_MAX * 1_000);
  let response: Response;
  try {
    response = await fetch(path, {
      method: asked.method ?? "POST",
      headers,
      body: asked.body === undefined ? null : JSON.stringify(asked.body),
      credentials: "same-origin",
      redirect: "error",
      signal: asked.signal ? AbortSignal.any([asked.signal, limit]) : limit,
    });
    if (!response.ok) return { ok: false, problem: await problemOf(response) };
    return { ok: true, answer: (response.status === 204 ? null : await response.json()) as T };
  } catch {
    if (asked.signal?.aborted) return { ok: false, problem: ownProblem("stopped", "") };
    if (limit.aborted) return { ok: false, problem: ownProblem("no_answer", messages.problems.noAnswer) };
    return { ok: false, problem: ownProblem("no_connection", messages.problems.noConnection) };
  }
}
