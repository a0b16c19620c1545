/** Calendar days in the organization's time zone. */
import { organization } from "./boot";

const MINUTE_MS = 60_000;

/** What a clock of the organization shows at *at*, as if it were UTC. */
function wallClock(at: number): number {
  const how: Intl.DateTimeFormatOptions = {
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  };
  const parts = new Intl.DateTimeFormat("en", { ...how, timeZone: organization?.timeZone ?? "UTC" }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
}

/** What a clock of the organization shows at *at*: `2026-09-18T14:30`. */
export const localTime = (at: string): string => new Date(wallClock(Date.parse(at))).toISOString().slice(0, 16);

/** When a clock of the organization shows *local*, such as `2026-09-18T14:30`, in RFC 3339; null for what is no time. */
export function instantOf(local: string): string | null {
  const wanted = Date.parse(`${local}Z`);
  return Number.isNaN(wanted) ? null : new Date(shownAt(wanted)).toISOString();
}

/** When *day*, such as `2026-09-18`, begins there, in RFC 3339; null for what is no day. */
export function startOfDay(day: string, daysLater = 0): string | null {
  const wanted = Date.parse(`${day}T00:00:00Z`) + daysLater * 1_440 * MINUTE_MS;
  if (Number.isNaN(wanted)) return null;
  return new Date(shownAt(wanted)).toISOString();
}

/** When a clock of the organization shows what one in UTC shows at *wanted*. */
function shownAt(wanted: number): number {
  let at = wanted;
  // Twice: the first step may land on the other side of a change of the clocks.
  for (let step = 0; step < 2; step += 1) at += wanted - wallClock(at);
  return at;
}
