/** Lines of the statement as people read them, and as a file. */
import type { Result } from "../../house/problems";
import { type Answer, read } from "../../house/tools";

export type Entry = Answer<"ai.statement">["entries"][number];

export interface Line {
  id: string;
  at: string;
  kind: "grant" | "call" | "reserve" | "settle";
  /** In millionths of a credit, as all amounts here. */
  amount: number;
  after: number;
  note: string | null;
}

/** *entries*, the newest first: what a call reserved and what it was given back are one line, where both are there. */
export function linesOf(entries: readonly Entry[]): Line[] {
  const settled = new Map(entries.filter((entry) => entry.kind === "settle").map((entry) => [entry.callId, entry]));
  const reserved = new Map(entries.filter((entry) => entry.kind === "reserve").map((entry) => [entry.callId, entry]));
  return entries.flatMap((entry): Line[] => {
    const { id, at, kind, note, callId } = entry;
    const line: Line = { id, at, kind, amount: entry.amountMicroCredits, after: entry.balanceAfterMicroCredits, note };
    if (kind === "reserve" && settled.has(callId)) return [];
    const reservation = kind === "settle" ? reserved.get(callId) : undefined;
    return [reservation ? { ...line, kind: "call", amount: line.amount + reservation.amountMicroCredits } : line];
  });
}

const PAGE = 200;
/** More are asked of the tool itself. */
const ENTRIES_MAX = 20_000;
const COLUMNS = ["id", "at", "kind", "amountMicroCredits", "balanceAfterMicroCredits", "callId", "note"] as const;

/** Hand all entries, as they are stored, to the browser as a table; *seen* is told how many came so far. */
export async function saveStatement(name: string, seen: (count: number) => void): Promise<Result<{ count: number; isCut: boolean }>> {
  const entries: Entry[] = [];
  let cursor: string | null = null;
  do {
    const page: Result<Answer<"ai.statement">> = await read("ai.statement", { limit: PAGE, cursor });
    if (!page.ok) return page;
    entries.push(...page.answer.entries);
    cursor = page.answer.nextCursor;
    seen(entries.length);
  } while (cursor && entries.length < ENTRIES_MAX);
  const rows = [COLUMNS.join(","), ...entries.map((entry) => COLUMNS.map((column) => cell(entry[column])).join(","))];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`\uFEFF${rows.join("\r\n")}\r\n`], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 30_000);
  return { ok: true, answer: { count: entries.length, isCut: cursor !== null } };
}

/** A spreadsheet takes what begins like a formula for one: an apostrophe makes it a text. */
function cell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  const inert = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
