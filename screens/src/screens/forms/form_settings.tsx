/** What a form means: its name, its site, the mapping of its fields, the deal that it opens, its honeypot. */
import { useAct } from "../../house/acts";
import { useDraft } from "../../house/drafts";
import { formatList } from "../../house/formats";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { messages } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Clashes } from "../../parts/clashes";
import { SelectField, SwitchField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { useSites } from "../../parts/new_thing";
import { DealPreview } from "./deal_preview";
import type { FormDetails } from "./form_details";
import { Mapping } from "./mapping";

const said = words.settings;

type Settings = {
  name: string;
  siteId: string;
  /** Pairs of the customer's field and the contact property, as JSON. */
  fieldMap: string;
  hasDeal: boolean;
  dealTitle: string;
  honeypot: string;
};

const LABELS: Record<string, string> = {
  name: words.name,
  siteId: words.site,
  fieldMap: said.fields,
  hasDeal: said.deal,
  dealTitle: said.dealTitle,
  honeypot: said.honeypot,
};

function storedOf(form: Pick<FormDetails, "name" | "siteId" | "fieldMap" | "dealTitle" | "honeypot">): Settings {
  return {
    name: form.name,
    siteId: form.siteId ?? "",
    fieldMap: JSON.stringify(Object.entries(form.fieldMap)),
    hasDeal: form.dealTitle !== null,
    dealTitle: form.dealTitle ?? "",
    honeypot: form.honeypot ?? "",
  };
}

const pairsOf = (fieldMap: string) => JSON.parse(fieldMap) as [string, string][]; // What `storedOf` and `Mapping` made.

export function FormSettings({ form }: { form: FormDetails }) {
  const work = useDraft<Settings>(form.version, storedOf(form));
  const { draft, set, dirty, clashes } = work;
  const sites = useSites(words.notBound);
  const act = useAct(async () => {
    const result = await write("form.update", {
      id: form.id,
      name: draft.name,
      siteId: draft.siteId || null,
      fieldMap: Object.fromEntries(pairsOf(draft.fieldMap)),
      dealTitle: draft.hasDeal ? draft.dealTitle : null,
      honeypot: draft.honeypot || null,
      ifVersion: work.version,
    });
    if (result.ok) {
      work.take(result.answer.version, storedOf(result.answer));
      toast(said.saved);
    }
    return result;
  });
  const textOf = (key: string, value: string | boolean) => {
    if (typeof value === "boolean") return value ? said.on : said.off;
    if (key === "siteId") return sites.find((site) => site.value === value)?.label ?? value;
    return key === "fieldMap" ? formatList(pairsOf(value).map(([own]) => own)) : value;
  };
  return (
    <Form act={act} dirty={dirty} label={words.tabs.settings}>
      <Clashes of={work} labelOf={(key) => LABELS[key] ?? key} textOf={textOf} />
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={draft.name} onValue={(name) => set({ name })} max={200} />
      <SelectField
        label={words.site}
        hint={words.siteHint}
        pointer="/siteId"
        value={draft.siteId}
        onValue={(siteId) => set({ siteId })}
        choices={sites}
      />
      <Mapping
        pairs={pairsOf(draft.fieldMap)}
        onPairs={(pairs) => set({ fieldMap: JSON.stringify(pairs) })}
        seen={form.fieldsSeen}
        honeypot={draft.honeypot}
      />
      <SwitchField label={said.deal} on={draft.hasDeal} onValue={(hasDeal) => set({ hasDeal, dealTitle: draft.dealTitle || "{{name}}" })} />
      {draft.hasDeal && (
        <>
          <TextField
            label={said.dealTitle}
            hint={said.dealHint}
            pointer="/dealTitle"
            value={draft.dealTitle}
            onValue={(dealTitle) => set({ dealTitle })}
            max={500}
            mono
          />
          <DealPreview formId={form.id} template={draft.dealTitle} />
        </>
      )}
      <TextField
        label={said.honeypot}
        hint={said.honeypotHint}
        pointer="/honeypot"
        value={draft.honeypot}
        onValue={(honeypot) => set({ honeypot })}
        max={64}
        optional
      />
      <div class={dirty ? "form-actions form-save" : "form-actions"}>
        <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || clashes.length > 0}>
          {messages.common.save}
        </Button>
        {dirty && (
          <Button look="quiet" onClick={() => work.take(form.version, storedOf(form))}>
            {messages.common.cancel}
          </Button>
        )}
      </div>
    </Form>
  );
}
