/** A face by initials: round for people, square for organizations. The name stands beside it, so it is no text. */
const TONES = 6;

function initials(name: string): string {
  const parts = name.trim().split(/\s+/);
  return [parts[0], parts.length > 1 ? parts.at(-1) : ""]
    .map((part) => [...(part ?? "")][0] ?? "")
    .join("")
    .toUpperCase();
}

/** The same name always has the same colour. */
function toneOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973;
  return sum % TONES;
}

export function Avatar({ name, of = "person" }: { name: string; of?: "person" | "organization" }) {
  const tone = of === "person" ? { "data-tone": toneOf(name) } : {};
  return <span class={`avatar avatar-${of}`} aria-hidden="true" data-initials={initials(name)} {...tone} />;
}
