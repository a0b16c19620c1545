/**
 * Answers of reading tools, shared by all that show them. An answer stays while a newer one is on its way;
 * hints of the live stream, the person's own writes, and the clock while cut off have it asked again.
 */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Asked, dropAhead, takeFirst } from "./ahead";
import { isCutOff, type Problem } from "./problems";
import { type Answer, type Input, queryKey, type Reads, read, written } from "./tools";

interface State<T> {
  answer: T | undefined;
  /** Of the last try; an older answer may be there all the same. */
  problem: Problem | null;
  asking: boolean;
}

const FRESH_MS = 5_000; // An answer that is younger is shown as it is when a screen comes back to it.
const KEPT_UNUSED = 60;

export class Query<T> {
  readonly state: Signal<State<T>>;
  private holders = 0;
  private answeredAt = 0;
  private askedAt = Number.NEGATIVE_INFINITY;
  private later = 0;
  private dirty = false;
  private stop: AbortController | null = null;

  constructor(
    /** Nouns whose changes concern the answer. */
    readonly nouns: readonly string[],
    private readonly ask: (signal: AbortSignal) => Promise<{ ok: true; answer: T } | { ok: false; problem: Problem }>,
    first: T | undefined,
    /** How long after it was asked a change has it asked again, in ms. */
    private readonly spacing = 0,
  ) {
    this.state = signal<State<T>>({ answer: first, problem: null, asking: false });
    if (first !== undefined) this.answeredAt = performance.now();
  }

  /** Count a component that shows the answer; the returned function takes it away again. */
  hold(): () => void {
    this.holders += 1;
    const isFresh = this.answeredAt > 0 && performance.now() - this.answeredAt <= FRESH_MS;
    if (!isFresh && !this.stop) void this.again(); // What is under way already is new enough.
    return () => {
      this.holders -= 1;
    };
  }

  get held(): boolean {
    return this.holders > 0;
  }

  /** Whether the last try did not reach the service. */
  get isCutOff(): boolean {
    const { problem } = this.state.peek();
    return problem !== null && isCutOff(problem);
  }

  /** Ask again. What comes meanwhile is asked once more after it, so the last answer is never too old. */
  async again(): Promise<void> {
    if (this.stop) {
      this.dirty = true;
      return;
    }
    this.stop = new AbortController();
    this.askedAt = performance.now();
    this.state.value = { ...this.state.peek(), asking: true };
    const result = await this.ask(this.stop.signal);
    this.stop = null;
    if (result.ok) {
      this.answeredAt = performance.now();
      this.state.value = { answer: result.answer, problem: null, asking: false };
    } else {
      this.state.value = { ...this.state.peek(), problem: result.problem, asking: false };
    }
    if (this.dirty) {
      this.dirty = false;
      if (this.spacing > 0) this.changed();
      else await this.again();
    }
  }

  /** Ask again if it is shown, or if an answer is on its way that may be too old; else when it is shown next. */
  changed(): void {
    this.answeredAt = 0;
    if (!this.held && !this.stop) return;
    const wait = this.askedAt + this.spacing - performance.now();
    clearTimeout(this.later);
    if (wait <= 0) void this.again();
    else this.later = window.setTimeout(() => this.held && void this.again(), wait);
  }

  /** Show *change* at once, before the server has said so. The returned function takes it back. */
  expect(change: (answer: T) => T): () => void {
    const before = this.state.peek();
    if (before.answer === undefined) return () => undefined;
    const expected = change(before.answer);
    this.state.value = { ...before, answer: expected };
    return () => {
      const now = this.state.peek();
      if (now.answer === expected) this.state.value = { ...now, answer: before.answer };
    };
  }
}

const queries = new Map<string, Query<unknown>>();

/** Whether query *key* has been asked before, so that there is something to show at once. */
export const isKnown = (key: string): boolean => queries.has(key);

function shared<T>(key: string, make: () => Query<T>): Query<T> {
  const known = queries.get(key) as Query<T> | undefined;
  if (known) {
    queries.delete(key);
    queries.set(key, known as Query<unknown>); // The order is that of use.
    return known;
  }
  const made = make();
  queries.set(key, made as Query<unknown>);
  if (queries.size > KEPT_UNUSED) {
    for (const [old, query] of queries) {
      if (queries.size <= KEPT_UNUSED) break;
      if (!query.held && old !== key) queries.delete(old);
    }
  }
  return made;
}

