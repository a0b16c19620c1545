/** Until when a conversation can be put off: moments of the organization's clock. */
import { instantOf, localTime } from "../../../house/days";
import type { inbox as words } from "../../../messages/en/inbox";

const EVENING = "18:00";
const MORNING = "08:00";
const DAY_MS = 86_400_000;
const MONDAY = 1;

export interface SnoozeChoice {
  key: keyof typeof words.snoozeTo;
  until: string;
}

/** *days* after the calendar day of *local*. */
const dayAfter = (local: string, days: number): string =>
  new Date(Date.parse(`${local.slice(0, 10)}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The choices at *now*; the evening only while it lies ahead. */
export function snoozeChoices(now = new Date()): SnoozeChoice[] {
  const local = localTime(now.toISOString());
  const weekday = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay();
  const toMonday = (MONDAY - weekday + 7) % 7 || 7;
  const moments: [SnoozeChoice["key"], string][] = [
    ["evening", `${local.slice(0, 10)}T${EVENING}`],
    ["tomorrow", `${dayAfter(local, 1)}T${MORNING}`],
    ["monday", `${dayAfter(local, toMonday)}T${MORNING}`],
    ["week", `${dayAfter(local, 7)}T${MORNING}`],
  ];
  const isNamed = (at: string, index: number) => moments.some(([, other], before) => before < index && other === at);
  return moments.flatMap(([key, at], index) => {
    const until = instantOf(at);
    // Monday may be tomorrow, or in a week.
    return until !== null && Date.parse(until) > now.getTime() && !isNamed(at, index) ? [{ key, until }] : [];
  });
}

/** The morning of *day*, such as `2026-09-18`; null for what is no day to come. */
export function morningOf(day: string): string | null {
  const until = instantOf(`${day}T${MORNING}`);
  return until !== null && Date.parse(until) > Date.now() ? until : null;
}
