/**
 * First answers of a screen: those that came with the shell, and those that are asked for while the screen is on
 * its way, so that it is drawn once, with what it shows.
 */
import { takeShellAnswer } from "./boot";
import type { Result } from "./problems";
import { type Input, queryKey, type Reads, read } from "./tools";

export type Asked<T> = Promise<Result<T>>;

interface First<T> {
  /** Undefined until it is there. */
  answer: T | undefined;
  /** While it is under way, or when it was refused. */
  asked: Asked<T> | undefined;
}

const ahead = new Map<string, First<unknown>>();

/** Ask *name* for a screen that is on its way; resolves when there is an answer or a refusal. */
export async function askAhead<N extends Reads>(name: N, input: Input<N>): Promise<void> {
  const first: First<unknown> = { answer: undefined, asked: read(name, input) };
  ahead.set(queryKey(name, input as object), first);
  const result = await first.asked;
  if (result?.ok) Object.assign(first, { answer: result.answer, asked: undefined });
}

/** Take what is known of question *key*, once. */
export function takeFirst<T>(key: string): First<T> {
  const answer = takeShellAnswer(key) as T | undefined;
  const first = ahead.get(key) as First<T> | undefined;
  ahead.delete(key);
  return answer === undefined && first ? first : { answer, asked: undefined };
}

/** Forget what was asked ahead: something has changed since, or another screen is on its way. */
export function dropAhead(): void {
  ahead.clear();
}
