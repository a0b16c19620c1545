/** Texts as values: what is typed in a field, and what is pasted from a spreadsheet. The service decides in the end. */
import { instantOf } from "../../../house/days";
import { readNumber } from "../../../house/numbers";
import { records as words } from "../../../messages/en/records";
import { recordsLater as later } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import { currencySlug, type Property, type Values } from "./properties";

export type Read = { ok: true; values: Values } | { ok: false; fault: string };

const is = (property: Property, value: unknown): Read => ({ ok: true, values: { [property.slug]: value } });
const isNot = (fault: string): Read => ({ ok: false, fault });

/** What *text* is as a value of *property*; an empty text takes the value away. Names of records and members are not looked up. */
export function read(property: Property, text: string): Read {
  const bare = text.trim();
  if (bare === "") return is(property, null);
  switch (property.type) {
    case "number": {
      const number = readNumber(bare);
      return number === null ? isNot(later.faults.number) : is(property, number);
    }
    case "amount":
      return readAmount(property, bare);
    case "boolean": {
      const folded = bare.toLocaleLowerCase();
      if (YES.includes(folded)) return is(property, true);
      return NO.includes(folded) ? is(property, false) : isNot(later.faults.boolean);
    }
    case "date":
      return /^\d{4}-\d{2}-\d{2}$/.test(bare) ? is(property, bare) : readDay(property, bare);
    case "datetime": {
      const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(bare) ? instantOf(bare) : bare;
      return at === null || Number.isNaN(Date.parse(at)) ? isNot(later.faults.datetime) : is(property, new Date(at).toISOString());
    }
    case "duration": {
      const duration = readDuration(bare);
      return duration === null ? isNot(later.faults.duration) : is(property, duration);
    }
    case "select": {
      const choice = choiceOf(property, bare);
      return choice === undefined ? isNot(say(later.faults.choice, { choice: bare })) : is(property, choice);
    }
    case "multi_select": {
      const given = bare.split(",").map((part) => part.trim());
      const unknown = given.find((part) => part && choiceOf(property, part) === undefined);
      if (unknown) return isNot(say(later.faults.choice, { choice: unknown }));
      return is(
        property,
        given.flatMap((part) => choiceOf(property, part) ?? []),
      );
    }
    case "relation":
    case "member":
      return /^(rec|usr)_\w+$/.test(bare) ? is(property, bare) : isNot(later.faults.reference);
    default:
      return is(property, bare);
  }
}

const YES = ["true", "1", "x", words.yes.toLocaleLowerCase()];
const NO = ["false", "0", words.no.toLocaleLowerCase()];

function choiceOf(property: Property, text: string): string | undefined {
  const folded = text.toLocaleLowerCase();
  return property.options.find((option) => option === text) ?? property.options.find((option) => option.toLocaleLowerCase() === folded);
}

/** An amount, with the code of its currency before or behind it where it has one. */
function readAmount(property: Property, text: string): Read {
  const [, before, number = "", after] = /^([A-Za-z]{3})?\s*(.+?)\s*([A-Za-z]{3})?$/.exec(text) ?? [];
  const value = readNumber(number.replace(/[€£$]/g, ""));
  const currency = (before ?? after)?.toUpperCase();
  if (value === null) return isNot(later.faults.amount);
  return { ok: true, values: { [property.slug]: value, ...(currency && { [currencySlug(property)]: currency }) } };
}

/** A day as `18.9.2026` or `18/9/2026`; where the first two could be both, it is not guessed. */
function readDay(property: Property, text: string): Read {
  const [, first = "", second = "", year = ""] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text) ?? [];
  const isDayFirst = text.includes(".") || Number(first) > 12;
  if (!year || (!isDayFirst && Number(second) <= 12)) return isNot(later.faults.date);
  const [day, month] = isDayFirst ? [first, second] : [second, first];
  return is(property, `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
}

/** `1:30`, `1h 30m`, `90 min` or ISO 8601 itself; null for anything else. */
function readDuration(text: string): string | null {
  if (/^P[\dTWDHMS]+$/i.test(text)) return text.toUpperCase();
  const [, hours, minutes, seconds = "0"] = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hours !== undefined) return `PT${hours}H${minutes}M${Number(seconds)}S`;
  const units = /^(?:(\d+)\s*h\w*)?\s*(?:(\d+)\s*m\w*)?\s*(?:(\d+)\s*s\w*)?$/i.exec(text);
  return units?.slice(1).some(Boolean) ? `PT${units[1] ?? 0}H${units[2] ?? 0}M${units[3] ?? 0}S` : null;
}
