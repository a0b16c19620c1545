/** One property of many records is given one value, or none. */
import { useState } from "preact/hooks";
import { useAct } from "../../../house/acts";
import { ownProblem } from "../../../house/problems";
import { toast } from "../../../house/toasts";
import { recordsLater as words } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import { SelectField } from "../../../parts/field";
import { FormDialog } from "../../../parts/form_dialog";
import { save, undo } from "../edits";
import { valuesOf } from "../values/filled";
import { nameProperty, type Property, type RecordLine } from "../values/properties";
import { type Filled, PropertyField } from "../values/property_field";

interface BulkEditProps {
  records: readonly RecordLine[];
  properties: readonly Property[];
  onClose: () => void;
}

export function BulkEdit({ records, properties, onClose }: BulkEditProps) {
  const name = nameProperty(properties);
  const choices = properties.filter((property) => property !== name);
  const [slug, setSlug] = useState(choices[0]?.slug ?? "");
  const [filled, setFilled] = useState<Filled>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [done, setDone] = useState(0);
  const n = records.length;
  const property = choices.find((one) => one.slug === slug);
  const act = useAct(async () => {
    if (!property) return { ok: true as const, answer: 0 };
    const found = valuesOf([property], { [slug]: filled });
    if (found.faults[slug]) {
      setFault(found.faults[slug]);
      return { ok: false as const, problem: ownProblem("stopped", "") };
    }
    const values = { [slug]: null, ...found.values };
    const label = filled && typeof filled === "object" && "label" in filled ? filled.label : "";
    const edits = records.map((record) => ({ record, change: { values, texts: { [slug]: label } } }));
    const stored = await save(edits, properties, { progress: setDone });
    onClose();
    if (stored > 0) toast(say(words.bulk.changed, { n: stored }), { undo: () => void undo(properties) });
    return { ok: true as const, answer: stored };
  });
  const submit = act.busy && n > 100 ? say(words.bulk.progress, { done, n }) : say(words.bulk.change, { n });
  return (
    <FormDialog title={words.bulk.edit} act={act} submit={submit} onClose={onClose}>
      <SelectField
        label={words.bulk.property}
        value={slug}
        onValue={(value) => {
          setSlug(value);
          setFilled(null);
          setFault(null);
        }}
        choices={choices.map((one) => ({ value: one.slug, label: one.label }))}
      />
      {property && (
        <PropertyField
          key={slug}
          property={property}
          value={filled}
          onValue={(value) => {
            setFilled(value);
            setFault(null);
          }}
          pointer="/value"
          fault={fault}
        />
      )}
      <p class="soft">{words.bulk.emptyHint}</p>
    </FormDialog>
  );
}
