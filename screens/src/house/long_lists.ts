/**
 * The rows of a list, however many there are: pages by cursor that grow as the window comes near their end.
 * When something changes, the pages in the window are asked again, and the others once they come into it.
 */
import { type Asked, takeFirst } from "./ahead";
import { type Lists, listKey } from "./lists";
import { nounsOf, once, Query, useQuery } from "./queries";
import { type Answer, type Input, queryKey, read } from "./tools";

const FIRST = 50; // As the shell asks for them.
const NEXT = 200;
/** Rows below the window that are there before they are seen: some screens of fast scrolling, once one scrolls. */
const AHEAD = 400;
const AHEAD_AT_FIRST = 10;

interface Row {
  id: string;
}

interface Loaded<R> {
  rows: readonly R[];
  hasMore: boolean;
}

interface Page<R> {
  rows: readonly R[];
  next: string | null;
}

interface PageOfRows<R> extends Page<R> {
  cursor: string | null;
  isStale: boolean;
}

/** Asks for a page; the first is of `FIRST` rows. */
type AskPage<R> = (limit: number, cursor: string | null) => Asked<Page<R>>;

export class LongList<R extends Row> extends Query<Loaded<R>> {
  private pages: PageOfRows<R>[] = [];
  private first = 0;
  private last = 0;
  private isFilling = false;
  private readonly askPage: AskPage<R>;

  constructor(nouns: readonly string[], askPage: AskPage<R>, first: Page<R> | undefined) {
    super(
      nouns,
      () => Promise.reject(new Error("pages are asked one by one")),
      first && { rows: first.rows, hasMore: first.next !== null },
    );
    this.askPage = askPage;
    if (first) this.keep(0, { ...first, cursor: null, isStale: false });
  }

  /** The rows from *first* to *last* are in the window. */
  see(first: number, last: number): void {
    this.first = first;
    this.last = last;
    void this.fill();
  }

  /** Ask again for what the window shows. */
  override async again(): Promise<void> {
    for (const page of this.pages) page.isStale = true;
    await this.fill();
  }

  /** Every row, for what is done to all; null where that fails. */
  async all(most: number): Promise<readonly R[] | null> {
    while (!this.pages.length || (this.pages.at(-1)?.next && this.count < most)) {
      if (!(await this.load(this.pages.length))) return null;
    }
    return this.state.peek().answer?.rows ?? [];
  }

  private get count(): number {
    return this.state.peek().answer?.rows.length ?? 0;
  }

  /** Ask for pages one by one until the window has what it shows, and some more. */
  private async fill(): Promise<void> {
    if (this.isFilling) return;
    this.isFilling = true;
    for (let at = this.wanted(); at !== null; at = this.wanted()) if (!(await this.load(at))) break;
    this.isFilling = false;
  }

  /** The page to ask for next: one in the window that may be old, or else the one behind the last. */
  private wanted(): number | null {
    let from = 0;
    for (const [at, page] of this.pages.entries()) {
      const until = from + page.rows.length;
      if (page.isStale && from <= this.last && until >= this.first) return at;
      from = until;
    }
    const goesOn = this.pages.length === 0 || this.pages.at(-1)?.next;
    return goesOn && from < this.last + (this.first > 0 ? AHEAD : AHEAD_AT_FIRST) ? this.pages.length : null;
  }

  private async load(at: number): Promise<boolean> {
    const cursor = this.pages[at - 1]?.next ?? null;
    const before = this.state.peek();
    this.state.value = { ...before, asking: true };
    const page = await this.askPage(at === 0 ? FIRST : NEXT, cursor);
    if (!page.ok) {
      this.state.value = { ...this.state.peek(), asking: false, problem: page.problem };
      return false;
    }
    if ((this.pages[at - 1]?.next ?? null) !== cursor) return true; // The page before has another end by now.
    this.keep(at, { ...page.answer, cursor, isStale: false });
    return true;
  }

  /** Put *page* in its place; where it ends elsewhere than before, those behind it do not fit any more. */
  private keep(at: number, page: PageOfRows<R>): void {
    const behind = this.pages[at + 1]?.cursor === page.next ? this.pages.slice(at + 1) : [];
    this.pages = [...this.pages.slice(0, at), page, ...behind];
    const known = new Set<string>();
    const rows: R[] = [];
    for (const one of this.pages) {
      for (const row of one.rows) {
        if (known.has(row.id)) continue; // It moved down, past pages that are older.
        known.add(row.id);
        rows.push(row);
      }
    }
    this.state.value = { answer: { rows, hasMore: Boolean(this.pages.at(-1)?.next) }, problem: null, asking: false };
  }
}

type RowsOf<N extends Lists, K extends keyof Answer<N>> = Answer<N>[K] extends readonly (infer R)[] ? R : never;

/**
 * The rows of list *name* under *member* of its answer, kept for as long as they are shown, and some time longer. In
 * `questions.ts`, its input is *which* and `limit: 50`, in that order.
 */
export function useLongList<N extends Lists, K extends keyof Answer<N> & string>(
  name: N,
  member: K,
  which: Omit<Input<N>, "limit" | "cursor">,
): LongList<RowsOf<N, K> & Row> {
  type R = RowsOf<N, K> & Row;
  const pageOf = (answer: Answer<N>): Page<R> => ({
    rows: answer[member] as unknown as readonly R[],
    next: (answer as { nextCursor: string | null }).nextCursor,
  });
  return useQuery<Loaded<R>>(`long ${listKey(name, which)}`, () => {
    const { answer, asked } = takeFirst<Answer<N>>(queryKey(name, { ...which, limit: FIRST }));
    const ask = once(asked, (input: Input<N>) => read(name, input));
    const askPage: AskPage<R> = async (limit, cursor) => {
      const page = await ask({ ...which, limit, ...(cursor && { cursor }) } as unknown as Input<N>);
      return page.ok ? { ok: true, answer: pageOf(page.answer) } : page;
    };
    return new LongList<R>(nounsOf(name), askPage, answer && pageOf(answer));
  }) as LongList<R>;
}
