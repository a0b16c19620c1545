import { useState } from "preact/hooks";
import { organization } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { forms as words } from "../../messages/en/forms";
import { SelectField } from "../../parts/field";
import { Copy } from "../../parts/texts";
import type { FormDetails } from "./form_details";
import { snippetOf } from "./snippet";
import { SNIPPET_LANGUAGES, type SnippetLanguage } from "./snippet_texts";

const said = words.install;
const LANGUAGES = Object.entries(SNIPPET_LANGUAGES).map(([value, label]) => ({ value: value as SnippetLanguage, label }));

/** The language of the organization's locale, where forms speak it. */
function firstLanguage(): SnippetLanguage {
  const code = organization?.locale.slice(0, 2) ?? "";
  return LANGUAGES.find(({ value }) => value === code)?.value ?? "en";
}

/** The key, and what to paste into a page or a server's program. */
export function Install({ form: { formKey, submitPath, fieldMap, honeypot } }: { form: FormDetails }) {
  const [language, setLanguage] = useState(firstLanguage);
  const properties = useAnswer("object.get", { objectType: "contact" }).answer?.properties;
  const typeOf = (slug: string) => properties?.find((property) => property.slug === slug)?.type;
  const address = location.origin + submitPath;
  const page = snippetOf({ address, fieldMap, honeypot, typeOf }, language);
  const server = [
    `curl ${location.origin}/api/f/s \\`,
    "  -H 'Authorization: Bearer SERVER_KEY' \\",
    "  -H 'x-visitor-ip: 192.0.2.7' \\",
    "  -H 'x-visitor-ua: Mozilla/5.0' \\",
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"f": "${formKey}", "v": {"name": "Ada", "email": "ada@example.com"}}'`,
  ].join("\n");
  return (
    <div class="stack-wide narrow">
      <section>
        <h2>{said.key}</h2>
        <p class="soft lead">{said.keyHint}</p>
        <Copy text={formKey} label={said.key} />
      </section>
      <section>
        <h2>{said.browser}</h2>
        <p class="soft lead">{said.browserHint}</p>
        <SelectField label={said.language} value={language} onValue={setLanguage} choices={LANGUAGES} />
        <Copy text={page} label={said.browser} block />
      </section>
      <section>
        <h2>{said.server}</h2>
        <p class="soft lead">{said.serverHint}</p>
        <Copy text={server} label={said.server} block />
      </section>
    </div>
  );
}
