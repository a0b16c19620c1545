import { organization as words } from "../../messages/en/organization";

const AMOUNT = 1234567.5;
// Beyond the twelfth, so that the order of day and month is seen.
const AT = new Date("2026-09-18T16:30:00Z");

interface SampleProps {
  locale: string;
  timeZone: string;
  currency: string;
}

/** A time, a number and an amount, as they would be written. */
export function Sample({ locale, timeZone, currency }: SampleProps) {
  return (
    <div class="preview" aria-live="polite">
      <span class="soft">{words.sample}</span>
      <bdi>{written(locale.replace("_", "-"), timeZone, currency).join(" · ")}</bdi>
    </div>
  );
}

function written(locale: string, timeZone: string, currency: string): string[] {
  try {
    return [
      new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone }).format(AT),
      new Intl.NumberFormat(locale).format(AMOUNT),
      new Intl.NumberFormat(locale, { style: "currency", currency }).format(AMOUNT),
    ];
  } catch {
    return ["–"]; // A stored value that this browser does not know.
  }
}
