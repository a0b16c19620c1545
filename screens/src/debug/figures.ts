/** Figures as the live view writes them: short, so that they can be compared in a column. */
import { formatNumber } from "../house/formats";
import { debug as words } from "../messages/en/debug";

/** `0.4 s`, `12 s`, `3 min`, `5 h`. */
export function duration(seconds: number): string {
  if (seconds < 0.1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

export const milliseconds = (ms: number) => (ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : duration(ms / 1_000));

export const count = formatNumber;

/** Of a second, with one digit below ten; nothing is a dash, so that the eye finds what is. */
export function rate(turns: number, seconds: number): string {
  const perSecond = turns / Math.max(seconds, 1);
  if (turns === 0) return "–";
  return perSecond < 0.05 ? "<0.1" : perSecond < 10 ? perSecond.toFixed(1) : count(Math.round(perSecond));
}

/** The share of the time, in percent. */
export function share(part: number, of: number): string {
  if (part === 0) return "–";
  const percent = (100 * part) / Math.max(of, 1);
  return percent < 1 ? "<1 %" : `${Math.round(percent)} %`;
}

export const orDash = (value: number, text = count(value)) => (value === 0 ? "–" : text);

/** What an actor does, in a word. */
export function phaseOf({ phase, task }: { phase: string; task: string | null }): string {
  if (phase !== "waiting") return phase.replace("_", " ");
  return task === null ? words.phases.idle : words.phases.task;
}

/** The time of the day of Unix milliseconds, in the browser's zone. */
export const timeOf = (at: number) => new Date(at).toLocaleTimeString([], { hour12: false });
