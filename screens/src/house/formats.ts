/** Numbers, money, dates and times as the organization writes them, whatever the browser's own habits are. */
import { organization } from "./boot";

const locale = (organization?.locale ?? "en").replace("_", "-");
const timeZone = organization?.timeZone ?? "UTC";

/** Made when it is first needed: making one takes a millisecond or more. */
function made<T>(make: (locale: string) => T): () => T {
  let formatter: T | undefined;
  return () => {
    if (formatter === undefined) {
      try {
        formatter = make(locale);
      } catch {
        formatter = make("en"); // A locale that this browser does not know.
      }
    }
    return formatter;
  };
}

const numbers = made((at) => new Intl.NumberFormat(at));
const dates = made((at) => new Intl.DateTimeFormat(at, { dateStyle: "medium", timeZone }));
const days = made((at) => new Intl.DateTimeFormat(at, { day: "numeric", month: "short", timeZone: "UTC" }));
const times = made((at) => new Intl.DateTimeFormat(at, { dateStyle: "full", timeStyle: "long", timeZone }));
const relative = made((at) => new Intl.RelativeTimeFormat(at, { numeric: "auto" }));
const lists = made((at) => new Intl.ListFormat(at, { type: "conjunction" }));
export const plurals = made((at) => new Intl.PluralRules(at.startsWith("en") ? at : "en"));

export const formatNumber = (value: number) => numbers().format(value);
export const formatDate = (at: string) => dates().format(new Date(at));
/** A calendar day such as `2026-09-18`, which has no time zone. */
export const formatDay = (day: string) => days().format(new Date(`${day}T00:00:00Z`));
export const formatFullTime = (at: string) => times().format(new Date(at));

export const formatList = (items: string[]) => lists().format(items);

/** Money in *currency*, which may be one that the browser does not know. */
export function formatMoney(value: number, currency: string): string {
  try {
    return made((at) => new Intl.NumberFormat(at, { style: "currency", currency }))().format(value);
  } catch {
    return `${formatNumber(value)} ${currency}`;
  }
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** How far *at* is from now: `3 minutes ago`, `in 2 months`. */
export function formatRelative(at: string, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative().format(Math.trunc(seconds / length), unit);
  }
  return relative().format(0, "second");
}
