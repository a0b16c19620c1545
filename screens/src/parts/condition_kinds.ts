/** How properties are compared in filters. The service decides; this offers what it takes. */
import type { PublicFacts } from "../house/public_properties";
import type { Input } from "../house/tools";
import { conditions as words } from "../messages/en/conditions";

export type Property = PublicFacts & { slug: string; label: string };
type Type = Property["type"];
export type Filter = NonNullable<Input<"record.list">["filters"]>[number];
/** A filter that is no group. */
export type Condition = Extract<Filter, { op: unknown }>;
export type Op = Condition["op"];

export const TIMES: Property[] = [
  { slug: "createdAt", label: words.created, type: "datetime", options: [], personal: false },
  { slug: "updatedAt", label: words.updated, type: "datetime", options: [], personal: false },
];

const ALWAYS: Op[] = ["eq", "neq", "is_empty", "is_not_empty"];
const TEXT: Op[] = ["contains", "starts_with", "in", "not_in", ...ALWAYS];
const RANGED: Op[] = ["gt", "gte", "lt", "lte", "in", "not_in", ...ALWAYS];
const AMONG: Op[] = ["in", "not_in", ...ALWAYS];
/** Of every type that the contract has, so that the build breaks for a new one. */
const BY_TYPE: Record<Type, Op[]> = {
  boolean: ALWAYS,
  picture: ALWAYS,
  text: TEXT,
  long_text: TEXT,
  url: TEXT,
  select: AMONG,
  relation: AMONG,
  multi_select: ["contains", ...AMONG],
  number: RANGED,
  amount: RANGED,
  date: RANGED,
  datetime: RANGED,
  duration: RANGED,
  email: RANGED,
  phone: RANGED,
  member: RANGED,
};

export const opsOf = (type: Type): Op[] => BY_TYPE[type];
export const isList = (op: Op) => op === "in" || op === "not_in";
export const hasValue = (op: Op) => op !== "is_empty" && op !== "is_not_empty";

/** What *text* is, as a value of a property of *type*. */
export function valueFrom(text: string, type: Type, op: Op): unknown {
  const one = (part: string) =>
    (type === "number" || type === "amount") && part !== "" && Number.isFinite(Number(part)) ? Number(part) : part;
  if (!isList(op) && type !== "multi_select") return one(text.trim());
  const parts = text.split(",").map((part) => part.trim());
  const given = parts.filter((part) => part !== "");
  return isList(op) || op === "eq" || op === "neq" ? given.map(one) : (given[0] ?? "");
}

export const textOf = (value: unknown) =>
  Array.isArray(value) ? value.join(", ") : value === null || value === undefined ? "" : String(value);
