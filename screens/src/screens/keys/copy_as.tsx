/** *Copy as*: how a tool is called from a shell, a program and a client of MCP. */
import { useState } from "preact/hooks";
import { requests as words } from "../../messages/en/requests";
import { RadioField } from "../../parts/field";
import { Copy } from "../../parts/texts";
import { TOOL_EXAMPLES } from "../../tool_examples";
import { copyText, type Language } from "./copy_texts";
import "../../styles/requests.css";

const LANGUAGES = Object.entries(words.languages).map(([value, label]) => ({ value: value as Language, label }));

export function CopyAs({ tool }: { tool: string }) {
  const [language, setLanguage] = useState<Language>("curl");
  const example = TOOL_EXAMPLES[tool];
  if (example === undefined) return null; // An older name, or what is no tool.
  const text = copyText(language, { origin: location.origin, tool, example });
  return (
    <section class="stack copy-as">
      <h3>{words.copyAs}</h3>
      <p class="soft">{words.copyHint}</p>
      <RadioField label={words.copyAs} value={language} onValue={setLanguage} choices={LANGUAGES} />
      <Copy text={text} label={words.languages[language]} block />
    </section>
  );
}
