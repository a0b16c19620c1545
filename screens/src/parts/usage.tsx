/** What AI calls used by day: shared by the screen of all use and by that of one key. */
import { formatCredits, formatNumber } from "../house/formats";
import type { Answer } from "../house/tools";
import { ai as words } from "../messages/en/ai";
import { Bars } from "./chart";

const DAY_MS = 86_400_000;

type Total = Answer<"ai.usage">["total"];
export type Measure = "charged" | "cost" | "calls" | "tokens";
export const MEASURES: readonly Measure[] = ["charged", "cost", "calls", "tokens"];

const VALUES: Record<Measure, (of: Total) => number> = {
  charged: (of) => of.chargedMicroCredits,
  cost: (of) => of.costMicroCredits,
  calls: (of) => of.calls,
  tokens: (of) => of.promptTokens + of.completionTokens,
};

export const measured = (measure: Measure, of: Total): number => VALUES[measure](of);
export const formatOf = (measure: Measure) => (measure === "charged" || measure === "cost" ? formatCredits : formatNumber);

/** The first of *days* calendar days of UTC, of which today is the last. */
export function firstDay(days: number): string {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return new Date(today - (days - 1) * DAY_MS).toISOString();
}

/** Each day from *from* on, those without calls too. */
export function UsageByDay({ rows, from, measure }: { rows: Answer<"ai.usage">["rows"]; from: string; measure: Measure }) {
  const byDay = new Map(rows.map((row) => [row.day, measured(measure, row)]));
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.now(); at += DAY_MS) days.push(new Date(at).toISOString().slice(0, 10));
  return <Bars label={words.charts[measure]} format={formatOf(measure)} bars={days.map((day) => ({ day, count: byDay.get(day) ?? 0 }))} />;
}
