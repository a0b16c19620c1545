/** Columns that become new properties: what they are probably called and are, and how they are made. */
import type { Result } from "../../house/problems";
import { slugOf } from "../../house/slugs";
import { type Answer, type Input, write } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";

type ObjectDetails = Answer<"object.get">;
export type NewType = keyof typeof words.map.types & Input<"property.create">["type"];

export interface NewProperty {
  label: string;
  type: NewType;
}

/** By heading. */
export type NewProperties = Readonly<Record<string, NewProperty>>;

/** What a column is mapped to that becomes a new property: no slug is like it. */
export const NEW = "+";
export const TYPES = Object.keys(words.map.types) as NewType[]; // The keys of a constant.
const LABEL_CHARS_MAX = 100;
const LONG_TEXT_CHARS = 120;
const FORMS: readonly (readonly [NewType, RegExp])[] = [
  ["email", /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ["url", /^(https?:\/\/|www\.)\S+$/i],
  ["datetime", /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}[T ,]+\d{1,2}:\d{2}/],
  ["date", /^(\d{4}-\d{2}-\d{2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{4}[/.]\d{1,2}[/.]\d{1,2})$/],
  ["boolean", /^(true|false|yes|no|ja|nein|x)$/i],
  ["number", /^[-−]?\d[\d ',.]*$/],
  ["phone", /^\+[\d ()/.-]{6,}$/],
];

/** What a column called *heading*, with *samples*, probably is. */
export function guessOf(heading: string, samples: readonly string[]): NewProperty {
  const label = heading.slice(0, LABEL_CHARS_MAX);
  const form = FORMS.find(([, one]) => samples.length > 0 && samples.every((sample) => one.test(sample.trim())));
  // What begins with 0 is a code, such as a postal code, and has to keep it.
  const isCode = form?.[0] === "number" && samples.some((sample) => /^0\d/.test(sample));
  if (form && !isCode) return { label, type: form[0] };
  return { label, type: samples.some((sample) => sample.length > LONG_TEXT_CHARS) ? "long_text" : "text" };
}

/** Whether *samples* are dates of which none tells whether the day or the month comes first. */
export function isUnclearDate(samples: readonly string[]): boolean {
  const found = samples.map((sample) => /^(\d{1,2})[-/](\d{1,2})[-/]\d{2,4}\b/.exec(sample.trim()));
  const numbers = found.flatMap((one) => (one ? [[Number(one[1]), Number(one[2])] as const] : []));
  return numbers.some(([one, other]) => one !== other) && numbers.every(([one, other]) => one <= 12 && other <= 12);
}

/** Make them; by heading, the slugs of those that were made, also where a later one was refused. */
export async function makeProperties(
  object: ObjectDetails,
  wanted: NewProperties,
): Promise<{ made: Record<string, string>; refused: Extract<Result<unknown>, { ok: false }> | null }> {
  const taken = new Set(object.properties.map(({ slug }) => slug));
  const made: Record<string, string> = {};
  for (const [heading, { label, type }] of Object.entries(wanted)) {
    const slug = freeSlug(slugOf(label) || "column", taken);
    taken.add(slug);
    const personal = type === "email" || type === "phone";
    const result = await write("property.create", { objectType: object.slug, slug, label, type, personal });
    if (!result.ok) return { made, refused: result };
    made[heading] = slug;
  }
  return { made, refused: null };
}

function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  let free = slug;
  for (let number = 2; taken.has(free); number += 1) free = `${slug}_${number}`;
  return free;
}
