/** What was filled in at the fields of a form, as values. */
import { recordsLater as words } from "../../../messages/en/records_later";
import type { Property } from "./properties";
import type { Filled } from "./property_field";
import { type Read, read } from "./reading";

/** The value that *filled* is; none for an empty field. */
function readFilled(property: Property, filled: Filled): Read {
  if (filled === null || filled === "") return { ok: true, values: {} };
  if (typeof filled === "string") return read(property, filled);
  if ("id" in filled) return { ok: true, values: { [property.slug]: filled.id } };
  return { ok: true, values: filled.length > 0 ? { [property.slug]: [...filled] } : {} };
}

/** The values of all fields; faults by slug where texts are none. */
export function valuesOf(properties: readonly Property[], filled: Readonly<Record<string, Filled>>) {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const property of properties) {
    const found = readFilled(property, filled[property.slug] ?? null);
    if (found.ok) Object.assign(values, found.values);
    else faults[property.slug] = found.fault || words.faults.reference;
  }
  return { values, faults };
}
