/** Values as texts, as the organization writes them: for cells, for copying, and for those who do not see colours. */
import { organization } from "../../../house/boot";
import { formatDateTime, formatDuration, formatExactly, formatList, formatMoney, formatWholeDay } from "../../../house/formats";
import { records as words } from "../../../messages/en/records";
import { currencySlug, type Property, type Shown } from "./properties";

/** The value of *property*, as people read it; empty where there is none. */
export function textOf(property: Property, record: Shown): string {
  const value = record.properties[property.slug];
  if (value === undefined || value === null || value === "") return "";
  switch (property.type) {
    case "amount":
      return typeof value === "number" ? formatMoney(value, currencyOf(property, record)) : String(value);
    case "number":
      return typeof value === "number" ? formatExactly(value) : String(value);
    case "date":
      return formatWholeDay(String(value));
    case "datetime":
      return formatDateTime(String(value));
    case "duration":
      return formatDuration(secondsOf(String(value)));
    case "boolean":
      return value === true ? words.yes : words.no;
    case "multi_select":
      return Array.isArray(value) ? formatList(value.map(String)) : String(value);
    case "relation":
    case "member":
      return record.texts?.[property.slug] || words.unnamed;
    default:
      return String(value);
  }
}

export function currencyOf(property: Property, { properties }: Shown): string {
  const currency = properties[currencySlug(property)];
  return typeof currency === "string" ? currency : (organization?.currency ?? "EUR");
}

/** How long an ISO 8601 duration is that the service has written: hours, minutes and seconds. */
export function secondsOf(text: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(text) ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** The value of *property* as it is typed: with all that is needed to have it again. */
export function typedText(property: Property, record: Shown): string {
  const value = record.properties[property.slug];
  if (value === undefined || value === null) return "";
  if (property.type === "amount" && typeof value === "number") return `${formatExactly(value)} ${currencyOf(property, record)}`;
  if (property.type === "date" || property.type === "datetime") return String(value);
  if (Array.isArray(value)) return value.join(", ");
  return textOf(property, record);
}
