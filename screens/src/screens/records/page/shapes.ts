/** What the parts of a record's page share: the shapes of answers, and data that is known by its kind alone. */
import type { Answer } from "../../../house/tools";

export type RecordDetails = Answer<"record.get">;
export type ObjectDetails = Answer<"object.get">;
export type Entry = Answer<"record.timeline">["entries"][number];
export type Suggestion = Answer<"suggestion.list">["suggestions"][number];

/** A text; empty where *value* is none. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** An object; empty where *value* is none. */
export function membersIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