/** Nouns of tools whose answers show more than their own noun. */
const ALSO: Record<string, readonly string[]> = {
  submission: ["submission", "form"],
  form: ["form", "submission"],
  member: ["member", "role", "team", "invitation"],
  role: ["role"],
  embed: ["embed", "object"],
  record: ["record", "suggestion"],
  // A message is announced as a change of its conversation, and a reply is a write of the noun message.
  conversation: ["conversation", "message"],
  message: ["message", "conversation"],
  // Replies that wait, which come and go with their conversations.
  connection: ["connection", "conversation"],
  // All that it counts and tells of.
  home: [
    ...["submission", "form", "embed", "site", "serverkey"],
    ...["record", "object", "note", "suggestion", "import"],
    ...["apikey", "member", "role", "team", "organization", "workflow", "approval", "ai"],
    ...["connection", "webhook"],
  ],
};

/** Nouns whose answers are of very much, or change all the time: they are asked again at most so often, in ms. */
const SPACED: Record<string, number> = { home: 2_000, request: 1_000, connection: 500, webhook: 500 };
export const spacingOf = (noun: string | undefined): number => (noun && SPACED[noun]) || 0;
/** And this, of a noun that is quick otherwise: every page asks, and every message changes it. */
const COUNTS_SPACING_MS = 1_000;
/** So are totals: all rows are counted for one. */
const TOTAL_SPACING_MS = 2_000;

/** Nouns whose changes concern the answers of tool *name*. */
export function nounsOf(name: string): readonly string[] {
  const noun = name.split(".")[0] as string;
  return ALSO[noun] ?? [noun];
}

export function queryOf<N extends Reads>(name: N, input: Input<N>): Query<Answer<N>> {
  const key = queryKey(name, input as object);
  return shared(key, () => {
    const noun = name.split(".")[0] as string;
    const { answer, asked } = takeFirst<Answer<N>>(key);
    return new Query<Answer<N>>(
      nounsOf(name),
      once(asked, (signal) => read(name, input, signal)),
      answer,
      spacingOf(noun) || (name === "conversation.counts" ? COUNTS_SPACING_MS : "total" in (input as object) ? TOTAL_SPACING_MS : 0),
    );
  });
}

/** What answers first with *asked*, where that is under way already, and by *ask* from then on. */
export function once<A extends unknown[], T>(asked: Asked<T> | undefined, ask: (...args: A) => Asked<T>): (...args: A) => Asked<T> {
  return (...args) => {
    const first = asked;
    asked = undefined;
    return first ?? ask(...args);
  };
}

/** The answer of a tool, shown and kept up to date for as long as the component is there. */
export function useAnswer<N extends Reads>(name: N, input: Input<N>): State<Answer<N>> & { query: Query<Answer<N>>; isOld: boolean } {
  const key = queryKey(name, input as object);
  const query = useMemo(() => queryOf(name, input), [key]);
  const shown = useRef<Answer<N> | undefined>(undefined);
  useEffect(() => query.hold(), [query]);
  const state = query.state.value;
  const isOld = state.answer === undefined && shown.current !== undefined;
  if (state.answer !== undefined) shown.current = state.answer;
  return { ...state, answer: state.answer ?? shown.current, query, isOld };
}

export function useQuery<T>(key: string, make: () => Query<T>): Query<T> {
  const query = useMemo(() => shared(key, make), [key]);
  useEffect(() => query.hold(), [query]);
  return query;
}

/** Something of *noun* was changed, by this program or by another door. */
export function nounChanged(noun: string): void {
  dropAhead();
  for (const query of queries.values()) if (query.nouns.includes(noun)) query.changed();
}

written.tell = nounChanged;

/** What could not be asked may be answered now: the connection is back, the person is, or some time is gone. */
export function failedAgain(): void {
  for (const query of queries.values()) if (query.held && query.isCutOff) void query.again();
}

/** Anything may have changed: after a gap of the live stream, and from time to time while cut off. */
export function allChanged(): void {
  dropAhead();
  for (const query of queries.values()) query.changed();
}
