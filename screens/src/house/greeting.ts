/** The part of the day in the organization's time zone. */
import { organization } from "./boot";

export type DayPart = "morning" | "afternoon" | "evening";

const NOON = 12;
const EVENING = 18;
const MORNING = 5;

export function dayPart(at = new Date()): DayPart {
  const formatter = new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone: organization?.timeZone ?? "UTC" });
  const hour = Number(formatter.format(at));
  if (hour >= MORNING && hour < NOON) return "morning";
  return hour >= NOON && hour < EVENING ? "afternoon" : "evening";
}
