/** One request to this service's own `/app/api`, with what every one of them needs. */
import { messages } from "../messages/messages";
import { organization, session } from "./boot";
import { ownProblem, problemOf, type Result } from "./problems";

const SECONDS_MAX = 30;

interface Asked {
  method?: "GET" | "POST";
  body?: unknown;
  /** Sent as it is, where there is no `body`. */
  bytes?: ArrayBuffer;
  /** How long it may take, where that is not 30 seconds. */
  seconds?: number;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Send a request once and read its JSON. Never throws: what goes wrong is a problem. */
export async function send<T>(path: string, asked: Asked = {}): Promise<Result<T>> {
  const headers: Record<string, string> = { Accept: "application/json", ...own(), ...asked.headers };
  if (asked.body !== undefined) headers["Content-Type"] = "application/json";
  else if (asked.bytes) headers["Content-Type"] = "application/octet-stream";
  const limit = AbortSignal.timeout((asked.seconds ?? SECONDS_MAX) * 1_000);
  let response: Response;
  try {
    response = await fetch(path, {
      method: asked.method ?? "POST",
      headers,
      body: asked.body === undefined ? (asked.bytes ?? null) : JSON.stringify(asked.body),
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

/** Fetch a file and hand it to the browser to keep, as *name*: a link alone would not carry the token. */
export async function download(path: string, name: string): Promise<Result<null>> {
  try {
    const response = await fetch(path, { headers: own(), credentials: "same-origin", redirect: "error" });
    if (!response.ok) return { ok: false, problem: await problemOf(response) };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), SECONDS_MAX * 1_000);
    return { ok: true, answer: null };
  } catch {
    return { ok: false, problem: ownProblem("no_connection", messages.problems.noConnection) };
  }
}

/** Whose request it is: the session's token, and the organization that is worked in. */
function own(): Record<string, string> {
  return {
    ...(session.value && { "X-CSRF-Token": session.value.csrfToken }),
    ...(organization && { "X-Organization-Id": organization.id }),
  };
}
