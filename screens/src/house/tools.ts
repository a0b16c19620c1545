/** Calls of tools, typed by the contract: a tool that changes breaks the build. */
import type { operations } from "../contract";
import type { Reads, ShownOnce, Writes } from "../tool_names";
import { confirmIdentity, signInAgain, takeNewerSession } from "./identity";
import { isUncertain, type Result } from "./problems";
import { send } from "./requests";

export type { Reads, ShownOnce, Writes };
export type ToolName = Reads | Writes | ShownOnce;

export type Input<N extends ToolName> = operations[N] extends {
  requestBody?: { content: { "application/json": infer I } };
}
  ? I
  : never;
export type Answer<N extends ToolName> = operations[N]["responses"] extends {
  200: { content: { "application/json": infer A } };
}
  ? A
  : never;

/** The name of a question, as in the shell's data: tool and input as JSON. */
export function queryKey(name: string, input: object): string {
  return `${name} ${JSON.stringify(input)}`;
}

/** Ask a tool that reads. */
export function read<N extends Reads>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Result<Answer<N>>> {
  return call(name, input, undefined, signal);
}

/** Called with the noun of each write that succeeded; the store of queries asks again then. */
export const written = { tell: (_noun: string): void => {} };

// By what was asked: the key of a write whose outcome is not known, so that a second try cannot double it.
const uncertainKeys = new Map<string, string>();

interface WriteOptions {
  /** The idempotency key, where the caller keeps it for later tries. */
  key?: string;
  /** No answer that is shown is asked again because of it. */
  isQuiet?: boolean;
}

/** Call a tool that writes, under an idempotency key: the same write, tried again, has one effect. */
export async function write<N extends Writes>(name: N, input: Input<N>, options: WriteOptions = {}): Promise<Result<Answer<N>>> {
  const asked = `${name} ${JSON.stringify(input)}`;
  const key = options.key ?? uncertainKeys.get(asked) ?? crypto.randomUUID();
  uncertainKeys.set(asked, key);
  const result = await call(name, input, key);
  if (result.ok || !isUncertain(result.problem)) uncertainKeys.delete(asked);
  return options.isQuiet ? result : tellWritten(name, result);
}

/** Call a tool whose answer has a secret that is shown once: it takes no idempotency key. */
export async function writeOnce<N extends ShownOnce>(name: N, input: Input<N>): Promise<Result<Answer<N>>> {
  return tellWritten(name, await call(name, input));
}

function tellWritten<T>(name: ToolName, result: Result<T>): Result<T> {
  if (result.ok) written.tell(name.slice(0, name.indexOf(".")));
  return result;
}

// The first try of a write, whose answer was lost, may still be under way.
const IN_PROGRESS_MS = 1_000;
const IN_PROGRESS_TRIES = 10;
const isInProgress = (result: Result<unknown>) => !result.ok && result.problem.code === "idempotency_in_progress";

/**
 * Call, and once more after the person signed in again or confirmed who they are: both happen in a dialog
 * over the page, so that nothing typed is lost.
 */
async function call<N extends ToolName>(name: N, input: Input<N>, key?: string, signal?: AbortSignal): Promise<Result<Answer<N>>> {
  const once = () =>
    send<Answer<N>>(`/app/api/tools/${name}`, {
      body: input,
      ...(key && { headers: { "Idempotency-Key": key } }),
      ...(signal && { signal }),
    });
  let result = await once();
  for (let tries = 0; tries < IN_PROGRESS_TRIES && isInProgress(result); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, IN_PROGRESS_MS));
    result = await once();
  }
  if (result.ok) return result;
  if (result.problem.code === "unauthorized" && (await signInAgain())) return once();
  if (result.problem.code === "confirmation_required" && (await confirmIdentity())) return once();
  if (result.problem.code === "forbidden" && (await takeNewerSession())) return once();
  return result;
}
