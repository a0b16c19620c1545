/** What a form means: its name, its site, the mapping of its fields, the deal that it opens, its honeypot. */
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { messages } from "../../messages/messages";
import { Button } from "../../parts/button";
import { SelectField, SwitchField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { DealPreview } from "./deal_preview";
import type { FormDetails } from "./form";
import { Mapping, type MappedField } from "./mapping";
import { useSites } from "./new_form";

const said = words.settings;

interface Draft {
  name: string;
  siteId: string;
  fields: MappedField[];
  hasDeal: boolean;
  dealTitle: string;
  honeypot: string;
}

function draftOf(form: FormDetails): Draft {
  return {
    name: form.name,
    siteId: form.siteId ?? "",
    fields: Object.entries(form.fieldMap).map(([own, property], key) => ({ key, own, property })),
    hasDeal: form.dealTitle !== null,
    dealTitle: form.dealTitle ?? "",
    honeypot: form.honeypot ?? "",
  };
}

const asText = ({ fields, ...rest }: Draft) => JSON.stringify([rest, fields.map(({ own, property }) => [own, property])]);

export function FormSettings({ form }: { form: FormDetails }) {
  const [base, setBase] = useState(form);
  const [draft, setDraft] = useState(() => draftOf(form));
  const sites = useSites();
  const dirty = asText(draft) !== asText(draftOf(base));
  const isBehind = form.version !== base.version;
  const take = (newer: FormDetails) => {
    setBase(newer);
    setDraft(draftOf(newer));
  };
  useEffect(() => {
    if (isBehind && !dirty) take(form);
  }, [form.version, dirty]);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const act = useAct(async () => {
    const fieldMap = Object.fromEntries(draft.fields.filter(({ own }) => own !== "").map(({ own, property }) => [own, property]));
    const result = await write("form.update", {
      id: form.id,
      name: draft.name,
      siteId: draft.siteId || null,
      fieldMap,
      dealTitle: draft.hasDeal ? draft.dealTitle : null,
      honeypot: draft.honeypot || null,
      ifVersion: base.version,
    });
    if (result.ok) {
      take({ ...form, ...result.answer });
      toast(said.saved);
    }
    return result;
  });
  return (
    <Form act={act} dirty={dirty} label={words.tabs.settings}>
      {isBehind && dirty && (
        <div class="changed" role="alert">
          <strong>{said.changedTitle}</strong>
          <p>{said.changedBody}</p>
          <div class="row">
            <Button small onClick={() => take(form)}>
              {said.takeTheirs}
            </Button>
            <Button small onClick={() => setBase(form)}>
              {said.keepMine}
            </Button>
          </div>
        </div>
      )}
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={draft.name} onValue={(name) => set({ name })} max={200} />
      <SelectField label={words.site} hint={words.siteHint} pointer="/siteId" value={draft.siteId} onValue={(siteId) => set({ siteId })} choices={sites} />
      <Mapping fields={draft.fields} onFields={(fields) => set({ fields })} seen={form.fieldsSeen} />
      <SwitchField label={said.deal} on={draft.hasDeal} onValue={(hasDeal) => set({ hasDeal, dealTitle: draft.dealTitle || "{{name}}" })} />
      {draft.hasDeal && (
        <>
          <TextField label={said.dealTitle} hint={said.dealHint} pointer="/dealTitle" value={draft.dealTitle} onValue={(dealTitle) => set({ dealTitle })} max={500} mono />
          <DealPreview formId={form.id} template={draft.dealTitle} />
        </>
      )}
      <TextField label={said.honeypot} hint={said.honeypotHint} pointer="/honeypot" value={draft.honeypot} onValue={(honeypot) => set({ honeypot })} max={64} optional />
      <div class={dirty ? "form-actions form-save" : "form-actions"}>
        <Button type="submit" look="solid" busy={act.busy} disabled={!dirty}>
          {messages.common.save}
        </Button>
        {dirty && (
          <Button look="quiet" onClick={() => take(form)}>
            {messages.common.cancel}
          </Button>
        )}
      </div>
    </Form>
  );
}
