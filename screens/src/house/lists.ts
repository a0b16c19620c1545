/** Lists that page by cursor: they keep growing as they are scrolled, and are asked again as far as they go. */
import { takeFirst } from "./ahead";
import type { Problem } from "./problems";
import { once, Query, spacingOf, useQuery } from "./queries";
import { type Answer, type Input, queryKey, type Reads, read } from "./tools";

const PAGE = 50;
const PAGE_MAX = 200;

/** Tools whose answer has a `nextCursor`. */
export type Lists = { [N in Reads]: Answer<N> extends { nextCursor: string | null } ? N : never }[Reads];
type Rows<N extends Lists, K extends keyof Answer<N>> = Answer<N>[K] extends readonly (infer R)[] ? R : never;

interface Loaded<R> {
  rows: R[];
  next: string | null;
}

class List<R> extends Query<Loaded<R>> {
  private readonly pages: (signal: AbortSignal | undefined, limit: number, cursor: string | null) => Page<R>;
  private growing = false;

  constructor(nouns: readonly string[], pages: List<R>["pages"], first: Loaded<R> | undefined) {
    super(nouns, (signal) => this.upTo(signal), first, spacingOf(nouns[0]));
    this.pages = pages;
  }

  /** Ask for as many rows as are there already, from the start. */
  private async upTo(signal: AbortSignal): Page<R> {
    const wanted = Math.max(this.state.peek().answer?.rows.length ?? 0, PAGE);
    const rows: R[] = [];
    let next: string | null = null;
    do {
      const page: Awaited<Page<R>> = await this.pages(signal, Math.min(wanted - rows.length, PAGE_MAX), next);
      if (!page.ok) return page;
      rows.push(...page.answer.rows);
      next = page.answer.next;
    } while (next && rows.length < wanted);
    return { ok: true, answer: { rows, next } };
  }

  /** Ask for the next page and show it behind the others. */
  async more(): Promise<void> {
    const before = this.state.peek();
    if (this.growing || before.asking || !before.answer?.next) return;
    this.growing = true;
    const page = await this.pages(undefined, PAGE, before.answer.next);
    this.growing = false;
    const now = this.state.peek();
    if (now.answer !== before.answer) return; // It was asked again meanwhile.
    this.state.value = page.ok
      ? { ...now, problem: null, answer: { rows: [...before.answer.rows, ...page.answer.rows], next: page.answer.next } }
      : { ...now, problem: page.problem };
  }
}

type Page<R> = Promise<{ ok: true; answer: Loaded<R> } | { ok: false; problem: Problem }>;

export interface ShownList<R> {
  /** Undefined until the first answer. */
  rows: R[] | undefined;
  problem: Problem | null;
  asking: boolean;
  hasMore: boolean;
  more: () => void;
  again: () => void;
}

/** The name of the query of a list's rows, however many they are. */
export const listKey = (name: string, input: object): string => `list ${queryKey(name, input)}`;

/**
 * The rows of list *name* under *member* of its answer, for as long as the component is there. In
 * `questions.ts`, its input is *input* and `limit: 50`, in that order.
 */
export function useList<N extends Lists, K extends keyof Answer<N> & string>(
  name: N,
  member: K,
  input: Omit<Input<N>, "limit" | "cursor">,
  nouns: readonly string[] = [name.split(".")[0] as string],
): ShownList<Rows<N, K>> {
  type R = Rows<N, K>;
  const loadedOf = (page: Answer<N>): Loaded<R> => ({
    rows: page[member] as unknown as R[],
    next: (page as { nextCursor: string | null }).nextCursor,
  });
  const list = useQuery<Loaded<R>>(listKey(name, input), () => {
    const { answer: first, asked } = takeFirst<Answer<N>>(queryKey(name, { ...input, limit: PAGE }));
    const ask = once(asked, (of: Input<N>, signal: AbortSignal | undefined) => read(name, of, signal));
    const pages: List<R>["pages"] = async (signal, limit, cursor) => {
      const page = await ask({ ...input, limit, ...(cursor && { cursor }) } as unknown as Input<N>, signal);
      return page.ok ? { ok: true, answer: loadedOf(page.answer) } : page;
    };
    return new List<R>(nouns, pages, first && loadedOf(first));
  }) as List<R>;
  const { answer, problem, asking } = list.state.value;
  return {
    rows: answer?.rows,
    problem,
    asking,
    hasMore: Boolean(answer?.next),
    more: () => void list.more(),
    again: () => void list.again(),
  };
}
