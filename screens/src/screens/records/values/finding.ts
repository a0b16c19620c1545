/** What a value may be chosen from: the choices of a property, records, and members. */
import { read } from "../../../house/tools";
import type { Option } from "../../../parts/combobox";
import type { Property, RecordLine } from "./properties";

const FOUND_MAX = 8;

export type Find = (text: string) => Promise<Option[]> | Option[];

/** Finds what *property* may have; undefined where anything may be typed. */
export function finderOf(property: Property): Find | undefined {
  switch (property.type) {
    case "select":
    case "multi_select":
      return (text) => fitting(text, property.options, (option) => ({ id: option, label: option }));
    case "relation":
      return (text) => findRecords(property.options[0] ?? "", text);
    case "member":
      return findMembers;
    default:
      return undefined;
  }
}

function fitting<T>(text: string, all: readonly T[], optionOf: (one: T) => Option): Option[] {
  const wanted = text.trim().toLocaleLowerCase();
  return all.map(optionOf).filter(({ label, note = "" }) => `${label} ${note}`.toLocaleLowerCase().includes(wanted));
}

/** Records of *objectType* with all words of *text*; the newest where there are none. */
export async function findRecords(objectType: string, text: string): Promise<Option[]> {
  const found = text.trim()
    ? await read("record.search", { query: text, objectType, limit: FOUND_MAX })
    : await read("record.list", { objectType, limit: FOUND_MAX });
  return found.ok ? found.answer.records.map(optionOf) : [];
}

export function optionOf({ id, properties }: Pick<RecordLine, "id" | "properties">): Option {
  const texts = Object.entries(properties).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const name = texts.find(([slug]) => slug === "name") ?? texts[0];
  const note = texts.find(([slug]) => slug === "email" || slug === "city");
  return { id, label: name?.[1] ?? id, ...(note && note !== name && { note: note[1] }) };
}

async function findMembers(text: string): Promise<Option[]> {
  const found = await read("member.list", { limit: 200 });
  if (!found.ok) return [];
  return fitting(text, found.answer.members, (member) => ({ id: member.id, label: member.name, note: member.email }));
}

/** What the record or the member is called that *property* leads to; undefined where that cannot be seen. */
export async function nameOfReference(property: Property, id: string): Promise<string | undefined> {
  if (property.type === "member") return (await findMembers("")).find((member) => member.id === id)?.label;
  const found = await read("record.get", { id });
  return found.ok ? optionOf(found.answer).label : undefined;
}
