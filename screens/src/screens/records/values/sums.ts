/** Sums as people read them. */
import { formatDuration, formatExactly, formatMoney } from "../../../house/formats";
import type { Property } from "./properties";
import { secondsOf } from "./writing";

/** A sum as people read it; of an amount, one for each currency. */
export function totalTexts(property: Property, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "object") {
    return Object.entries(value as Record<string, number>).map(([currency, sum]) => formatMoney(sum, currency));
  }
  if (property.type === "duration") return [formatDuration(secondsOf(String(value)))];
  return typeof value === "number" ? [formatExactly(value)] : [];
}
