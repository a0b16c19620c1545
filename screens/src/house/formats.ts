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
const todays = made((at) => new Intl.DateTimeFormat(at, { weekday: "long", day: "numeric", month: "long", timeZone }));
const percents = made((at) => new Intl.NumberFormat(at, { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 }));
const times = made((at) => new Intl.DateTimeFormat(at, { dateStyle: "full", timeStyle: "long", timeZone }));
const clock = made((at) => new Intl.DateTimeFormat(at, { timeStyle: "short", timeZone }));
const relative = made((at) => new Intl.RelativeTimeFormat(at, { numeric: "auto" }));
const lists = made((at) => new Intl.ListFormat(at, { type: "conjunction" }));
export const plurals = made((at) => new Intl.PluralRules(at.startsWith("en") ? at : "en"));

const exact = made((at) => new Intl.NumberFormat(at, { maximumFractionDigits: 15 }));
const wholeDays = made((at) => new Intl.DateTimeFormat(at, { dateStyle: "medium", timeZone: "UTC" }));
const minutes = made((at) => new Intl.DateTimeFormat(at, { dateStyle: "medium", timeStyle: "short", timeZone }));

/** What a number is made of, as it is written here. */
export const partsOfNumber = (value: number) => exact().formatToParts(value);

export const formatNumber = (value: number) => numbers().format(value);
/** With all its decimals. */
export const formatExactly = (value: number) => exact().format(value);
export const formatDate = (at: string) => dates().format(new Date(at));
/** A calendar day such as `2026-09-18`, which has no time zone. */
export const formatDay = (day: string) => days().format(new Date(`${day}T00:00:00Z`));
/** The time of day of *at*: `14:30`. */
export const formatTime = (at: string) => clock().format(new Date(at));
/** A calendar day with its year. */
export const formatWholeDay = (day: string) => wholeDays().format(new Date(`${day}T00:00:00Z`));
export const formatDateTime = (at: string) => minutes().format(new Date(at));
/** Today with its weekday. */
export const formatToday = () => todays().format(new Date());
/** A change such as `+12 %`. */
export const formatPercent = (share: number) => percents().format(share);
export const formatFullTime = (at: string) => times().format(new Date(at));

export const formatList = (items: string[]) => lists().format(items);

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const sizes = SIZES.map((unit) =>
  made(
    (at) => new Intl.NumberFormat(at, { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: 1 }),
  ),
);

/** How large a file is: `48.2 kB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1);
  return sizes[step]?.().format(bytes / 1_000 ** step) ?? String(bytes);
}
const monies = new Map<string, () => Intl.NumberFormat>();

/** Money in *currency*, which may be one that the browser does not know. */
export function formatMoney(value: number, currency: string): string {
  const known = monies.get(currency) ?? made((at) => new Intl.NumberFormat(at, { style: "currency", currency }));
  monies.set(currency, known);
  try {
    return known().format(value);
  } catch {
    return `${formatNumber(value)} ${currency}`;
  }
}

const MICRO = 1_000_000;
const credits = [2, 4, 6].map((digits) =>
  made((at) => new Intl.NumberFormat(at, { minimumFractionDigits: 2, maximumFractionDigits: digits })),
);

/** So many credits, of which *micro* are millionths: with more decimals the less they are. */
export function formatCredits(micro: number): string {
  const most = Math.abs(micro);
  const place = most >= MICRO || most === 0 ? 0 : most >= MICRO / 100 ? 1 : 2;
  return credits[place]?.().format(micro / MICRO) ?? "";
}

const exactCredits = made((at) => new Intl.NumberFormat(at, { minimumFractionDigits: 6, maximumFractionDigits: 6 }));
/** The same to the last millionth, so that they stand under each other. */
export const formatExactCredits = (micro: number) => exactCredits().format(micro / MICRO);

const units = (["hour", "minute", "second"] as const).map((unit) =>
  made((at) => new Intl.NumberFormat(at, { style: "unit", unit, unitDisplay: "narrow" })),
);

/** How long *seconds* are: `1h 30m`. */
export function formatDuration(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const written = parts.flatMap((part, at) => (part > 0 || (seconds === 0 && at === 2) ? [units[at]?.().format(part) ?? ""] : []));
  return written.join(" ");
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
