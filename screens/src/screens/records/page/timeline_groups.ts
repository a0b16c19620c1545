/** A timeline as it is read: by day, with the visits of one moment together, and of the kinds that are asked for. */
import { formatDate } from "../../../house/formats";
import { recordPage as words } from "../../../messages/en/record_page";
import type { Entry } from "./shapes";

export const FILTERS = ["notes", "messages", "submissions", "visits", "runs", "changes"] as const;
export type Filter = (typeof FILTERS)[number];

const FILTER_OF: Readonly<Record<Entry["kind"], Filter>> = {
  note: "notes",
  submission: "submissions",
  visit: "visits",
  created: "changes",
  updated: "changes",
  deleted: "changes",
  restored: "changes",
  merged: "changes",
  deal: "changes",
  message: "messages",
  run: "runs",
};

const DAY_MS = 86_400_000;

export interface Day {
  label: string;
  /** Each is what is shown as one: an entry, or visits that came one after the other. The newest stands first. */
  groups: [Entry, ...Entry[]][];
}

export const isFilter = (value: string | null): value is Filter => FILTERS.some((filter) => filter === value);

/** Those of *entries* that *filter* leaves. */
export function ofFilter(entries: readonly Entry[], filter: Filter | null): Entry[] {
  return entries.filter(({ kind }) => filter === null || FILTER_OF[kind] === filter);
}

/** *entries*, the newest first, by the organization's days. */
export function daysOf(entries: readonly Entry[], now = Date.now()): Day[] {
  const named = new Map([
    [formatDate(new Date(now - DAY_MS).toISOString()), words.timeline.yesterday],
    [formatDate(new Date(now).toISOString()), words.timeline.today],
  ]);
  const days: Day[] = [];
  let date = "";
  for (const entry of entries) {
    const its = formatDate(entry.at);
    if (its !== date) days.push({ label: named.get(its) ?? its, groups: [] });
    date = its;
    const groups = days.at(-1)?.groups ?? [];
    const before = groups.at(-1);
    if (before && entry.kind === "visit" && before[0].kind === "visit") before.push(entry);
    else groups.push([entry]);
  }
  return days;
}
