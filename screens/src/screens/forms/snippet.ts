/**
 * The code that a customer pastes into a page. It stands alone, clashes with nothing (no ids, no globals, any number of
 * forms on a page), works without its script, and loses nothing that a visitor typed.
 */
import { SNIPPET_TEXTS, type SnippetLanguage } from "./snippet_texts";

interface SnippetForm {
  /** Where it is sent, with the form's key. */
  address: string;
  /** The customer's field names, and the contact property that each is written to. */
  fieldMap: Readonly<Record<string, string>>;
  honeypot: string | null;
  /** The type of each contact property. */
  typeOf: (property: string) => string | undefined;
}

/** Inputs of the types that are not `text`, and what a browser can fill in. */
const INPUTS: Readonly<Record<string, string>> = {
  email: ' type="email"',
  phone: ' type="tel" autocomplete="tel"',
  url: ' type="url"',
  number: ' type="number" step="any"',
  date: ' type="date"',
};

export function snippetOf({ address, fieldMap, honeypot, typeOf }: SnippetForm, language: SnippetLanguage): string {
  const texts = SNIPPET_TEXTS[language];
  const own = Object.entries(fieldMap).filter(([name]) => name !== honeypot);
  const has = (name: string) => own.some(([mapped]) => mapped.toLowerCase() === name);
  const isMapped = (property: string) => own.some(([, to]) => to === property);
  const fields = [
    ...(has("name") || isMapped("name") ? [] : [input("name", texts.name, ' autocomplete="name"')]),
    ...(has("email") || isMapped("email") ? [] : [input("email", texts.email, ' type="email" autocomplete="email" required')]),
    ...own.map(([name, to]) => fieldOf(name, typeOf(to))),
    ...(has("message") ? [] : [`  <p><label>${texts.message}<br><textarea name="message" rows="5"></textarea></label></p>`]),
  ];
  const trap = honeypot
    ? [`  <p hidden><label>${texts.leaveEmpty} <input name="${escaped(honeypot)}" tabindex="-1" autocomplete="off"></label></p>`]
    : [];
  return [
    `<form method="post" action="${escaped(address)}">`,
    ...fields,
    ...trap,
    `  <p><button>${texts.send}</button> <span role="status"></span></p>`,
    "</form>",
    "<script>",
    ...scriptOf(language),
    "</script>",
  ].join("\n");
}

function fieldOf(name: string, type = "text"): string {
  const label = labelOf(name);
  if (type === "long_text") return `  <p><label>${escaped(label)}<br><textarea name="${escaped(name)}" rows="5"></textarea></label></p>`;
  if (type === "boolean") return `  <p><label><input name="${escaped(name)}" type="checkbox" value="yes"> ${escaped(label)}</label></p>`;
  return input(name, label, `${INPUTS[type] ?? ""}${type === "email" ? ' autocomplete="email" required' : ""}`);
}

const input = (name: string, label: string, rest: string) =>
  `  <p><label>${escaped(label)}<br><input name="${escaped(name)}"${rest}></label></p>`;

/** `job_title` and `jobTitle` are read as `Job title`. */
function labelOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The answers that it knows are those of docs/forms.md; a body of plain text needs no preflight. */
function scriptOf(language: SnippetLanguage): string[] {
  const { sent, later, rate, closed, origin, noContact, invalid, tooLong } = SNIPPET_TEXTS[language];
  const said = { later, rate, unknown_form: closed, origin, no_contact: noContact, shape: tooLong, text: invalid };
  return [
    "(() => {",
    "  const form = document.currentScript.previousElementSibling",
    '  const status = form.querySelector("[role=status]")',
    `  const texts = ${pretty(said)}`,
    `  const faults = ${pretty({ invalid, too_long: tooLong, unstorable: invalid })}`,
    "  let sending = false",
    '  form.addEventListener("input", (event) => event.target.setCustomValidity(""))',
    '  form.addEventListener("submit", async (event) => {',
    "    event.preventDefault()",
    "    if (sending) return",
    "    sending = true",
    '    status.textContent = "…"',
    "    const v = {}",
    "    for (const [name, value] of new FormData(form)) {",
    '      if (typeof value === "string" && value) v[name] = name in v ? v[name] + ", " + value : value',
    "    }",
    "    let answer = {}",
    "    try {",
    '      const f = new URL(form.getAttribute("action"), location).searchParams.get("f")',
    '      const options = { method: "POST", body: JSON.stringify({ f, v }), signal: AbortSignal.timeout(20000) }',
    '      answer = await (await fetch(form.getAttribute("action"), options)).json()',
    "    } catch {}",
    "    sending = false",
    `    status.textContent = answer.ok ? ${JSON.stringify(sent)} : texts[answer.reason] ?? texts.later`,
    "    if (answer.ok) form.reset()",
    "    for (const [name, fault] of Object.entries(answer.fields ?? {})) {",
    "      const field = form.elements.namedItem(name)",
    "      field?.setCustomValidity?.(faults[fault] ?? faults.invalid)",
    "    }",
    "    form.reportValidity()",
    "  })",
    "})()",
  ];
}

/** An object as one would write it, one member to a line; `</script` cannot end the script. */
function pretty(texts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(texts).map(([name, text]) => `    ${name}: ${JSON.stringify(text).replaceAll("</", "<\\/")},`);
  return ["{", ...lines, "  }"].join("\n");
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
