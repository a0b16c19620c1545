/** The keys of a table: `J K` move from row to row, `Enter` opens one, `X` selects it. */
import type { RefObject } from "preact";
import { useKeys } from "../../house/keys";
import { messages } from "../../messages/messages";

interface RowKeys {
  /** Whether rows lead somewhere. */
  canOpen: boolean;
  /** Undefined where nothing can be selected; *at* counts the rows from 0. */
  select: ((at: number) => void) | undefined;
}

/** Give the rows of *body* their keys. The current row is the one that has the focus in it. */
export function useRowKeys(body: RefObject<HTMLTableSectionElement | null>, { canOpen, select }: RowKeys): void {
  const lines = () => [...(body.current?.rows ?? [])];
  const current = () => lines().findIndex((line) => line.contains(document.activeElement));
  const linkOf = (line: HTMLTableRowElement | undefined) => line?.querySelector<HTMLElement>("a[data-row]");
  const focusLine = (at: number) => {
    const line = lines()[Math.max(0, Math.min(at, lines().length - 1))];
    (linkOf(line) ?? line)?.focus();
    line?.scrollIntoView({ block: "nearest" });
  };
  const move = (step: number) => {
    const from = current() >= 0 ? current() : lines().findIndex((line) => line.dataset.open !== undefined);
    focusLine(from < 0 ? 0 : from + step);
  };
  useKeys([
    { key: "j", label: messages.keys.next, run: () => move(1) },
    { key: "k", label: messages.keys.previous, run: () => move(-1) },
    ...(canOpen ? [{ key: "Enter", label: messages.keys.open, run: () => linkOf(lines()[current()])?.click() }] : []),
    ...(select ? [{ key: "x", label: messages.keys.select, run: () => select(current()) }] : []),
  ]);
}
